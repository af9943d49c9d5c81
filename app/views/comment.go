package views

import (
	"fmt"
	"slices"
	"time"

	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// CommentMark is the hidden line by which the one comment that is kept up to date is known. Anybody can write it: only
// what our App wrote counts, and nothing is ever read from it (T37).
const CommentMark = "<!-- waybill:status -->"

// CommentView is the comment that is kept up to date on one pull request: what a view of kind comment holds. Every
// stage writes only its own step. A pull request may be freight of several warehouses, and of several pipelines.
type CommentView struct {
	Repo   promotion.Repo
	Number int
	Merged time.Time `json:",omitzero"` // before that there was nothing to say; zero: nobody knows
	Ways   []wayOf   `json:",omitempty"`
	Text   string    `json:",omitempty"` // of a pull request of ours, instead of Ways
}

func (v *CommentView) Body() string {
	if v.Text != "" {
		return v.Text
	}
	ways := make([]say.Way, len(v.Ways))
	for i := range v.Ways {
		ways[i] = v.Ways[i].Way
	}
	return say.Sticky(ways)
}

// wayOf is the way of one freight of a pipeline.
type wayOf struct {
	Pipeline int64
	Freight  promotion.FreightID
	say.Way
}

// recently is for how long freight that nobody promotes gets its comment all the same: long enough to tell its author
// how to, too short to write below everything that was ever merged when Waybill comes to a repository.
const recently = time.Hour

// commentDelay is how long a comment waits for what else is happening, so that it is written once.
const commentDelay = 3 * time.Second

// CommentAddress names the comment of ours on a pull request.
func CommentAddress(repo promotion.Repo, pull int) string {
	return fmt.Sprintf("comment:%s#%d", repo, pull)
}

// wantSticky writes down how the comment below the freight's source pull request should look, as far as this stage
// knows.
func wantSticky(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	if f.Pull == 0 {
		return nil
	}
	address := CommentAddress(f.Repo, f.Pull)
	sticky := CommentView{Repo: f.Repo, Number: f.Pull, Merged: f.Merged}
	there, err := surface.Wanted(tx, address, &sticky)
	if err != nil || !there && at.Promotion == nil && tx.Now.Sub(f.Merged) > recently {
		return err
	}
	way := sticky.way(key.Pipeline, f)
	way.Put(s.Pipeline, f.Warehouse, say.LineOf(f, at))
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Kind: surface.KindComment, Freight: f.ID, Due: tx.Now.Add(commentDelay),
	}
	return surface.Want(tx, v, sticky)
}

// wantOnPromotion writes down how the comment on the promotion's own pull request should look. There is none as long as
// nobody has to do anything: what goes by itself needs no comment.
func wantOnPromotion(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	opened, is := openedFor(s, at)
	if !is {
		return nil
	}
	sticky := CommentView{Repo: opened.Files.Repo, Number: opened.Pull}
	address := CommentAddress(sticky.Repo, sticky.Number)
	there, err := surface.Wanted(tx, address, &CommentView{})
	if err != nil || !there && !say.Stuck(at) {
		return err
	}
	sticky.Text = say.StickyOnPromotion(f, say.LineOf(f, at))
	v := store.View{Surface: address, Pipeline: key.Pipeline, Kind: surface.KindComment, Promotion: opened.Promotion,
		Due: tx.Now.Add(commentDelay)}
	return surface.Want(tx, v, sticky)
}

// openedFor returns the attempt whose pull request has been opened for where a freight stands, if one has.
func openedFor(s *promotion.Snapshot, at promotion.FreightStatus) (promotion.Attempt, bool) {
	i := slices.IndexFunc(s.Attempts, func(a promotion.Attempt) bool {
		return at.Promotion != nil && a.Promotion == at.Promotion.Number && a.Pull != 0
	})
	if i < 0 {
		return promotion.Attempt{}, false
	}
	return s.Attempts[i], true
}

// way returns the way of a freight, which it begins if need be.
func (v *CommentView) way(pipeline int64, f promotion.Freight) *wayOf {
	i := slices.IndexFunc(v.Ways, func(w wayOf) bool { return w.Pipeline == pipeline && w.Freight == f.ID })
	if i < 0 {
		i = len(v.Ways)
		v.Ways = append(v.Ways, wayOf{Pipeline: pipeline, Freight: f.ID})
	}
	v.Ways[i].Name, v.Ways[i].Title = f.Name, f.Title
	return &v.Ways[i]
}
