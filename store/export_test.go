package store

import (
	"time"

	"waybill/promotion"
	"waybill/store/driver"
)

// Schema is the schema of this program.
func Schema() driver.Schema { return schema() }

// WithSchema has a database opened with another schema.
func WithSchema(o Options, s driver.Schema) Options {
	o.schema = s
	return o
}

// Version returns the version of the stage in the basis.
func (b Basis) Version() int64 { return b.version }

// ReadAt returns the newest head of which a reading is known to be true; empty if the files have not been read.
func (rd Readings) ReadAt(key StageKey, on promotion.Branch) (promotion.SHA, error) {
	return rd.readAt(key, on)
}

// TellCopy tells the database what a backup tells the copy that it makes.
func (tx *Tx) TellCopy() error {
	_, err := tx.exec(onCopy)
	return err
}

// PassagesAmong is Passages among so many of the newest promotions.
func (pr Promotions) PassagesAmong(
	pipeline int64, since time.Time, newest int64,
) (found []promotion.Passage, all bool, err error) {
	return pr.passages(pipeline, since, newest)
}
