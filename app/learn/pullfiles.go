package learn

import (
	"context"
	"errors"

	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// ErrUnread says that a list was not read to its end, because enough was read for those who want it.
var ErrUnread = errors.New("enough was read for people without write access")

// listsKept bounds how many lists are kept.
const listsKept = 16

// PullFiles reads which files pull requests change: a page at a time, each once for a delivery, whoever wants it.
// Another delivery may tell of other commits, or of another branch that they go into, and has the list read again.
type PullFiles struct {
	*env.Env
	lists *lru.Cache[Change, gh.PullFiles]
}

// Change is what a pull request changes, as a delivery tells of it.
type Change struct {
	Told   *handlers.From // nil: no delivery does
	Number int
}

// Reader is for whose pipeline, and for whom, a change is read.
type Reader struct {
	Row  store.PipelineRow
	Fork bool            // the change comes from a fork
	By   promotion.Actor // who has it read, if it does
}

func newPullFiles(e *env.Env) *PullFiles {
	lists, err := lru.New[Change, gh.PullFiles](listsKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &PullFiles{e, lists}
}

// May reports whether a request may be spent on a change for a reader.
func (pf *PullFiles) May(ctx context.Context, client *gh.Client, r Reader, what string) (bool, error) {
	if !r.Fork {
		return true, nil
	}
	return pf.GrantReading(ctx, r.Row, client, r.By, what)
}

// Read returns the files of a change, read as far as enough wants it. It is ErrUnread if nothing more is read for the
// reader before that.
func (pf *PullFiles) Read(
	ctx context.Context, client *gh.Client, c Change, r Reader, enough func(promotion.Touched) bool,
) (gh.PullFiles, error) {
	known, _ := pf.lists.Get(c)
	for !known.Whole() && !enough(known.Touched()) {
		may, err := pf.May(ctx, client, r, env.UnreadFiles)
		if err == nil && !may {
			err = ErrUnread
		}
		if err == nil {
			known, err = client.Pulls.MoreFiles(ctx, c.Number, known)
		}
		if err != nil {
			return gh.PullFiles{}, err
		}
		if c.Told != nil {
			pf.lists.Add(c, known)
		}
	}
	return known, nil
}

// whole wants a list to its end.
func whole(promotion.Touched) bool { return false }
