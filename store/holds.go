package store

import (
	"fmt"

	"waybill/promotion"
	"waybill/store/driver"
)

const holdColumns = `id, stage, target, warehouse, actor_id, actor, reason, text, promotion, held_at, until_at, ` +
	`lifted_at, lifted_by_id, lifted_by`

func holdDest(h *promotion.Hold) []any {
	return []any{
		&h.ID, &h.Stage, &h.Target, &h.Warehouse, &h.By.ID, &h.By.Login, because(&h.Reason), &h.Text, &h.Promotion, at(&h.At),
		at(&h.Until), at(&h.Lifted), &h.LiftedBy.ID, &h.LiftedBy.Login,
	}
}

// Holds returns the holds of a pipeline and its stages that have not been lifted, in the order they were given.
func (lg Ledger) Holds(pipeline int64) (all []promotion.Hold, err error) {
	if err := lg.tx.read(holdsOf(pipeline, &all)); err != nil {
		return nil, fmt.Errorf("list holds: %w", err)
	}
	return all, nil
}

// holdsOf reads the holds of a pipeline that have not been lifted.
func holdsOf(pipeline int64, into *[]promotion.Hold) driver.Query {
	return rowsInto(into, holdDest,
		`SELECT `+holdColumns+` FROM holds WHERE pipeline = $1 AND lifted_at IS NULL ORDER BY id`,
		pipeline)
}

// saveHold writes a hold that is new or has been lifted. A lifted hold stays so.
func (lg Ledger) saveHold(pipeline int64, h promotion.Hold) error {
	_, err := lg.tx.exec(`INSERT INTO holds (pipeline, id, stage, actor_id, actor, reason, text, promotion, held_at,
		until_at, lifted_at, lifted_by_id, lifted_by, target, warehouse)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		ON CONFLICT (pipeline, id) DO UPDATE SET lifted_at = $11, lifted_by_id = $12, lifted_by = $13
		WHERE holds.lifted_at IS NULL`,
		pipeline, h.ID, h.Stage, h.By.ID, h.By.Login, because(&h.Reason), h.Text, h.Promotion, micros(h.At), micros(h.Until),
		micros(h.Lifted), h.LiftedBy.ID, h.LiftedBy.Login, h.Target, h.Warehouse)
	if err != nil {
		return fmt.Errorf("save hold %d: %w", h.ID, conflict(err))
	}
	return nil
}
