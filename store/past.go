package store

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"waybill/promotion"
	"waybill/store/driver"
)

// past is what a snapshot has of the past of its stage: rows that only decisions and their effects change, and that
// mostly are those of the snapshot before. It is kept in memory, and never changed: a new one takes its place.
//
// It is true of one version of its stage. Whoever writes such a row raises the version, and says what has become of the
// past when the transaction is durable. If another process has raised it, or the order of two transactions is not
// known, the version is another one and nothing that is kept is used.
type past struct {
	version     int64
	compared    bool                      // with what is stored, which tests do once
	from        []promotion.WarehouseName // the sources of the stage that the marks are of
	marks       []promotion.Mark          // as Snapshot.Newest
	promotions  []promotion.Promotion
	deployments []promotion.Deployment
	attempts    map[promotion.Number]promotion.Attempt    // those that are missing have to be read
	freight     map[promotion.FreightID]promotion.Freight // that promotions and deployments name, the same
}

// How much is kept.
const (
	maxKept    = 64   // stages
	maxResults = 1000 // targets of the deployments of a stage
)

// pastIn are the tables that have the past of stages.
var pastIn = tablesOf("promotions", "attempts", "deployments", "freight")

// pasts are the pasts of the stages that were decided last.
type pasts struct {
	mu  sync.Mutex
	all map[StageKey]*past
}

// of returns what is kept of a version of a stage; nil if nothing is.
func (ps *pasts) of(key StageKey, version int64) *past {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.all[key]; p != nil && p.version == version {
		return p
	}
	return nil
}

// keep keeps the past of a stage, unless that of a later version is kept.
func (ps *pasts) keep(key StageKey, p *past) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	was := ps.all[key]
	switch {
	case was != nil && was.version > p.version:
		return
	case was == nil && len(ps.all) >= maxKept:
		for other := range ps.all { // any one
			delete(ps.all, other)
			break
		}
	case ps.all == nil:
		ps.all = map[StageKey]*past{}
	}
	ps.all[key] = p
}

// turn is what a transaction has made of the past of a stage.
type turn struct {
	key    StageKey
	before int64 // the version of the stage
	after  int64
	change func(p *past) bool // changes a copy, and reports whether that is as it is stored now; nil: nothing has changed
}

// compare reports whether a past has not been compared yet.
func (ps *pasts) compare(p *past) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	was := p.compared
	p.compared = true
	return !was
}

// written notes what a transaction has made of pasts, and which tables it has written otherwise.
func (ps *pasts) written(turns []turn, otherwise tables) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if otherwise&pastIn != 0 {
		clear(ps.all)
		return
	}
	for _, t := range turns {
		was := ps.all[t.key]
		if was == nil {
			continue
		}
		if was.version != t.before {
			delete(ps.all, t.key)
			continue
		}
		p := *was
		p.version, p.compared = t.after, false
		if ps.all[t.key] = &p; t.change != nil && !t.change(&p) {
			delete(ps.all, t.key)
		}
	}
}

// knowing runs writes of which the transaction notes what they make of the past of stages, if they change it at all.
func (tx *Tx) knowing(write func() error) error { return tx.unnoted(pastIn, write) }

// execKnowing runs such a statement.
func (tx *Tx) execKnowing(query string, args ...any) (n int64, err error) {
	err = tx.knowing(func() error {
		n, err = tx.exec(query, args...)
		return err
	})
	return n, err
}

// kept returns the past of the stage that may be taken for the snapshot.
func (b *builder) kept() *past {
	if b.fresh {
		return nil
	}
	p := b.tx.store.pasts.of(b.Key, b.version)
	if p == nil || !slices.Equal(p.from, warehousesOf(b.Stage)) {
		return nil
	}
	return p
}

func warehousesOf(s *promotion.Stage) []promotion.WarehouseName {
	from := make([]promotion.WarehouseName, len(s.From))
	for i := range s.From {
		from[i] = s.From[i].Warehouse
	}
	return from
}

// take has a snapshot begin with what is kept.
func (b *builder) take(p *past, freight *freightBuilder) {
	b.Promotions, b.Deployments = slices.Clone(p.promotions), slices.Clone(p.deployments)
	freight.known = p.freight
	for i := range freight.from {
		u := &freight.from[i]
		k := slices.IndexFunc(p.marks, func(m promotion.Mark) bool { return m.Warehouse == u.mark.Warehouse })
		if u.promoted = k >= 0; u.promoted {
			u.mark = p.marks[k]
		}
	}
}

