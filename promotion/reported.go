package promotion

import (
	"slices"
	"strings"
	"time"
)

// Build is a version that CI reports.
type Build struct {
	Version string
	Commit  SHA
	Image   string
	Digest  string
	By      Hand // who reports it
}

// Reported makes the freight of a report. Such freight is in the order of the reports, because GitHub does not hear of
// it: newest is the last one until now.
func (w *Warehouse) Reported(r Build, commit Head, newest Freight, now time.Time) Freight {
	if now.Before(newest.Merged) {
		now = newest.Merged
	}
	f := Freight{
		Warehouse: w.Name,
		Name:      w.NameOf(r.Version),
		Merged:    now.UTC(),
		Number:    newest.Number + 1,
		Repo:      w.Repo,
		SHA:       r.Commit,
		Author:    commit.Author,
		Title:     commit.Title,
		Hands:     Hands{All: []Hand{r.By.as(ReporterPart)}, Unread: true},
		Contents:  Contents{Version: r.Version, Image: r.Image, Digest: r.Digest},
	}
	f.ID = f.identify()
	return f
}

// Lacks returns the values that stages write of a warehouse's freight and that this one does not have.
func (p *Pipeline) Lacks(f Freight) []string {
	var lacking []string
	for _, s := range p.Stages {
		for _, c := range s.Changes() {
			for _, a := range c.Set {
				lacking = append(lacking, f.lacks(a.Value)...)
			}
		}
	}
	slices.Sort(lacking)
	return slices.Compact(lacking)
}

// lacks returns the values that a template wants of this freight's warehouse and that the freight does not have.
func (f Freight) lacks(t Template) (lacking []string) {
	for _, ref := range t.References() {
		warehouse, key, _ := strings.Cut(ref, ".")
		if WarehouseName(warehouse) != f.Warehouse {
			continue
		}
		if _, has := f.Value(key); !has {
			lacking = append(lacking, key)
		}
	}
	return lacking
}
