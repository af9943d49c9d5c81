package store

import (
	"cmp"
	"maps"
	"slices"

	"waybill/promotion"
	"waybill/promotion/verify"
	"waybill/store/driver"
)

// evidenceBuilder finds the evidence of a snapshot. An arrival that the stage hosts has a way in the database, and the
// evidence is linked to that. One that is about to be hosted has none yet, so that its way is found first, and then the
// signals on it.
type evidenceBuilder struct {
	key     StageKey
	targets map[promotion.TargetName]promotion.Subject // none of a stage that was removed
	kept    map[promotion.TargetName]bool              // whose verdicts keep their matchers
	ways    []way                                      // that are in the database
	linked  []linkedRun                                // to those
	judged  []judged                                   // by target and commit
	shared  map[headKey]*promotion.SHA                 // the heads, by their keys
}

// judged is an arrival and its evidence.
type judged struct {
	way
	stored bool // the way is in the database

	// of a way that is not in the database
	matchers  []matcher
	files     files
	followers []placed

	runs   []promotion.Signal
	suites []promotion.Suite
	head   *promotion.SHA
}

// headKey determines the head of a way: targets that came with one merge mostly have the same.
type headKey struct {
	on                 promotion.Branch
	commit             promotion.SHA
	chain, first, last int64
}

func newEvidenceBuilder(of *Basis) *evidenceBuilder {
	b := &evidenceBuilder{key: of.Key, kept: map[promotion.TargetName]bool{}, shared: map[headKey]*promotion.SHA{}}
	if !of.Removed {
		b.targets = targetsOf(of.Pipeline, of.Stage)
	}
	return b
}

// verified reports whether a target is there and anything verifies it.
func (b *evidenceBuilder) verified(t promotion.TargetName) bool {
	subject, known := b.targets[t]
	return known && (len(subject.Verify) > 0 || b.kept[t])
}

// keep notes the targets whose verdicts keep the matchers that made them.
func (b *evidenceBuilder) keep(deployments []promotion.Deployment) {
	for i := range deployments {
		for k := range deployments[i].Results {
			if result := &deployments[i].Results[k]; len(result.By) > 0 {
				b.kept[result.Target] = true
			}
		}
	}
}

// linkedRun is a run that is linked to a way.
type linkedRun struct {
	way int64
	promotion.Signal
	suite promotion.Suite // the zero value: none
}

// storedWays reads the ways of the stage with the runs that are linked to them, by id, and their suites, if anything
// verifies the stage.
func (b *evidenceBuilder) storedWays() []driver.Query {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(b.targets)), b.verified) {
		return nil
	}
	type row struct {
		way
		run linkedRun
	}
	var all []row
	return []driver.Query{then(rowsInto(&all, func(r *row) []any {
		return slices.Concat(wayDest(&r.way), signalDest(&r.run.Signal), suiteDest(&r.run.suite))
	}, `SELECT `+wayColumns+`, COALESCE(s.repo, ''), COALESCE(s.kind, ''), COALESCE(s.id, 0), COALESCE(s.sha, ''),
			COALESCE(s.app, ''), COALESCE(s.suite, 0), COALESCE(s.name, ''), COALESCE(s.state, ''), COALESCE(s.url, ''),
			s.started_at, s.ended_at, s.observed_at, COALESCE(u.repo, ''), COALESCE(u.id, 0), COALESCE(u.sha, ''),
			COALESCE(u.app, ''), COALESCE(u.branch, ''), COALESCE(u.completed, FALSE), COALESCE(u.conclusion, '')
		FROM ways w LEFT JOIN evidence e ON e.way = w.id
			LEFT JOIN signals s ON s.repo = e.repo AND s.kind = e.kind AND s.id = e.id
			LEFT JOIN suites u ON u.repo = s.repo AND u.id = s.suite AND e.kind = 'check'
		WHERE w.pipeline = $1 AND w.stage = $2 ORDER BY w.id, s.id, s.kind`, b.key.Pipeline, b.key.Stage), func() {
		for _, r := range all {
			if len(b.ways) == 0 || b.ways[len(b.ways)-1].id != r.id {
				b.ways = append(b.ways, r.way)
			}
			if r.run.Kind != "" {
				r.run.way = r.id
				b.linked = append(b.linked, r.run)
			}
		}
	})}
}