// pastRows reads the past of the stage but for its attempts and freight, unless it is kept.
func (b *builder) pastRows(freight *freightBuilder) []driver.Query {
	if b.past != nil {
		return nil
	}
	return append(freight.marks(), b.promotions(), b.deployments())
}

// attempts reads those of the promotions that have not ended, and of the latest that have: people want to see their
// pull requests. Of those that are kept only the others are read.
func (b *builder) attempts() []driver.Query {
	if b.past == nil {
		return []driver.Query{attemptsInto(&b.Attempts, `a.pipeline = $1 AND a.promotion IN (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL
		UNION ALL SELECT number FROM (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NOT NULL ORDER BY place DESC LIMIT $3 + 0) AS latest)
		ORDER BY a.promotion`, b.Key.Pipeline, b.Key.Stage, maxEnded)}
	}
	var missing []promotion.Number
	for _, n := range attempted(b.Promotions) {
		if a, is := b.past.attempts[n]; is {
			b.Attempts = append(b.Attempts, a)
		} else {
			missing = append(missing, n)
		}
	}
	b.reread = len(missing) > 0
	var more []promotion.Attempt
	queries := inLists(&more, attemptDest, missing, `SELECT `+attemptColumns+` FROM attempts a
		WHERE a.pipeline = $1 AND a.promotion`, b.Key.Pipeline)
	if last := len(queries) - 1; last >= 0 {
		queries[last] = then(queries[last], func() {
			for i := range more {
				withoutPlan(&more[i])
			}
			b.Attempts = append(b.Attempts, more...)
			slices.SortFunc(b.Attempts, func(x, y promotion.Attempt) int { return cmp.Compare(x.Promotion, y.Promotion) })
		})
	}
	return queries
}

// attempted returns those of the promotions of a snapshot, in their order, of which it has the attempts.
func attempted(promotions []promotion.Promotion) (all []promotion.Number) {
	ended := 0
	for i := range slices.Backward(promotions) {
		if promotions[i].State.Ended() {
			if ended++; ended > maxEnded {
				continue
			}
		}
		all = append(all, promotions[i].Number)
	}
	slices.Sort(all)
	return all
}

// pastOf returns the past that has been read, but for its freight; nil if there is nothing new to keep.
func (b *builder) pastOf(freight *freightBuilder) *past {
	if b.past != nil && !b.reread {
		return nil
	}
	next := &past{
		version: b.version, from: warehousesOf(b.Stage), marks: freight.newest(), promotions: slices.Clone(b.Promotions),
		deployments: slices.Clone(b.Deployments), attempts: map[promotion.Number]promotion.Attempt{},
	}
	for _, a := range b.Attempts {
		next.attempts[a.Promotion] = a
	}
	return next
}

// keep keeps a past together with its freight, which the snapshot has.
func (b *builder) keep(next *past) {
	if next == nil || !b.tx.keeps {
		return
	}
	results := 0
	for i := range next.deployments {
		results += len(next.deployments[i].Results)
	}
	if results > maxResults {
		return
	}
	next.freight = map[promotion.FreightID]promotion.Freight{}
	next.know(b.Freight)
	b.tx.store.pasts.keep(b.Key, next)
}

// know adds the freight that the past names and that is not known.
func (p *past) know(freight []promotion.Freight) {
	named := map[promotion.FreightID]bool{}
	for _, id := range namesIn(p.promotions, p.deployments) {
		named[id] = true
	}
	maps.DeleteFunc(p.freight, func(id promotion.FreightID, _ promotion.Freight) bool { return !named[id] })
	for i := range freight {
		if named[freight[i].ID] {
			p.freight[freight[i].ID] = freight[i]
		}
	}
}

