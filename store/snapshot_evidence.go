package store

import (
	"cmp"
	"slices"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// evidence reads what may judge what the stage hosts, or is about to host.
func (g *gathering) evidence() error {
	targets := targetsOf(g.Pipeline, g.Stage)
	arrivals := slices.DeleteFunc(append(judgedBy(g.Stays), verify.Prospects(g.Snapshot)...), func(a promotion.Arrival) bool {
		subject, known := targets[a.Target]
		return !known || len(subject.Matchers()) == 0
	})
	if g.Removed || len(arrivals) == 0 {
		return nil
	}
	ways, err := g.tx.Facts.waysOf(`w.pipeline = $1 AND w.stage = $2`, g.key.Pipeline, g.key.Stage)
	if err != nil {
		return err
	}
	r, err := g.tx.Facts.readEvidence(g.key)
	if err != nil {
		return err
	}
	at := make(map[promotion.Arrival]*way, len(ways))
	for i := range ways {
		if w := &ways[i]; w.on == targets[w.Target].On { // else its files have moved since
			at[w.Arrival] = w
		}
	}
	slices.SortFunc(arrivals, func(a, b promotion.Arrival) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Commit, b.Commit))
	})
	for _, a := range slices.Compact(arrivals) {
		var e promotion.Evidence
		if w := at[a]; w != nil {
			e, err = r.evidence(w)
		} else {
			e, err = g.prospect(r, a, targets[a.Target].On)
		}
		if err != nil {
			return err
		}
		if len(e.Runs) > 0 {
			g.Evidence = append(g.Evidence, e)
		}
	}
	return nil
}

// prospect finds what judges an arrival that has no way yet.
func (g *gathering) prospect(r *evidenceReader, a promotion.Arrival, on promotion.Branch) (e promotion.Evidence,
	err error) {
	w, err := g.tx.Facts.newWay(g.key, a, on)
	if err != nil {
		return e, err
	}
	matchers, err := g.tx.Facts.matchersOf(&w)
	if err != nil || len(matchers) == 0 {
		return e, err
	}
	if r.runs[w.id], err = g.tx.Facts.signalsOn(&w, matchers); err != nil {
		return e, err
	}
	r.suites[w.id], err = g.tx.Facts.suitesOf(r.runs[w.id])
	if err != nil {
		return e, err
	}
	return r.evidence(&w)
}

// evidenceReader is what judges in a stage, by way.
type evidenceReader struct {
	fs     Facts
	runs   map[int64][]promotion.Signal
	suites map[int64][]promotion.Suite
	heads  map[headKey]promotion.SHA
}

// headKey is what the head of a way depends on: targets that came with one merge mostly have the same.
type headKey struct {
	on                 promotion.Branch
	commit             promotion.SHA
	chain, first, last int64
}

func (fs Facts) readEvidence(key StageKey) (*evidenceReader, error) {
	r := &evidenceReader{fs, map[int64][]promotion.Signal{}, map[int64][]promotion.Suite{},
		map[headKey]promotion.SHA{}}
	type run struct {
		way int64
		promotion.Signal
	}
	runs, err := list(fs.tx, func(r *run) []any { return append([]any{&r.way}, signalDest(&r.Signal)...) },
		`SELECT w.id, `+signalColumns+` FROM ways w JOIN evidence e ON e.way = w.id
			JOIN signals s ON s.repo = e.repo AND s.kind = e.kind AND s.id = e.id
		WHERE w.pipeline = $1 AND w.stage = $2 ORDER BY w.id, s.id, s.kind`, key.Pipeline, key.Stage)
	if err != nil || len(runs) == 0 {
		return r, err
	}
	for _, one := range runs {
		r.runs[one.way] = append(r.runs[one.way], one.Signal)
	}
	type suite struct {
		way int64
		promotion.Suite
	}
	suites, err := list(fs.tx, func(s *suite) []any { return append([]any{&s.way}, suiteDest(&s.Suite)...) },
		`SELECT DISTINCT w.id, `+suiteColumns+` FROM ways w JOIN evidence e ON e.way = w.id
			JOIN signals s ON s.repo = e.repo AND s.kind = e.kind AND s.id = e.id
			JOIN suites u ON u.repo = s.repo AND u.id = s.suite
		WHERE w.pipeline = $1 AND w.stage = $2 AND e.kind = 'check' ORDER BY 1, 3`, key.Pipeline, key.Stage)
	for _, one := range suites {
		r.suites[one.way] = append(r.suites[one.way], one.Suite)
	}
	return r, err
}

// evidence returns what judges on a way.
func (r *evidenceReader) evidence(w *way) (e promotion.Evidence, err error) {
	e = promotion.Evidence{Arrival: w.Arrival, Runs: r.runs[w.id], Suites: r.suites[w.id]}
	if len(e.Runs) == 0 {
		return e, nil
	}
	key, known := headKey{w.on, w.Commit, w.chain, w.first, w.last}, false
	if e.Head, known = r.heads[key]; !known {
		e.Head, err = r.fs.headOf(w)
		r.heads[key] = e.Head
	}
	return e, err
}
