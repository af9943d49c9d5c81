package store

import (
	"fmt"

	"waybill/promotion"
)

// place moves the freight of releases and tags to its place in the order that the pipeline file says now, with whatever
// keeps that place: promotions and rejects.
func (fr Freight) place(pipeline int64, p *promotion.Pipeline) error {
	if p == nil {
		return nil
	}
	for _, w := range p.Warehouses {
		if w.Kind != promotion.FromReleases && w.Kind != promotion.FromTags {
			continue
		}
		all, err := list(fr.tx, freightDest, `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND warehouse = $2`,
			pipeline, w.Name)
		for _, f := range all {
			if to := w.Placed(f); err == nil && to.Mark() != f.Mark() {
				err = fr.move(pipeline, to)
			}
		}
		if err != nil {
			return fmt.Errorf("place freight of %s: %w", w.Name, err)
		}
	}
	return nil
}

// move moves one freight to its new place.
func (fr Freight) move(pipeline int64, to promotion.Freight) error {
	_, err := fr.tx.exec(`UPDATE freight SET merged_at = $3, number = $4, contents = $5 WHERE pipeline = $1 AND id = $2`,
		pipeline, to.ID, micros(to.Merged), to.Number, asJSON(&to.Contents))
	if err == nil {
		_, err = fr.tx.exec(`UPDATE promotions SET freight_merged_at = $4, freight_number = $5
			WHERE pipeline = $1 AND warehouse = $2 AND freight = $3`,
			pipeline, to.Warehouse, to.ID, micros(to.Merged), to.Number)
	}
	if err == nil {
		_, err = fr.tx.exec(`UPDATE rejects SET merged_at = $3, number = $4 WHERE pipeline = $1 AND freight = $2`,
			pipeline, to.ID, micros(to.Merged), to.Number)
	}
	if err == nil {
		_, err = fr.tx.exec(`UPDATE rejects SET fixed_merged_at = $4, fixed_number = $5
			WHERE pipeline = $1 AND warehouse = $2 AND fixed_by = $3`,
			pipeline, to.Warehouse, to.Name, micros(to.Merged), to.Number)
	}
	return err
}
