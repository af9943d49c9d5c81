package store

import (
	"cmp"
	"maps"
	"slices"

	"waybill/promotion"
	"waybill/promotion/verify"
	"waybill/store/driver"
)

// enlist has a signal judge on all ways that its commit stands on, and returns the stages for which that is new. Most
// signals have a name that nothing waits for.
func (ev evidence) enlist(s *promotion.Signal) (stages []StageKey, err error) {
	awaited, err := ev.tx.one([]any{new(int64)}, `SELECT n FROM (SELECT 1 AS n FROM matchers WHERE repo = $1
		AND kind = $2 AND pattern = $3
		UNION ALL SELECT 1 FROM matchers WHERE repo = $1 AND kind = $2 AND star) AS named LIMIT 1`, s.Repo, s.Kind,
		s.Name)
	if err != nil || !awaited {
		return nil, err
	}
	if stages, err = ev.expecting(s.Repo); err != nil {
		return nil, err
	}
	ways, err := ev.waysFor(s)
	for i := 0; i < len(ways) && err == nil; i++ {
		var fresh bool
		if fresh, err = ev.add(&ways[i].way, ways[i].matchers, s); fresh {
			stages = append(stages, ways[i].key)
		}
	}
	return stages, err
}

// expecting returns the stages with files in a repository that are about to judge a promotion: their snapshots hold the
// signals for it before there is a way.
func (ev evidence) expecting(repo promotion.Repo) ([]StageKey, error) {
	return list(ev.tx, stageKeyDest, `SELECT DISTINCT p.pipeline, p.stage FROM stage_branches b
			JOIN promotions p ON p.pipeline = b.pipeline AND p.stage = b.stage AND p.ended_at IS NULL
				AND p.state <> 'verifying'
			JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
			LEFT JOIN pulls u ON u.repo = a.repo AND u.number = a.pull
		WHERE b.repo = $1 AND (u.merge_sha <> '' OR a.landed_at IS NOT NULL OR a.plan_round > 0
			AND a.plan_paths IN ('null', '[]'))`, repo)
}

// wayFor is a way together with those of its matchers that name a signal.
type wayFor struct {
	way
	matchers []matcher
}

// waysFor returns the ways on which a signal counts.
func (ev evidence) waysFor(s *promotion.Signal) ([]wayFor, error) {
	found := map[int64]*wayFor{}
	note := func(w way, m matcher) {
		if found[w.id] == nil {
			found[w.id] = &wayFor{way: w}
		}
		found[w.id].matchers = append(found[w.id].matchers, m)
	}
	type joined struct {
		way
		by matcher
	}
	here, err := list(ev.tx, func(j *joined) []any { return append(wayDest(&j.way), matcherDest(&j.by)...) },
		`SELECT `+wayColumns+`, `+matcherColumns+` FROM ways w JOIN matchers m ON m.pipeline = w.pipeline
			AND m.stage = w.stage
			AND m.target = w.target AND m.repo = w.repo AND m.branch = w.branch AND m.kind = $3
				AND (m.pattern = $4 OR m.star)
		WHERE w.repo = $1 AND w.commit_sha = $2`, s.Repo, s.SHA, s.Kind, s.Name)
	if err != nil {
		return nil, err
	}
	for _, j := range here {
		if j.by.names(s, s.SHA) {
			note(j.way, j.by)
		}
	}
	some, err := list(ev.tx, matcherDest, `SELECT `+matcherColumns+` FROM matchers m
			WHERE m.repo = $1 AND m.kind = $2 AND m.pattern = $3 AND NOT m.star AND NOT m.shared
		UNION SELECT `+matcherColumns+` FROM matchers m WHERE m.repo = $1 AND m.kind = $2 AND m.star
			AND NOT m.shared`,
		s.Repo, s.Kind, s.Name)
	if err != nil {
		return nil, err
	}
	for _, m := range some {
		if !m.names(s, "") {
			continue
		}
		later, err := ev.waysOf(`w.pipeline = $1 AND w.stage = $2 AND w.target = $3 AND w.repo = $4
			AND w.branch = $5 AND w.commit_sha <> $6
			AND EXISTS (SELECT 1 FROM pushes u WHERE u.repo = $4 AND u.branch = $5 AND u.after_sha = $6
				AND u.chain + 0 = w.chain
				AND u.position + 0 > w.first AND u.position + 0 <= w.last)`,
			m.key.Pipeline, m.key.Stage, m.target, m.on.Repo, m.on.Name, s.SHA)
		if err != nil {
			return nil, err
		}
		for _, w := range later {
			note(w, m)
		}
	}
	all := make([]wayFor, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[id])
	}
	return all, nil
}

