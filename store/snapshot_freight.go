package store

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/store/driver"
)

// freightBuilder finds the freight of a snapshot: in each warehouse of the stage the freight that is newer than
// everything promoted here, and all that a promotion, a deployment, an approval or a request names.
type freightBuilder struct {
	key   StageKey
	stage *promotion.Stage
	from  []unpromoted          // one for each source of the stage
	meant []promotion.FreightID // by requests
	more  []promotion.Freight   // that is named, and not newer: that of promotions comes with these
}

// unpromoted is the freight of a warehouse that is newer than all that has had a promotion into the stage.
type unpromoted struct {
	mark     promotion.Mark // of the newest that has had one
	promoted bool           // there is such freight
	newer    []promotion.Freight
}

func newFreightBuilder(key StageKey, stage *promotion.Stage, about []promotion.FreightID) *freightBuilder {
	b := &freightBuilder{key: key, stage: stage, from: make([]unpromoted, len(stage.From)), meant: slices.Clone(about)}
	for i := range b.from {
		b.from[i].mark.Warehouse = stage.From[i].Warehouse
	}
	return b
}

// newer reads how far each warehouse has come here, and the freight from there on.
func (b *freightBuilder) newer() (queries []driver.Query) {
	for i := range b.from {
		queries = append(queries, b.from[i].read(b.key))
	}
	return queries
}

// read reads the mark of a warehouse with the freight that is newer. That of the mark is read too, so that there is
// a row to say where that is.
func (u *unpromoted) read(key StageKey) driver.Query {
	type row struct {
		merged time.Time // of the mark; zero: there is none
		number int
		promotion.Freight
	}
	var all []row
	return then(rowsInto(&all, func(r *row) []any {
		return append([]any{at(&r.merged), &r.number}, freightDest(&r.Freight)...)
	}, freightFromMark, key.Pipeline, u.mark.Warehouse, key.Stage, maxFreight+1), func() {
		for _, r := range slices.Backward(all) { // the oldest first
			if u.promoted = !r.merged.IsZero(); u.promoted {
				u.mark.Merged, u.mark.Number = r.merged, r.number
			}
			if !u.promoted || u.mark.Before(&r.Freight) {
				u.newer = append(u.newer, r.Freight)
			}
		}
		u.newer = u.newer[max(0, len(u.newer)-maxFreight):]
	})
}

// freightFromMark reads the newest freight of a warehouse that is not before the mark of a stage, each with the mark.
var freightFromMark = func() string {
	mark := func(column string) string {
		return `(SELECT ` + column + ` FROM promotions WHERE pipeline = $1 AND stage = $3 AND warehouse = $2 AND NOT early
			ORDER BY freight_merged_at DESC, freight_number DESC LIMIT 1)`
	}
	merged, number := mark(`freight_merged_at`), mark(`freight_number`)
	never := fmt.Sprint(math.MinInt64 / 2)
	return `SELECT ` + merged + `, COALESCE(` + number + `, 0), ` + freightColumns + ` FROM freight
		WHERE pipeline = $1 AND warehouse = $2
			AND (merged_at, number) >= (COALESCE(` + merged + `, ` + never + `), COALESCE(` + number + `, 0))
		ORDER BY merged_at DESC, number DESC LIMIT $4 + 0`
}()

// asked reads the ids of the freight that requests mean.
func (b *freightBuilder) asked(requests []promotion.Request) (queries []driver.Query) {
	for _, r := range requests {
		queries = append(queries, freightMeant(b.key.Pipeline, r, &b.meant)...)
	}
	return queries
}

// named reads the freight that the snapshot or a request names and that is not newer than the marks, unless it has come
// with a promotion.
func (b *freightBuilder) named(s *promotion.Snapshot) []driver.Query {
	seen := map[promotion.FreightID]bool{}
	first := func(id promotion.FreightID) bool {
		had := seen[id]
		seen[id] = true
		return !had
	}
	for i := range b.from {
		for k := range b.from[i].newer {
			seen[b.from[i].newer[k].ID] = true
		}
	}
	b.more = slices.DeleteFunc(b.more, func(f promotion.Freight) bool { return !first(f.ID) })
	missing := slices.DeleteFunc(append(names(s), b.meant...), func(id promotion.FreightID) bool { return !first(id) })
	return inLists(&b.more, freightDest, missing, `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND id`,
		b.key.Pipeline)
}