// judge says which arrivals are judged. Those that nothing verifies are left out.
func (b *evidenceBuilder) judge(arrivals []promotion.Arrival) {
	stored := make(map[promotion.Arrival]way, len(b.ways))
	for _, w := range b.ways {
		if w.on == b.targets[w.Target].On { // else its files have moved since
			stored[w.Arrival] = w
		}
	}
	arrivals = slices.DeleteFunc(arrivals, func(a promotion.Arrival) bool { return !b.verified(a.Target) })
	slices.SortFunc(arrivals, func(x, y promotion.Arrival) int {
		return cmp.Or(cmp.Compare(x.Target, y.Target), cmp.Compare(x.Commit, y.Commit))
	})
	for _, a := range slices.Compact(arrivals) {
		w, ok := stored[a]
		if !ok {
			w = newWay(b.key, a, b.targets[a.Target].On)
		}
		b.judged = append(b.judged, judged{way: w, stored: ok})
	}
	b.link()
}

// link gives the judged arrivals whose ways are in the database the runs that are linked to these.
func (b *evidenceBuilder) link() {
	by := map[int64]*judged{}
	for i := range b.judged {
		if j := &b.judged[i]; j.stored {
			by[j.id] = j
		}
	}
	for _, r := range b.linked {
		j := by[r.way]
		if j == nil {
			continue
		}
		j.runs = append(j.runs, r.Signal)
		if r.suite != (promotion.Suite{}) && !slices.Contains(j.suites, r.suite) {
			j.suites = append(j.suites, r.suite)
		}
	}
}

// runs reads the places, pushes, files and matchers of the ways that are not in the database.
func (b *evidenceBuilder) runs() (queries []driver.Query) {
	for i := range b.judged {
		if j := &b.judged[i]; !j.stored {
			queries = append(queries, startOf(&j.way), followers(&j.way, &j.followers), filesOf(&j.way, &j.files),
				matchersOf(&j.way, &j.matchers))
		}
	}
	return queries
}

// heads reads the heads of the ways in the database on which a check was cancelled, and the signals on the others. The
// pushes tell where those end.
func (b *evidenceBuilder) heads() (queries []driver.Query) {
	for i := range b.judged {
		switch j := &b.judged[i]; {
		case j.stored:
			queries = append(queries, b.headOf(j)...)
		case len(j.matchers) > 0:
			j.last = j.files.lastBefore(j.followers)
			queries = append(queries, then(signalsOn(&j.way, &j.runs),
				func() { j.runs = counting(j.runs, &j.way, j.matchers) }))
		}
	}
	return queries
}

// suites reads the suites of the runs that no way in the database is linked to, and the heads of their ways.
func (b *evidenceBuilder) suites() (queries []driver.Query) {
	for i := range b.judged {
		if j := &b.judged[i]; !j.stored {
			queries = append(queries, suitesOf(j.runs, &j.suites)...)
			queries = append(queries, b.headOf(j)...)
		}
	}
	return queries
}

// headOf reads the head of a way on which a check was cancelled.
func (b *evidenceBuilder) headOf(j *judged) []driver.Query {
	if !verify.Cancelled(j.runs) {
		return nil
	}
	key := headKey{j.on, j.Commit, j.chain, j.first, j.last}
	if j.head = b.shared[key]; j.head != nil {
		return nil
	}
	j.head = new(promotion.SHA)
	b.shared[key] = j.head
	return []driver.Query{headOf(&j.way, j.head)}
}

// all returns the evidence for the arrivals on whose ways something has run.
func (b *evidenceBuilder) all() (all []promotion.Evidence) {
	for i := range b.judged {
		if j := &b.judged[i]; len(j.runs) > 0 {
			slices.SortFunc(j.suites, suitesByID)
			e := promotion.Evidence{Arrival: j.Arrival, Runs: j.runs, Suites: j.suites}
			if j.head != nil {
				e.Head = *j.head
			}
			all = append(all, e)
		}
	}
	return all
}
