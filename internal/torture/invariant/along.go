package invariant

import (
	"slices"

	"waybill/internal/torture/ledger"
)

// between selects the freight of a warehouse that is older than one, was known when that was queued, and is newer than
// all older freight that the stage had. The program may count more: what the stage had last, or what a target of a
// batch had, may be older still.
const between = `SELECT g.name FROM freight g, freight f, promotions p
	WHERE p.number = ?1 AND f.id = p.freight AND g.warehouse = p.warehouse AND g.recorded_at <= p.queued_at
		AND (g.merged_at, g.number) < (f.merged_at, f.number)
		AND NOT EXISTS (SELECT 1 FROM deployments d JOIN freight o ON o.id = d.freight
			WHERE d.stage = p.stage AND d.warehouse = p.warehouse AND (o.merged_at, o.number) >= (g.merged_at, g.number)
				AND (o.merged_at, o.number) < (f.merged_at, f.number))`

// hadNewer selects the freight that a stage had of the warehouse of a promotion and that is not older than its own.
const hadNewer = `SELECT o.name FROM promotions p JOIN freight f ON f.id = p.freight
	JOIN deployments d ON d.stage = p.stage AND d.warehouse = p.warehouse AND d.promotion <> p.number
	JOIN freight o ON o.id = d.freight
	WHERE p.number = ?1 AND (o.merged_at, o.number) >= (f.merged_at, f.number)`

// comesAlong returns the acts whose freight certainly comes to the stage with a promotion, besides its own. With what
// was here before, or is older than what was here, none is certain.
func comesAlong(l *ledger.Ledger, p ledger.Promo) (all []ledger.Source) {
	if p.Class == "rollback" || p.Repairs || l.DB.Text(hadNewer, p.Number) != "" {
		return nil
	}
	names := l.DB.Texts(between, p.Number)
	for _, s := range l.Sources.Sources {
		if slices.Contains(s.Warehouses, p.Warehouse) && slices.Contains(names, s.Name(p.Warehouse)) {
			all = append(all, s)
		}
	}
	return all
}
