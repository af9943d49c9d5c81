package store

import (
	"fmt"

	"waybill/promotion"
)

// RecordImage records an image for the commits that it says it was built of, unless there is one already.
func (fr Freight) RecordImage(i promotion.Image) error {
	for _, commit := range i.Of() {
		_, err := fr.tx.exec(`INSERT INTO images (image, built_of, tag, digest, recorded_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT DO NOTHING`,
			i.Image, commit, i.Tag, i.Digest, micros(fr.tx.Now))
		if err != nil {
			return fmt.Errorf("record image %s:%s: %w", i.Image, i.Tag, err)
		}
	}
	return nil
}

// Complete gives a freight those images which its warehouse awaits, which it lacks and which are known.
func (fr Freight) Complete(pipeline int64, w *promotion.Warehouse, f promotion.Freight) error {
	with, err := fr.WithImages(w, f)
	if err != nil || len(with.Images) == len(f.Images) {
		return err
	}
	err = fr.tx.mustChange("write its images", `UPDATE freight SET contents = $3 WHERE pipeline = $1 AND id = $2`,
		pipeline, f.ID, asJSON(&with.Contents))
	if err == nil {
		err = fr.tx.Stages.touch(`SELECT pipeline, stage FROM sources WHERE pipeline = $1 AND warehouse = $2`, pipeline,
			f.Warehouse)
	}
	return wrap("complete "+f.Name, err)
}

// WithImages returns a freight with those images which its warehouse awaits and which are known.
func (fr Freight) WithImages(w *promotion.Warehouse, f promotion.Freight) (promotion.Freight, error) {
	for _, image := range w.Awaits(f) {
		a := promotion.Artifact{Image: image}
		found, err := fr.tx.one([]any{&a.Tag, &a.Digest}, `SELECT tag, digest FROM images
			WHERE image = $1 AND substr($2, 1, length(built_of)) = built_of ORDER BY recorded_at, built_of LIMIT 1`,
			image, f.SHA)
		if err != nil {
			return f, fmt.Errorf("look for %s of %s: %w", image, f.Name, err)
		}
		if found {
			f = f.With(a)
		}
	}
	return f, nil
}

// BuiltOf returns the freight of a warehouse whose commit begins with some digits.
func (fr Freight) BuiltOf(
	pipeline int64, w promotion.WarehouseName, commit promotion.SHA,
) ([]promotion.Freight, error) {
	all, err := list(fr.tx, freightDest, `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND warehouse = $2
		AND substr(sha, 1, $4) = $3
		ORDER BY merged_at, number`, pipeline, w, commit, len(commit))
	return all, wrap(fmt.Sprintf("look for freight of commit %s", commit), err)
}
