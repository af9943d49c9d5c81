package env

import (
	"context"
	"fmt"
	"time"

	"waybill/app/gh"
	"waybill/app/quota"
	"waybill/promotion"
	"waybill/store"
)

// What a person gets within an hour in answer to commands, in one repository (T12). Further commands are carried out
// all the same.
const (
	// maxWords is how many answers in words somebody gets who may write, wordsToReader how many somebody else who is
	// known in the repository, wordsToReaders how many all of these get together. A stranger gets none.
	maxWords       = 60
	wordsToReader  = 1
	wordsToReaders = 10
	// maxReacted is how many comments of somebody who may write get reactions, reactedOfReader how many of somebody else,
	// reactedOfReaders how many of all of these together.
	maxReacted       = 60
	reactedOfReader  = 10
	reactedOfReaders = 60

	budgetSpan = time.Hour

	// readsOfStranger is how many requests read for somebody without write access what their pull requests of forks
	// change, readsOfStrangers how many for all of these together; both of an installation.
	readsOfStranger  = 20
	readsOfStrangers = 200
)

// The kinds of answers that are withheld, as the metric calls them.
const (
	WithheldWords    = "words"
	WithheldReaction = "reaction"
	WithheldSlack    = "slack"
)

// What is not read of a pull request of a fork, as the metric calls it.
const (
	UnreadFiles    = "files"    // which files it changes
	UnreadProposal = "proposal" // the pipeline files that it proposes
)

// GrantReading reports whether a request may be spent by a client on what a pull request of a fork changes, and counts
// it. Who may write on a pipeline's home repository has everything read. Nothing is read for others from what is left
// of the hour for promotions.
func (e *Env) GrantReading(
	ctx context.Context, row store.PipelineRow, client *gh.Client, by promotion.Actor, what string,
) (bool, error) {
	if e.Rights.Known(row, by) >= promotion.Write {
		return true, nil
	}
	purse, scarce, err := client.Purse(ctx)
	if err != nil {
		return false, err
	}
	if !scarce && e.readings.Take(e.Clock(), quota.Share{Of: fmt.Sprintf("%d/%d", purse, by.ID), Most: readsOfStranger},
		quota.Share{Of: fmt.Sprint(purse), Most: readsOfStrangers}) == 0 {
		return true, nil
	}
	granted := false
	if by.ID != 0 {
		permission, _, err := e.Rights.Of(ctx, row, by, false)
		if err != nil {
			return false, err
		}
		granted = permission >= promotion.Write
	}
	if !granted {
		e.Metrics.Unread.WithLabelValues(what).Inc()
	}
	return granted, nil
}

// GrantWords reports whether a command to a pipeline may be answered in words that are said in a repository, and counts
// them if so. Once they are granted they are granted again, so that an answer may be tried again.
func (e *Env) GrantWords(
	ctx context.Context, pipeline int64, r promotion.Request, in promotion.Repo,
) (granted bool, err error) {
	stranger, err := e.isStranger(ctx, pipeline, r)
	if err != nil {
		return false, err
	}
	if !stranger {
		err = e.Store.Update(ctx, func(tx *store.Tx) error {
			granted, err = grantWords(tx, pipeline, r, in)
			return err
		})
	}
	if err == nil && !granted {
		e.Withheld(WithheldWords, r)
	}
	return granted, err
}

func grantWords(tx *store.Tx, pipeline int64, r promotion.Request, in promotion.Repo) (granted bool, err error) {
	had, granted, err := tx.Requests.Worded(pipeline, r, in, tx.Now.Add(-budgetSpan))
	if err != nil || granted {
		return granted, err
	}
	enough := had.Own >= maxWords
	if !mayWrite(r) {
		enough = had.OwnReads >= wordsToReader || had.Readers >= wordsToReaders
	}
	if enough {
		return false, nil
	}
	return true, tx.Requests.GrantWords(pipeline, r.ID, in)
}

// isStranger reports whether a person is nobody in particular to a pipeline: they have no permission on its home
// repository, or that to read which everybody has because it is public. If GitHub could not be asked before, it is
// asked again. If it does not answer, the person counts as somebody who may read.
func (e *Env) isStranger(ctx context.Context, pipeline int64, r promotion.Request) (bool, error) {
	has := r.Permission
	if has > promotion.Read {
		return false, nil
	}
	row, err := e.Home(ctx, pipeline)
	if err != nil {
		return false, err
	}
	if has == promotion.Unasked {
		if has, _, err = e.Rights.Of(ctx, row, r.By, false); err != nil {
			has = promotion.Read
		}
	}
	if has != promotion.Read {
		return has == promotion.NoPermission, nil
	}
	return e.Rights.Public(ctx, row), nil
}

// MayReact reports whether the comment of a command to a pipeline gets reactions.
func (e *Env) MayReact(tx *store.Tx, pipeline int64, r promotion.Request) (bool, error) {
	had, err := tx.Requests.Commented(pipeline, r, tx.Now.Add(-budgetSpan))
	if mayWrite(r) {
		return had.Own < maxReacted, err
	}
	return had.Own < reactedOfReader && had.Readers < reactedOfReaders, err
}

// Withheld counts an answer that somebody does not get.
func (e *Env) Withheld(kind string, r promotion.Request) {
	who := "other"
	if mayWrite(r) {
		who = "writer"
	}
	e.Metrics.Withheld.WithLabelValues(kind, who).Inc()
}

func mayWrite(r promotion.Request) bool { return r.Permission >= promotion.Write }