// along reads the freight that may come to the stage along with other, where a rule leaves out who has made it, and
// somebody may ask that: one piece more than GitHub is asked about tells that there is more.
func (b *freightBuilder) along(s *promotion.Snapshot) (queries []driver.Query) {
	if !s.Pipeline.LeavesOutMakers(s.Stage) || s.Active() == nil && len(b.meant) == 0 && len(s.Requests) == 0 {
		return nil
	}
	known := map[promotion.FreightID]bool{}
	for i := range s.Freight {
		known[s.Freight[i].ID] = true
	}
	for _, f := range b.mayBring() {
		since, brings := s.BringsSince(&f)
		if !brings {
			continue
		}
		from := promotion.Mark{Merged: time.UnixMicro(math.MinInt64 / 2)}
		if since != nil {
			from = since.Mark()
		}
		var some []promotion.Freight
		queries = append(queries, then(rowsInto(&some, freightDest, `SELECT `+freightColumns+` FROM freight
			WHERE pipeline = $1 AND warehouse = $2 AND (merged_at, number) > ($3, $4) AND (merged_at, number) < ($5, $6)
			ORDER BY merged_at DESC, number DESC LIMIT $7 + 0`, b.key.Pipeline, f.Warehouse, from.Merged.UnixMicro(),
			from.Number, f.Merged.UnixMicro(), f.Number, promotion.MostAlong+1), func() {
			for i := range some {
				if !known[some[i].ID] {
					known[some[i].ID] = true
					b.more = append(b.more, some[i])
				}
			}
		}))
	}
	return queries
}

// mayBring returns the freight that may bring other which is not known yet: all that is not newer than the marks, and
// the oldest that is. What is newer than that brings the same, and what is known.
func (b *freightBuilder) mayBring() []promotion.Freight {
	all := slices.Clone(b.more)
	for i := range b.from {
		if newer := b.from[i].newer; len(newer) > 0 {
			all = append(all, newer[0])
		}
	}
	return all
}

// names lists the freight that deployments and approvals name.
func names(s *promotion.Snapshot) (ids []promotion.FreightID) {
	for i := range s.Deployments {
		ids = append(ids, s.Deployments[i].Freight)
	}
	for i := range s.Approvals {
		ids = append(ids, s.Approvals[i].Freight)
	}
	return ids
}

// newest returns the marks of the warehouses that have one.
func (b *freightBuilder) newest() (marks []promotion.Mark) {
	for i := range b.from {
		if b.from[i].promoted {
			marks = append(marks, b.from[i].mark)
		}
	}
	return marks
}

// all returns the freight that was found. The warehouses come in the order of the stage's sources, and then those that
// it no longer takes from.
func (b *freightBuilder) all() []promotion.Freight {
	all := slices.Clone(b.more)
	for i := range b.from {
		all = append(all, b.from[i].newer...)
	}
	slices.SortStableFunc(all, b.compare)
	return all
}

// compare orders freight by warehouse, and by its place in it.
func (b *freightBuilder) compare(x, y promotion.Freight) int {
	if x.Warehouse != y.Warehouse {
		if i, j := b.place(x.Warehouse), b.place(y.Warehouse); i != j {
			return i - j
		}
		return strings.Compare(string(x.Warehouse), string(y.Warehouse))
	}
	switch {
	case x.Before(y):
		return -1
	case y.Before(x):
		return 1
	}
	return strings.Compare(string(x.ID), string(y.ID))
}

// place is the place of a warehouse among the stage's sources; behind all of them if it is none.
func (b *freightBuilder) place(w promotion.WarehouseName) int {
	i := slices.IndexFunc(b.stage.From, func(s promotion.Source) bool { return s.Warehouse == w })
	if i < 0 {
		return len(b.stage.From)
	}
	return i
}

// oldest returns the oldest of the freight of a warehouse that is newer than its mark; nil if there is none.
func (b *freightBuilder) oldest(w promotion.WarehouseName) *promotion.Freight {
	for i := range b.from {
		if u := &b.from[i]; u.mark.Warehouse == w && len(u.newer) > 0 {
			return &u.newer[0]
		}
	}
	return nil
}

// shortestPrefix is how many letters of a commit's name stand for it.
const shortestPrefix = 7

// FreightMeant returns the freight that a request may mean by the name in it, or without one by the pull request that
// it stands on.
func (rq Requests) FreightMeant(pipeline int64, r promotion.Request) (ids []promotion.FreightID, err error) {
	err = rq.tx.batch(freightMeant(pipeline, r, &ids))
	return ids, err
}

// freightMeant reads the freight that a request may mean. Of one that names none there is nothing to read.
func freightMeant(pipeline int64, r promotion.Request, into *[]promotion.FreightID) []driver.Query {
	name, number, prefix := r.Command.Freight, -1, ""
	if name != "" {
		r.Pull, r.Carries = 0, "" // the name counts
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil && strings.HasPrefix(name, "#") {
		number = n
	}
	if len(name) >= shortestPrefix && !strings.Contains(name, "#") {
		prefix = name
	}
	if name == "" && r.Pull == 0 {
		return nil
	}
	return []driver.Query{rowsInto(into, single[promotion.FreightID],
		`SELECT id FROM freight WHERE pipeline = $1 AND name = $2
		UNION SELECT id FROM freight WHERE pipeline = $1 AND pull = $3 AND pull <> 0
		UNION SELECT id FROM freight WHERE pipeline = $1 AND $4 <> '' AND substr(sha, 1, $5) = $4
		UNION SELECT id FROM freight WHERE pipeline = $1 AND pull = $6 AND pull <> 0 AND repo = $7
		UNION SELECT id FROM freight WHERE pipeline = $1 AND $8 <> '' AND id = $8
		ORDER BY id LIMIT 20`, pipeline, name, number, prefix, len(prefix), r.Pull, r.PullRepo, r.Carries)}
}
