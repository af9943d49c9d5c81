package store

import (
	"database/sql/driver"
	"fmt"

	"waybill/promotion"
)

// storedLacking is the stored form of a condition that is not met. Old rows have its names: a field may be added, never
// renamed.
type storedLacking struct {
	Kind  promotion.SignalKind `json:"kind"`
	Name  string               `json:"name"`
	App   string               `json:"app,omitempty"`
	State string               `json:"state,omitempty"`
	// where it is looked for, if that is not where the files of the stage are
	Repo   promotion.Repo `json:"repo,omitempty"`
	Branch string         `json:"branch,omitempty"`
}

// lacksColumn stores and scans conditions that are not met.
type lacksColumn struct{ all *[]promotion.Lacking }

// Value implements driver.Valuer.
func (c lacksColumn) Value() (driver.Value, error) {
	rows := []storedLacking{}
	for _, l := range *c.all {
		rows = append(rows, storedLacking{l.Kind, l.Name, l.App, l.State, l.Files.Repo, l.Files.Name})
	}
	return asJSON(rows).Value()
}

// Scan implements sql.Scanner.
func (c lacksColumn) Scan(v any) error {
	var rows []storedLacking
	if err := asJSON(&rows).Scan(v); err != nil {
		return fmt.Errorf("read which targets are ready: %w", err)
	}
	*c.all = nil
	for _, r := range rows {
		on := promotion.Branch{Repo: r.Repo, Name: r.Branch}
		*c.all = append(*c.all,
			promotion.Lacking{Condition: promotion.Condition{Kind: r.Kind, Name: r.Name, App: r.App, Files: on}, State: r.State})
	}
	return nil
}
