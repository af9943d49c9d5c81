package ledger

import "slices"

// waived reports whether a promotion is a rollback by one step, which needs no sign-offs: what it leaves had come
// forward, and it goes to the freight that was verified last before. No policy of a history demands sign-offs of
// rollbacks.
func waived(db *Database, p Promo) bool {
	if p.Class != "rollback" {
		return false
	}
	stays := db.Texts(`SELECT d.freight FROM deployments d LEFT JOIN deployments own ON own.promotion = ?
		WHERE d.stage = ? AND d.warehouse = ? AND d.promotion <> ? AND (own.promotion IS NULL
			OR (d.entered_at, d.promotion) < (own.entered_at, own.promotion))
		ORDER BY d.entered_at DESC, d.promotion DESC`, p.Number, p.Stage, p.Warehouse, p.Number)
	if len(stays) == 0 {
		return false
	}
	leaves := stays[0]
	stays = slices.DeleteFunc(stays, func(f string) bool { return f == leaves })
	good := func(f string) bool {
		return db.Text(`SELECT verdict FROM deployments WHERE stage = ? AND freight = ? AND verdict IN ('passed', 'failed')
			ORDER BY entered_at DESC, promotion DESC LIMIT 1`, p.Stage, f) == "passed"
	}
	older := func(one, other string) bool {
		return db.Count(`SELECT COUNT(*) FROM freight a JOIN freight b ON b.id = ? WHERE a.id = ?
			AND (a.merged_at, a.number) < (b.merged_at, b.number)`, other, one) > 0
	}
	last := slices.IndexFunc(stays, good)
	return last >= 0 && older(stays[0], leaves) && stays[last] == p.Freight && older(p.Freight, leaves)
}
