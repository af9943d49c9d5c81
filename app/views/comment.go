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

// CommentMark is the hidden line by which the status comment is recognized. Any person can write it: only comments of
// our App count, and nothing is ever read from them (T37).
const CommentMark = "<!-- waybill:status -->"

// CommentView is the content of a view of kind comment: the status comment on one pull request. Every stage writes only
// its own step. A pull request may be freight of several warehouses, and of several pipelines.
type CommentView struct {
	Repo   promotion.Repo
	Number int
	Merged time.Time `json:",omitzero"` // the comment is not older; zero: not known
	Ways   []wayOf   `json:",omitempty"`
	Text   string    `json:",omitempty"` // of a pull request of ours, instead of Ways
}

// Body returns the text of the comment.
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

// wayOf is the progress of one freight of a pipeline.
type wayOf struct {
	Pipeline int64
	Freight  promotion.FreightID
	say.Way
}

// recently is how long freight without a promotion gets its comment: long enough to tell its author how to promote it,
// too short to comment on all merged pull requests when Waybill comes to a repository.
const recently = time.Hour

// commentDelay is how long a comment waits for further changes, so that it is written once.
const commentDelay = 3 * time.Second

// CommentAddress is the address of our comment on a pull request.
func CommentAddress(repo promotion.Repo, pull int) string {
	return fmt.Sprintf("comment:%s#%d", repo, pull)
}

// wantSticky writes down this stage's step of the comment on the freight's source pull request.
func wantSticky(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	if f.Pull == 0 {
		return nil
	}
	address := CommentAddress(f.Repo, f.Pull)
	sticky := CommentView{Repo: f.Repo, Number: f.Pull, Merged: f.At()}
	there, err := surface.Wanted(tx, address, &sticky)
	if err != nil || !there && at.Promotion == nil && tx.Now.Sub(f.At()) > recently {
		return err
	}
	way := sticky.way(key.Pipeline, f)
	way.Put(s.Pipeline, f.Warehouse, say.LineOf(f, at))
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Kind: surface.KindComment, Freight: f.ID, Due: tx.Now.Add(commentDelay),
	}
	return surface.Want(tx, v, sticky)
}

// wantOnPromotion writes down the comment on the promotion's own pull request. There is none as long as no person has
// to act.
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

// openedFor returns the attempt of a freight's promotion that has opened a pull request, if there is one.
func openedFor(s *promotion.Snapshot, at promotion.FreightStatus) (promotion.Attempt, bool) {
	i := slices.IndexFunc(s.Attempts, func(a promotion.Attempt) bool {
		return at.Promotion != nil && a.Promotion == at.Promotion.Number && a.Pull != 0
	})
	if i < 0 {
		return promotion.Attempt{}, false
	}
	return s.Attempts[i], true
}

// way returns the progress of a freight, which it adds if it is missing.
func (v *CommentView) way(pipeline int64, f promotion.Freight) *wayOf {
	i := slices.IndexFunc(v.Ways, func(w wayOf) bool { return w.Pipeline == pipeline && w.Freight == f.ID })
	if i < 0 {
		i = len(v.Ways)
		v.Ways = append(v.Ways, wayOf{Pipeline: pipeline, Freight: f.ID})
	}
	v.Ways[i].Name, v.Ways[i].Title = f.Name, f.Title
	return &v.Ways[i]
}
