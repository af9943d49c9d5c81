package store

import (
	"slices"
	"strconv"
	"strings"

	"waybill/promotion"
)

// freight reads, for each warehouse of the stage, what is newer than everything promoted here, and what a promotion, a
// stay, an approval or a request names. The warehouses come in the order of the stage's sources, and then those that it
// no longer takes from.
func (g *gathering) freight() error {
	g.since = map[promotion.WarehouseName]*promotion.Freight{}
	var all []promotion.Freight
	for _, source := range g.Stage.From {
		newer, err := g.unpromoted(source.Warehouse)
		if err != nil {
			return err
		}
		if len(newer) > 0 {
			g.since[source.Warehouse] = &newer[0]
		}
		all = append(all, newer...)
	}
	named, err := g.named(all)
	if err != nil {
		return err
	}
	g.Freight = append(named, all...)
	slices.SortStableFunc(g.Freight, g.compare)
	return nil
}

// compare orders freight by warehouse, and by its place in it.
func (g *gathering) compare(a, b promotion.Freight) int {
	if a.Warehouse != b.Warehouse {
		if i, j := g.place(a.Warehouse), g.place(b.Warehouse); i != j {
			return i - j
		}
		return strings.Compare(string(a.Warehouse), string(b.Warehouse))
	}
	switch {
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}
	return strings.Compare(string(a.ID), string(b.ID))
}

// place is the place of a warehouse among the stage's sources; behind all of them if it is none.
func (g *gathering) place(w promotion.WarehouseName) int {
	i := slices.IndexFunc(g.Stage.From, func(s promotion.Source) bool { return s.Warehouse == w })
	if i < 0 {
		return len(g.Stage.From)
	}
	return i
}

// unpromoted returns the freight of a warehouse that is newer than all that has had a promotion here, oldest first, and
// notes where it begins.
func (g *gathering) unpromoted(w promotion.WarehouseName) ([]promotion.Freight, error) {
	m := promotion.Mark{Warehouse: w}
	found, err := g.tx.one([]any{at(&m.Merged), &m.Number}, `SELECT freight_merged_at, freight_number FROM promotions
		WHERE pipeline = $1 AND stage = $2 AND warehouse = $3 ORDER BY freight_merged_at DESC, freight_number DESC LIMIT 1`,
		g.key.Pipeline, g.key.Stage, w)
	if err != nil {
		return nil, err
	}
	if found {
		g.Newest = append(g.Newest, m)
	}
	newer, err := list(g.tx, freightDest, `SELECT `+freightColumns+` FROM freight
		WHERE pipeline = $1 AND warehouse = $2 AND (merged_at, number) > ($3, $4)
		ORDER BY merged_at DESC, number DESC LIMIT $5 + 0`,
		g.key.Pipeline, w, m.Merged.UnixMicro(), m.Number, maxFreight)
	slices.Reverse(newer)
	return newer, err
}

// named returns the freight that something in the snapshot names and that is not there yet.
func (g *gathering) named(have []promotion.Freight) ([]promotion.Freight, error) {
	seen := map[promotion.FreightID]bool{}
	for _, f := range have {
		seen[f.ID] = true
	}
	missing := slices.DeleteFunc(g.names(), func(id promotion.FreightID) bool {
		had := seen[id]
		seen[id] = true
		return had
	})
	return inBatches(g.tx, freightDest, missing, `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND id`, g.key.Pipeline)
}

// names lists the freight that the snapshot names so far.
func (g *gathering) names() []promotion.FreightID {
	ids := slices.Clone(g.meant)
	for i := range g.Promotions {
		ids = append(ids, g.Promotions[i].Freight)
	}
	for i := range g.Stays {
		ids = append(ids, g.Stays[i].Freight)
	}
	for i := range g.Approvals {
		ids = append(ids, g.Approvals[i].Freight)
	}
	return ids
}

// shortestPrefix is how many letters of a commit's name stand for it.
const shortestPrefix = 7

// FreightMeant returns the freight that a request may mean by the name in it, or by the pull request that it stands on.
func (lg Ledger) FreightMeant(pipeline int64, r promotion.Request) ([]promotion.FreightID, error) {
	name, number, prefix := r.Command.Freight, -1, ""
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil && strings.HasPrefix(name, "#") {
		number = n
	}
	if len(name) >= shortestPrefix && !strings.Contains(name, "#") {
		prefix = name
	}
	if name == "" && r.Pull == 0 {
		return nil, nil
	}
	return list(lg.tx, single[promotion.FreightID], `SELECT id FROM freight WHERE pipeline = $1 AND name = $2
		UNION SELECT id FROM freight WHERE pipeline = $1 AND pull = $3 AND pull <> 0
		UNION SELECT id FROM freight WHERE pipeline = $1 AND $4 <> '' AND substr(sha, 1, $5) = $4
		UNION SELECT id FROM freight WHERE pipeline = $1 AND pull = $6 AND pull <> 0 AND repo = $7
		LIMIT 20`, pipeline, name, number, prefix, len(prefix), r.Pull, r.PullRepo)
}
