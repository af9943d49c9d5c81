package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
	"waybill/store/driver"
)

const rejectColumns = `id, stage, freight, freight_name, warehouse, merged_at, number, actor_id, actor, text, given_at,
	lifted_at, lifted_by_id, lifted_by, fixed_by, fixed_merged_at, fixed_number`

func rejectDest(r *promotion.Reject) []any {
	return []any{
		&r.ID, &r.Stage, &r.Freight.ID, &r.Freight.Name, &r.Freight.Warehouse, at(&r.From.Merged), &r.From.Number, &r.By.ID,
		&r.By.Login, &r.Text, at(&r.At), at(&r.Lifted), &r.LiftedBy.ID, &r.LiftedBy.Login, &r.FixedBy, at(&r.Fixed.Merged),
		&r.Fixed.Number,
	}
}

// Rejects returns the newest rejects of a pipeline that stand, in the order they were given.
func (lg Ledger) Rejects(pipeline int64) (all []promotion.Reject, err error) {
	if err := lg.tx.read(rejectsOf(pipeline, &all)); err != nil {
		return nil, fmt.Errorf("list rejects: %w", err)
	}
	return all, nil
}

// rejectsOf reads the newest rejects of a pipeline that have not been lifted.
func rejectsOf(pipeline int64, into *[]promotion.Reject) driver.Query {
	return then(rowsInto(into, rejectDest, `SELECT `+rejectColumns+` FROM rejects
		WHERE pipeline = $1 AND lifted_at IS NULL ORDER BY id DESC LIMIT $2 + 0`, pipeline, maxRejects), func() {
		slices.Reverse(*into)
		for i := range *into {
			r := &(*into)[i]
			if r.From.Warehouse = r.Freight.Warehouse; r.FixedBy != "" {
				r.Fixed.Warehouse = r.Freight.Warehouse
			}
		}
	})
}

// saveReject writes a reject that is new, lifted or repaired. A lifted one stays so.
func (lg Ledger) saveReject(pipeline int64, r promotion.Reject) error {
	_, err := lg.tx.exec(`INSERT INTO rejects (pipeline, `+rejectColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		ON CONFLICT (pipeline, id) DO UPDATE SET lifted_at = $13, lifted_by_id = $14, lifted_by = $15, fixed_by = $16,
			fixed_merged_at = $17, fixed_number = $18
		WHERE rejects.lifted_at IS NULL`,
		pipeline, r.ID, r.Stage, r.Freight.ID, r.Freight.Name, r.From.Warehouse, micros(r.From.Merged), r.From.Number,
		r.By.ID, r.By.Login, r.Text, micros(r.At), micros(r.Lifted), r.LiftedBy.ID, r.LiftedBy.Login, r.FixedBy,
		micros(r.Fixed.Merged), r.Fixed.Number)
	if err != nil {
		return fmt.Errorf("save reject %d: %w", r.ID, conflict(err))
	}
	return nil
}
