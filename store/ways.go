package store

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"waybill/promotion"
	"waybill/store/driver"
)

// open is the last position of a way that no push has ended.
const open = math.MaxInt64

// noChain is the chain of a commit that is not known as a head of its branch.
const noChain = 0

// foldFrom is how many runs are added to a way before it is tried to leave some out.
const foldFrom = 50

// way is a row of the table ways.
type way struct {
	id          int64
	key         StageKey
	on          promotion.Branch
	chain       int64
	first, last int64
	folded      map[string]int64
	foldAt      int64

	promotion.Arrival
}

const wayColumns = `w.id, w.pipeline, w.stage, w.target, w.repo, w.branch, w.commit_sha, w.chain, w.first, w.last,
	w.folded, w.fold_at`

func wayDest(w *way) []any {
	return []any{&w.id, &w.key.Pipeline, &w.key.Stage, &w.Target, &w.on.Repo, &w.on.Name, &w.Commit, &w.chain,
		&w.first, &w.last,
		asJSON(&w.folded), &w.foldAt}
}

// newWay makes the way of an arrival on a branch. Which heads are on it has yet to be found.
func newWay(key StageKey, a promotion.Arrival, on promotion.Branch) way {
	w := way{key: key, Arrival: a, on: on, last: open, foldAt: foldFrom}
	w.id = w.makeID()
	return w
}

// makeID returns an id that is unique to the way.
func (w *way) makeID() int64 {
	h := fnv.New64a()
	for _, result := range []any{w.key.Pipeline, w.key.Stage, w.Target, w.Commit, w.on.Repo, w.on.Name} {
		fmt.Fprint(h, result, "\x00")
	}
	return int64(h.Sum64() >> 1)
}

// place finds the commit of a way among the heads of its branch, and where the way ends.
func (ev evidence) place(w *way) error {
	err := ev.tx.read(startOf(w))
	if err == nil {
		w.last, err = ev.endOf(w)
	}
	return err
}

// selectStart finds a commit among the heads of its branch.
const selectStart = `SELECT chain, place FROM (
			SELECT chain + 0 AS chain, position AS place FROM pushes WHERE repo = $1 AND branch = $2 AND after_sha = $3
			UNION SELECT chain + 0, position - 1 FROM pushes WHERE repo = $1 AND branch = $2
				AND before_sha = $3) AS places
		ORDER BY chain, place LIMIT 1`

// startOf reads where a way begins.
func startOf(w *way) driver.Query {
	return rowInto(new(bool), []any{&w.chain, &w.first}, selectStart, w.on.Repo, w.on.Name, w.Commit)
}

// followers reads all pushes behind the commit of a way, without knowing its place.
func followers(w *way, into *[]placed) driver.Query {
	return rowsInto(into, placedDest, `SELECT u.position, u.paths FROM (`+selectStart+`) AS start
			JOIN pushes u ON u.repo = $1 AND u.branch = $2 AND u.chain = start.chain AND u.position > start.place
		ORDER BY u.position`, w.on.Repo, w.on.Name, w.Commit)
}

// pushBatch is how many pushes are read at once where many may follow.
const pushBatch = 200

// endOf returns the position of the last head of a way: the one before the first push that touches the files.
func (ev evidence) endOf(w *way) (int64, error) {
	if w.chain == noChain {
		return open, nil
	}
	var files files
	if err := ev.tx.read(filesOf(w, &files)); err != nil || len(files) == 0 {
		return open, err
	}
	for after := w.first; ; {
		some, err := list(ev.tx, placedDest, `SELECT position, paths FROM pushes
			WHERE repo = $1 AND branch = $2 AND chain = $3 AND position > $4 ORDER BY position LIMIT $5 + 0`,
			w.on.Repo, w.on.Name, w.chain, after, pushBatch)
		if err != nil || len(some) == 0 {
			return open, err
		}
		if last := files.lastBefore(some); last != open {
			return last, nil
		}
		after = some[len(some)-1].position
	}
}

// placed is a push of a chain.
type placed struct {
	position int64
	paths    []string
}

func placedDest(p *placed) []any { return []any{&p.position, asJSON(&p.paths)} }

