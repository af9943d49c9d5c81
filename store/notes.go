package store

import (
	"cmp"
	"fmt"

	"waybill/promotion"
)

// Cargoes returns the freight between that of its warehouse which a stage had before a promotion, and another. It takes
// the promotion for none that the stage has had; 0 is one that is not there yet. siblings are the warehouses of the
// same branch, whose freight is in the same commits.
func (fr Freight) Cargoes(
	key StageKey, n promotion.Number, to promotion.Freight, siblings []promotion.WarehouseName,
) (c promotion.Cargoes, err error) {
	c.To = to
	var from promotion.Freight
	found, err := fr.tx.one(freightDest(&from), `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND id = (
		SELECT freight FROM deployments WHERE pipeline = $1 AND stage = $2 AND warehouse = $3 AND left_at IS NULL
			AND promotion <> $4
		UNION ALL SELECT freight FROM (SELECT freight FROM deployments
			WHERE pipeline = $1 AND stage = $2 AND warehouse = $3 AND left_at IS NOT NULL AND EXISTS (
				SELECT 1 FROM deployments WHERE pipeline = $1 AND promotion = $4 AND left_at IS NULL)
			ORDER BY entered_at DESC, promotion DESC LIMIT 1) AS past)`,
		key.Pipeline, key.Stage, to.Warehouse, n)
	if err != nil {
		return c, fmt.Errorf("find what %s has of %s: %w", key.Stage, to.Warehouse, err)
	}
	if !found {
		c.Newer, c.Count = []promotion.Freight{to}, 1
		return c, nil
	}
	c.From = &from
	older, newer := from, to
	if to.Before(from) {
		older, newer = to, from
	}
	const between = ` FROM freight WHERE pipeline = $1 AND warehouse = $2 AND (merged_at, number) > ($3, $4)
		AND (merged_at, number) <= ($5, $6)`
	args := []any{
		key.Pipeline, to.Warehouse, older.Merged.UnixMicro(), older.Number, newer.Merged.UnixMicro(), newer.Number,
	}
	c.Newer, err = list(fr.tx, freightDest, `SELECT `+freightColumns+between+`
		ORDER BY merged_at DESC, number DESC LIMIT $7 + 0`, append(args, promotion.MostCargo)...)
	if c.Count = len(c.Newer); err == nil && c.Count == promotion.MostCargo {
		_, err = fr.tx.one([]any{&c.Count}, `SELECT COUNT(*)`+between, args...)
	}
	for _, sibling := range siblings {
		var some []promotion.Freight
		if err == nil {
			some, err = list(fr.tx, freightDest, `SELECT `+freightColumns+between+` AND NOT EXISTS (SELECT 1 FROM freight own
				WHERE own.pipeline = $1 AND own.warehouse = $8 AND own.merged_at = freight.merged_at
					AND own.number = freight.number)
				ORDER BY merged_at DESC, number DESC LIMIT $7 + 0`, key.Pipeline, sibling, args[2], args[3], args[4], args[5],
				promotion.MostCargo, to.Warehouse)
		}
		c.Beside = append(c.Beside, some...)
	}
	c.Beside = promotion.Newest(c.Beside)
	return c, wrap(fmt.Sprintf("list what comes with %s", cmp.Or(to.Name, string(to.ID))), err)
}
