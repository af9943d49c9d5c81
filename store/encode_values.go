package store

import (
	"database/sql/driver"
	"fmt"
	"time"

	"waybill/promotion"
)

// storedValue is the stored form of a value of a file. Old rows have its names: a field may be added, never renamed.
type storedValue struct {
	Repo   promotion.Repo `json:"repo,omitempty"`
	Branch string         `json:"branch,omitempty"`
	Path   string         `json:"path"`
	Key    string         `json:"key"`
	Text   string         `json:"text"`
}

// valuesColumn stores and scans values of files.
type valuesColumn struct{ all *[]promotion.Value }

func asValues(all *[]promotion.Value) valuesColumn { return valuesColumn{all} }

// Value implements driver.Valuer.
func (c valuesColumn) Value() (driver.Value, error) { return asJSON(stored(*c.all)).Value() }

// Scan implements sql.Scanner.
func (c valuesColumn) Scan(v any) error {
	var all []storedValue
	if err := asJSON(&all).Scan(v); err != nil {
		return fmt.Errorf("read values: %w", err)
	}
	*c.all = restored(all)
	return nil
}

func stored(values []promotion.Value) (all []storedValue) {
	for _, v := range values {
		all = append(all, storedValue{v.Files.Repo, v.Files.Name, v.Path, v.Key, v.Text})
	}
	return all
}

func restored(values []storedValue) (all []promotion.Value) {
	for _, v := range values {
		all = append(all,
			promotion.Value{Files: promotion.Branch{Repo: v.Repo, Name: v.Branch}, Path: v.Path, Key: v.Key, Text: v.Text})
	}
	return all
}

// storedDrift is the stored form of a drift. Old rows have its names: a field may be added, never renamed.
type storedDrift struct {
	Says    []storedValue    `json:"says,omitempty"`
	Commit  promotion.SHA    `json:"commit,omitempty"`
	At      int64            `json:"at,omitempty"` // microseconds
	ActorID int64            `json:"actorID,omitempty"`
	Actor   promotion.Login  `json:"actor,omitempty"`
	Told    bool             `json:"told,omitempty"`
	Repair  promotion.Number `json:"repair,omitempty"`
	Count   int              `json:"count,omitempty"`
	Righted int64            `json:"righted,omitempty"` // microseconds
}

// driftColumn stores and scans a drift; none that there ever was is null.
type driftColumn struct{ d *promotion.Drift }

// Value implements driver.Valuer.
func (c driftColumn) Value() (driver.Value, error) {
	d := c.d
	if d.Count == 0 {
		return "null", nil
	}
	row := storedDrift{
		Says: stored(d.Says), Commit: d.Commit, ActorID: d.By.ID, Actor: d.By.Login, Told: d.Told, Repair: d.Repair,
		Count: d.Count,
	}
	if !d.At.IsZero() {
		row.At = d.At.UnixMicro()
	}
	if !d.Righted.IsZero() {
		row.Righted = d.Righted.UnixMicro()
	}
	return asJSON(row).Value()
}

// Scan implements sql.Scanner.
func (c driftColumn) Scan(v any) error {
	var row storedDrift
	if err := asJSON(&row).Scan(v); err != nil {
		return fmt.Errorf("read a drift: %w", err)
	}
	*c.d = promotion.Drift{
		Says: restored(row.Says), Commit: row.Commit, By: promotion.Actor{ID: row.ActorID, Login: row.Actor},
		Told: row.Told, Repair: row.Repair, Count: row.Count,
	}
	if row.At != 0 {
		c.d.At = time.UnixMicro(row.At).UTC()
	}
	if row.Righted != 0 {
		c.d.Righted = time.UnixMicro(row.Righted).UTC()
	}
	return nil
}