// beginWay writes a way down, with the signals and heads that belong to it already. One that is there already stays as
// it is.
func (ev evidence) beginWay(key StageKey, a promotion.Arrival, on promotion.Branch) error {
	w := newWay(key, a, on)
	if err := ev.place(&w); err != nil {
		return err
	}
	n, err := ev.tx.exec(`INSERT INTO ways (id, pipeline, stage, target, repo, branch, commit_sha, chain, first, last,
			folded, fold_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
		w.id, key.Pipeline, key.Stage, a.Target, on.Repo, on.Name, a.Commit, w.chain, w.first, w.last,
		asJSON(w.folded), w.foldAt)
	if err == nil && n > 0 {
		err = ev.takeIn(&w)
	}
	return err
}

// endWays forgets how an arrival was judged.
func (ev evidence) endWays(key StageKey, a promotion.Arrival) error {
	args := []any{key.Pipeline, key.Stage, a.Target, a.Commit}
	_, err := ev.tx.exec(`DELETE FROM evidence WHERE way IN (SELECT id FROM ways
		WHERE pipeline = $1 AND stage = $2 AND target = $3 AND commit_sha = $4)`, args...)
	if err == nil {
		_, err = ev.tx.exec(`DELETE FROM ways WHERE pipeline = $1 AND stage = $2 AND target = $3
			AND commit_sha = $4`, args...)
	}
	return err
}

// endAllWays forgets the evidence of a stage. Should the stage come back, its matchers are new, and its freight is
// judged anew.
func (ev evidence) endAllWays(key StageKey) error {
	_, err := ev.tx.exec(`DELETE FROM evidence WHERE way IN (SELECT id FROM ways WHERE pipeline = $1 AND stage = $2)`,
		key.Pipeline, key.Stage)
	if err == nil {
		_, err = ev.tx.exec(`DELETE FROM ways WHERE pipeline = $1 AND stage = $2`, key.Pipeline, key.Stage)
	}
	return err
}

// judgedBy returns the arrivals that judge a deployment: its merge, or that of each of its targets. Targets that had
// the freight before its promotion are judged no more.
func judgedBy(deployments []promotion.Deployment) (all []promotion.Arrival) {
	known := map[promotion.Arrival]bool{}
	add := func(a promotion.Arrival) {
		if a.Commit != "" && !known[a] {
			known[a] = true
			all = append(all, a)
		}
	}
	for i := range deployments {
		s := &deployments[i]
		if s.Ended() {
			continue
		}
		for k := range s.Results {
			if s.Results[k].Step > 0 {
				add(promotion.Arrival{Target: s.Results[k].Target, Commit: s.Results[k].Commit})
			}
		}
	}
	return all
}

// writeWays begins and ends ways as a decision changes the deployments of a stage.
func (ev evidence) writeWays(b Basis, decided []promotion.Deployment) error {
	if len(decided) == 0 {
		return nil
	}
	now := slices.Clone(b.Deployments)
	for _, s := range decided {
		if i := slices.IndexFunc(now, func(was promotion.Deployment) bool { return was.Promotion == s.Promotion }); i >= 0 {
			now[i] = s
		} else {
			now = append(now, s)
		}
	}
	before, after := judgedBy(b.Deployments), judgedBy(now)
	for _, a := range without(before, after) {
		if err := ev.endWays(b.Key, a); err != nil {
			return err
		}
	}
	if b.Removed {
		return nil
	}
	targets := targetsOf(b.Pipeline, b.Stage)
	for _, a := range without(after, before) {
		if subject, known := targets[a.Target]; known {
			if err := ev.beginWay(b.Key, a, subject.On); err != nil {
				return err
			}
		}
	}
	return nil
}

// targetsOf returns the targets of a stage that are judged, by name.
func targetsOf(p *promotion.Pipeline, s *promotion.Stage) map[promotion.TargetName]promotion.Subject {
	all := map[promotion.TargetName]promotion.Subject{}
	for _, subject := range p.Subjects(s) {
		all[subject.Name] = subject
	}
	return all
}

// without returns those of some arrivals that are not among others.
func without(some, others []promotion.Arrival) []promotion.Arrival {
	there := make(map[promotion.Arrival]bool, len(others))
	for _, a := range others {
		there[a] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(a promotion.Arrival) bool { return there[a] })
}

// waysOf returns the ways that a condition selects, by id.
func (ev evidence) waysOf(where string, args ...any) (all []way, err error) {
	err = ev.tx.read(waysInto(&all, where, args...))
	slices.SortFunc(all, func(a, b way) int { return cmp.Compare(a.id, b.id) })
	return all, err
}

// waysInto reads the ways that a condition selects.
func waysInto(into *[]way, where string, args ...any) driver.Query {
	return rowsInto(into, wayDest, `SELECT `+wayColumns+` FROM ways w WHERE `+where, args...)
}
