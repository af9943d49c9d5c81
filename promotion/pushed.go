package promotion

import "time"

// Head is a commit that was the head of a branch.
type Head struct {
	SHA    SHA
	At     time.Time // as the commit says it, which is up to whoever made it
	Count  int       // how many commits led to it: it grows along the branch
	Title  string
	Author Actor
}

// headName is how many letters of a commit freight is called by: enough for a hundred thousand of them to have a name
// each.
const headName = 10

// Pushed makes the freight of a head of the warehouse's branch. newest is how old the newest freight of the warehouse
// is. What is pushed comes neither after now nor before that, whatever its commit says: else one that is dated into the
// future would be the newest for ever. Now gives way, because our clock may have been set back. Of those of the same
// time that comes first to which fewer commits led.
func (w *Warehouse) Pushed(h Head, newest, now time.Time) Freight {
	at := h.At
	if at.After(now) {
		at = now
	}
	if at.Before(newest) {
		at = newest
	}
	f := Freight{
		Warehouse: w.Name,
		Name:      w.NameOf(string(h.SHA[:min(headName, len(h.SHA))])),
		Merged:    at.UTC(),
		Number:    h.Count,
		Repo:      w.Repo,
		SHA:       h.SHA,
		Author:    h.Author,
		Title:     h.Title,
	}
	f.ID = f.identify()
	return f
}