// decide makes the past as a decision leaves it. It reports whether that is known.
func (p *past) decide(s *promotion.Snapshot, d promotion.Decision) bool {
	p.promotions, p.marks = slices.Clone(p.promotions), slices.Clone(p.marks)
	p.attempts, p.freight = maps.Clone(p.attempts), maps.Clone(p.freight)
	for _, one := range d.Promotions {
		if one.Version == 0 && !p.mark(s, one.Freight) {
			return false
		}
		if one.Rolls() {
			delete(p.attempts, one.Number)
		}
		one.Version++
		asStored(&one.Queued, &one.Started, &one.Merged, &one.Ended)
		i := slices.IndexFunc(p.promotions, func(was promotion.Promotion) bool { return was.Number == one.Number })
		if i < 0 {
			p.promotions = append(p.promotions, one)
		} else {
			p.promotions[i] = one
		}
	}
	slices.SortFunc(p.promotions, func(x, y promotion.Promotion) int { return cmp.Compare(x.Place, y.Place) })
	p.deployments = slices.Clone(p.deployments)
	for _, one := range d.Deployments {
		i := slices.IndexFunc(p.deployments,
			func(was promotion.Deployment) bool { return was.Promotion == one.Promotion })
		asStored(&one.Entered, &one.Left, &one.Judged, &one.Since)
		var was promotion.Drift
		if i >= 0 {
			was = p.deployments[i].Drift
			p.deployments[i] = one
		} else {
			p.deployments = append(p.deployments, one)
		}
		if !reflect.DeepEqual(one.Drift, was) {
			return false // of a drift not all is stored
		}
	}
	slices.SortFunc(p.deployments, byBeginning)
	known := p.shorten()
	p.know(s.Freight)
	return known
}

// mark notes that a freight has a promotion.
func (p *past) mark(s *promotion.Snapshot, ref promotion.FreightRef) bool {
	f := freightIn(s, ref.ID)
	if f == nil {
		return false
	}
	if !slices.Contains(p.from, f.Warehouse) {
		return true
	}
	i := slices.IndexFunc(p.marks, func(m promotion.Mark) bool { return m.Warehouse == f.Warehouse })
	if i < 0 {
		p.marks = append(p.marks, promotion.Mark{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number})
	} else if p.marks[i].Before(f) {
		p.marks[i].Merged, p.marks[i].Number = f.Merged, f.Number
	}
	return true
}

// freightIn returns a freight of a snapshot; nil if it has no such freight.
func freightIn(s *promotion.Snapshot, id promotion.FreightID) *promotion.Freight {
	for i := range s.Freight {
		if s.Freight[i].ID == id {
			return &s.Freight[i]
		}
	}
	return nil
}

// shorten leaves out what a snapshot would not have. It reports whether all is there that it would have.
func (p *past) shorten() bool {
	causes := map[promotion.Number]bool{}
	for i := range p.promotions {
		if one := &p.promotions[i]; !one.State.Ended() && one.Cause != 0 {
			causes[one.Cause] = true
		}
	}
	latest := map[promotion.Number]bool{}
	for _, n := range attempted(p.promotions) {
		latest[n] = true
	}
	p.promotions = slices.DeleteFunc(p.promotions, func(one promotion.Promotion) bool {
		named := causes[one.Number]
		delete(causes, one.Number)
		return !named && !latest[one.Number]
	})
	maps.DeleteFunc(p.attempts, func(n promotion.Number, _ promotion.Attempt) bool { return !latest[n] })
	ended := 0
	for i := range p.deployments {
		if p.deployments[i].Ended() {
			ended++
		}
	}
	p.deployments = slices.DeleteFunc(p.deployments, func(one promotion.Deployment) bool {
		if !one.Ended() || ended <= maxPast {
			return false
		}
		ended--
		return true
	})
	return len(causes) == 0
}

// forgetAttempt has an attempt read again.
func forgetAttempt(n promotion.Number) func(*past) bool {
	return func(p *past) bool {
		p.attempts = maps.Clone(p.attempts)
		delete(p.attempts, n)
		return true
	}
}

// compare makes sure that a snapshot that begins with what is kept is as one that is read.
func (b *builder) compare() error {
	read := builder{
		Basis: &Basis{Key: b.Key, Snapshot: &promotion.Snapshot{}}, tx: b.tx, compile: b.compile, about: b.about, fresh: true,
	}
	if err := read.build(); err != nil {
		return err
	}
	kept, now := reflect.ValueOf(*b.Snapshot), reflect.ValueOf(*read.Snapshot)
	for i := range kept.NumField() {
		if a, b := kept.Field(i).Interface(), now.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			return fmt.Errorf("%s is kept as %+v and stored as %+v", kept.Type().Field(i).Name, a, b)
		}
	}
	return nil
}
