package store

import (
	"errors"
	"fmt"
	"reflect"

	"waybill/promotion"
)

const freightColumns = `id, warehouse, name, merged_at, number, pull, repo, sha, author_id, author, title, contents, ` +
	`hands, unread`

func freightDest(f *promotion.Freight) []any {
	return []any{
		&f.ID, &f.Warehouse, &f.Name, at(&f.Merged), &f.Number, &f.Pull, &f.Repo, &f.SHA, &f.Author.ID, &f.Author.Login,
		&f.Title, asJSON(&f.Contents), asJSON(&f.Hands.All), &f.Hands.Unread,
	}
}

// Record records freight of a pipeline. It concerns the stages that take from its warehouse. Freight that is known
// already changes nothing, and neither does other freight of a known name, such as that of a tag that has moved.
func (fr Freight) Record(pipeline int64, f promotion.Freight) (fresh bool, err error) {
	n, err := fr.tx.exec(`INSERT INTO freight (pipeline, id, warehouse, name, merged_at, number, pull, repo, sha,
		author_id, author, title, contents, hands, unread, recorded_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT DO NOTHING`,
		pipeline, f.ID, f.Warehouse, f.Name, micros(f.Merged), f.Number, f.Pull, f.Repo, f.SHA, f.Author.ID,
		f.Author.Login, f.Title,
		asJSON(&f.Contents), asJSON(&f.Hands.All), f.Hands.Unread, micros(fr.tx.Now))
	if err == nil && n > 0 {
		err = fr.tx.Stages.touch(`SELECT pipeline, stage FROM sources WHERE pipeline = $1 AND warehouse = $2`, pipeline,
			f.Warehouse)
	}
	if err == nil && n == 0 && f.Hands.Told() {
		err = fr.SaveHands(pipeline, f.ID, promotion.Hands{All: f.Hands.All, Unread: true})
	}
	if err != nil {
		return false, fmt.Errorf("record freight %s: %w", f.Name, err)
	}
	return n > 0, nil
}

// SaveHands records what more is known of who has made a freight. If that is something new, it concerns the stages that
// take from its warehouse. Freight that is not known changes nothing.
func (fr Freight) SaveHands(pipeline int64, id promotion.FreightID, more promotion.Hands) error {
	f, err := fr.ByID(pipeline, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	hands := f.Hands.With(more)
	if reflect.DeepEqual(hands, f.Hands) {
		return nil
	}
	_, err = fr.tx.exec(`UPDATE freight SET hands = $3, unread = $4 WHERE pipeline = $1 AND id = $2`, pipeline, id,
		asJSON(&hands.All), hands.Unread)
	if err == nil {
		err = fr.tx.Stages.touch(`SELECT pipeline, stage FROM sources WHERE pipeline = $1 AND warehouse = $2`, pipeline,
			f.Warehouse)
	}
	return wrap(fmt.Sprintf("record who has made %s", f.Name), err)
}

// ByID returns one freight of a pipeline.
func (fr Freight) ByID(pipeline int64, id promotion.FreightID) (promotion.Freight, error) {
	var f promotion.Freight
	found, err := fr.tx.one(freightDest(&f), `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND id = $2`,
		pipeline, id)
	return f, orNotFound(found, err, fmt.Sprintf("read freight %s", id))
}

// Has reports whether a pipeline has freight of that name.
func (fr Freight) Has(pipeline int64, name string) (bool, error) {
	has, err := fr.tx.one([]any{new(int)}, `SELECT 1 FROM freight WHERE pipeline = $1 AND name = $2`, pipeline, name)
	return has, wrap("look for freight "+name, err)
}

// Newest returns the newest freight of a warehouse in its order, newest first.
func (fr Freight) Newest(pipeline int64, w promotion.WarehouseName, limit int) ([]promotion.Freight, error) {
	all, err := list(fr.tx, freightDest, `SELECT `+freightColumns+` FROM freight WHERE pipeline = $1 AND warehouse = $2
		ORDER BY merged_at DESC, number DESC LIMIT $3 + 0`, pipeline, w, limit)
	if err != nil {
		return nil, fmt.Errorf("list freight of %s: %w", w, err)
	}
	return all, nil
}

// FreightPlace is a place in the order of all freight of a pipeline. Its zero value is before the newest.
type FreightPlace struct {
	Merged    int64 // in microseconds
	Number    int
	Warehouse promotion.WarehouseName // of two at the same time, the later name is the newer one
}

// PlaceOf returns the place of a freight.
func PlaceOf(f promotion.Freight) FreightPlace {
	return FreightPlace{f.Merged.UnixMicro(), f.Number, f.Warehouse}
}

// Before returns the newest freight of a warehouse that is older than a place, newest first.
func (fr Freight) Before(
	pipeline int64, w promotion.WarehouseName, place FreightPlace, limit int,
) ([]promotion.Freight, error) {
	if place == (FreightPlace{}) {
		return fr.Newest(pipeline, w, limit)
	}
	number := place.Number
	if w < place.Warehouse {
		number++
	}
	all, err := list(fr.tx, freightDest, `SELECT `+freightColumns+` FROM freight
		WHERE pipeline = $1 AND warehouse = $2 AND (merged_at, number) < ($3, $4) ORDER BY merged_at DESC, number DESC
		LIMIT $5 + 0`,
		pipeline, w, place.Merged, number, limit)
	if err != nil {
		return nil, fmt.Errorf("list freight of %s: %w", w, err)
	}
	return all, nil
}

// ByPull returns the freight of a merged pull request: one for each warehouse of the pipeline that took it.
func (fr Freight) ByPull(pipeline int64, repo promotion.Repo, number int) ([]promotion.Freight, error) {
	all, err := list(fr.tx, freightDest, `SELECT `+freightColumns+` FROM freight
		WHERE pipeline = $1 AND pull = $3 AND pull <> 0 AND repo = $2 ORDER BY warehouse`, pipeline, repo, number)
	if err != nil {
		return nil, fmt.Errorf("list freight of %s#%d: %w", repo, number, err)
	}
	return all, nil
}
