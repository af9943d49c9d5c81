package promotion

import "time"

// Head is a commit that was the head of a branch.
type Head struct {
	SHA    SHA
	At     time.Time // the commit's own date, which its author can choose
	Count  int       // how many commits led to it: it grows along the branch
	Title  string
	Author Actor
	Pusher Hand // as far as a webhook has told
}

// headName is how many letters of a commit freight is called by: enough for a hundred thousand of them to have a name
// each.
const headName = 10

// Pushed makes the freight of a head of the warehouse's branch. The date of the commit is limited to the time between
// earliest, that of the freight before it, and latest, that of the freight behind it or now: a commit that is dated
// into the future would be the newest for ever. latest gives way to earliest, because our clock may have been set back.
// Of heads of the same time the one with fewer commits behind it comes first.
func (w *Warehouse) Pushed(h Head, earliest, latest time.Time) Freight {
	at := h.At
	if at.After(latest) {
		at = latest
	}
	if at.Before(earliest) {
		at = earliest
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
		Hands:     Hands{All: []Hand{h.Pusher.as(PusherPart)}, Unread: true},
	}
	f.ID = f.identify()
	return f
}