// add has a signal judge on a way, in the place of older ones of the same app, suite and name on its commit, and
// reports whether it did not before. A newer one keeps it out, and so do newer ones that say the same.
func (ev evidence) add(w *way, named []matcher, s *promotion.Signal) (fresh bool, err error) {
	if !slices.ContainsFunc(named, func(m matcher) bool { return s.ID > w.folded[m.mark()] }) {
		return false, nil
	}
	newer, err := ev.tx.one([]any{new(int64)}, `SELECT id FROM signals WHERE repo = $1 AND sha = $2 AND kind = $3
		AND app = $4 AND suite = $5
		AND name = $6 AND id + 0 > $7 LIMIT 1`, s.Repo, s.SHA, s.Kind, s.App, s.Suite, s.Name, s.ID)
	if err != nil || newer {
		return false, err
	}
	n, err := ev.tx.exec(`INSERT INTO evidence (way, repo, kind, id) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, w.id, s.Repo, s.Kind, s.ID)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = ev.tx.exec(`DELETE FROM evidence WHERE way = $1 AND repo = $2 AND kind = $3 AND id IN (SELECT id
		FROM signals
			WHERE repo = $2 AND sha = $4 AND kind = $3 AND app = $5 AND suite = $6 AND name = $7
				AND id + 0 < $8)`,
		w.id, s.Repo, s.Kind, s.SHA, s.App, s.Suite, s.Name, s.ID)
	if err == nil {
		err = ev.fold(w)
	}
	return true, err
}

// takeIn has all signals judge that came before a way did.
func (ev evidence) takeIn(w *way) error {
	var matchers []matcher
	if err := ev.tx.read(matchersOf(w, &matchers)); err != nil || len(matchers) == 0 {
		return err
	}
	var signals []promotion.Signal
	err := ev.tx.read(signalsOn(w, &signals))
	signals = counting(signals, w, matchers)
	for i := 0; i < len(signals) && err == nil; i++ {
		named := slices.DeleteFunc(slices.Clone(matchers), func(m matcher) bool {
			return !m.names(&signals[i],
				w.Commit)
		})
		_, err = ev.add(w, named, &signals[i])
	}
	return err
}

// signalsOn reads all signals on the commits of a way.
func signalsOn(w *way, into *[]promotion.Signal) driver.Query {
	return rowsInto(into, signalDest, `SELECT `+signalColumns+` FROM signals s WHERE s.repo = $1 AND s.sha IN (SELECT $2
		UNION SELECT u.after_sha FROM pushes u
			WHERE u.repo = $1 AND u.branch = $3 AND u.chain = $4 AND u.position > $5 AND u.position <= $6)`,
		w.on.Repo, w.Commit, w.on.Name, w.chain, w.first, w.last)
}

// counting returns those of the signals on a way that its matchers name, the newest of each, by id.
func counting(signals []promotion.Signal, w *way, matchers []matcher) []promotion.Signal {
	signals = slices.DeleteFunc(signals, func(s promotion.Signal) bool {
		return !slices.ContainsFunc(matchers, func(m matcher) bool { return m.names(&s, w.Commit) })
	})
	return verify.Latest(signals)
}

// of returns the evidence on a way.
func (ev evidence) of(w *way) (e promotion.Evidence, err error) {
	e.Arrival = w.Arrival
	if e.Runs, err = list(ev.tx, signalDest, `SELECT `+signalColumns+` FROM evidence e
			JOIN signals s ON s.repo = e.repo AND s.kind = e.kind AND s.id = e.id WHERE e.way = $1
				ORDER BY s.id, s.kind`, w.id); err != nil {
		return e, err
	}
	queries := suitesOf(e.Runs, &e.Suites)
	if verify.Cancelled(e.Runs) {
		queries = append(queries, headOf(w, &e.Head))
	}
	err = ev.tx.batch(queries)
	slices.SortFunc(e.Suites, suitesByID)
	return e, err
}

// suitesOf reads the suites of some runs, in no order.
func suitesOf(runs []promotion.Signal, into *[]promotion.Suite) (queries []driver.Query) {
	known := map[int64]bool{}
	for i := range runs {
		if runs[i].Kind != promotion.KindCheck || known[runs[i].Suite] {
			continue
		}
		known[runs[i].Suite] = true
		queries = append(queries, rowsInto(into, suiteDest, `SELECT `+suiteColumns+` FROM suites u WHERE u.repo = $1
			AND u.id = $2`, runs[i].Repo, runs[i].Suite))
	}
	return queries
}

// suitesByID orders suites.
func suitesByID(a, b promotion.Suite) int { return cmp.Compare(a.ID, b.ID) }

// headOf reads the newest head of a way; none if that had been a head of it before. The + 0 has SQLite look for the
// head by its name: by its chain it would read all pushes of the way.
func headOf(w *way, head *promotion.SHA) driver.Query {
	*head = w.Commit
	var moved, again bool
	return then(rowInto(&moved, []any{head, &again}, `SELECT u.after_sha, EXISTS (SELECT 1 FROM pushes e
				WHERE e.repo = $1 AND e.branch = $2 AND e.after_sha = u.after_sha AND e.chain + 0 = $3
					AND e.position > $4 AND e.position < u.position)
			FROM pushes u WHERE u.repo = $1 AND u.branch = $2 AND u.chain = $3 AND u.position > $4 AND u.position <= $5
			ORDER BY u.position DESC LIMIT 1`, w.on.Repo, w.on.Name, w.chain, w.first, w.last), func() {
		if again || moved && *head == w.Commit {
			*head = ""
		}
	})
}

// fold leaves out runs of a way that newer ones make needless, once there are many.
func (ev evidence) fold(w *way) error {
	var n int64
	if _, err := ev.tx.one([]any{&n}, `SELECT COUNT(*) FROM evidence WHERE way = $1`, w.id); err != nil ||
		n <= w.foldAt {
		return err
	}
	e, err := ev.of(w)
	if err != nil {
		return err
	}
	var rows []matcher
	if err := ev.tx.read(matchersOf(w, &rows)); err != nil {
		return err
	}
	matchers := make([]promotion.Matcher, len(rows))
	for i := range rows {
		matchers[i] = rows[i].is()
	}
	needless, folded := verify.Fold(&e, matchers)
	for _, i := range needless {
		if _, err := ev.tx.exec(`DELETE FROM evidence WHERE way = $1 AND kind = $2 AND id = $3`, w.id,
			e.Runs[i].Kind, e.Runs[i].ID); err != nil {
			return err
		}
	}
	if w.folded == nil {
		w.folded = map[string]int64{}
	}
	for i := range rows {
		if mark := rows[i].mark(); folded[i] > w.folded[mark] {
			w.folded[mark] = folded[i]
		}
	}
	w.foldAt = n - int64(len(needless)) + foldFrom
	_, err = ev.tx.exec(`UPDATE ways SET folded = $2, fold_at = $3 WHERE id = $1`, w.id, asJSON(w.folded), w.foldAt)
	return err
}
