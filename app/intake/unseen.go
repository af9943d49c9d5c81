package intake

import (
	"context"
	"fmt"
	"time"

	"waybill/app/pipelines"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// GitHub's servers learn of a write one after the other, and a webhook may come before the server that answers knows of
// it. A learner that does not find the subject of a webhook, or finds it as it was before, has the delivery handled
// again until showsWithin has passed. Then it believes the answer, and the next resync finds what was late.

// showsWithin is how long GitHub may take to show what it has taken, such as the subject of a webhook. GitHub states no
// time; people report seconds.
const showsWithin = time.Minute

// unseen is the error of a delivery whose subject GitHub does not show yet.
type unseen struct{ subject string }

func (u unseen) Error() string {
	return "GitHub has told of " + u.subject + " and does not show it yet"
}

// Again says that the delivery may be handled again.
func (unseen) Again() (after time.Duration, again bool) { return 0, true }

// notYet returns an error if GitHub may still be going to show the subject of a delivery, and nil if it is gone.
func (in *Intake) notYet(from *handlers.From, subject string) error {
	if in.Clock().Sub(from.Received) < showsWithin {
		return unseen{subject}
	}
	return nil
}

// lookedForLater has a resync look for what warehouses were told of and GitHub does not show, in case it is not gone.
func lookedForLater(by []pipelines.Subscriber) work.Record {
	return func(tx *store.Tx) error {
		return work.RecordAll(by, func(t pipelines.Subscriber) error { return tx.Clocks.AskResync(t.Pipeline) })
	}
}

// behind returns an error if a head at which a branch was read may be one from before a push: GitHub does not show the
// push yet. A head that contains the push, because more was pushed, is as good. If the head is empty nothing was read.
func (in *Intake) behind(ctx context.Context, from *handlers.From, p *handlers.Push, head promotion.SHA) error {
	if head == "" || head == p.After {
		return nil
	}
	yet := in.notYet(from, fmt.Sprintf("commit %s on %s", p.After, p.Branch))
	if yet == nil {
		return nil
	}
	client, err := in.Hub.Installation(from.Installation, p.Repo)
	if err != nil {
		return err
	}
	contains, err := client.Commits.Contains(ctx, head, p.After)
	if err != nil || contains {
		return err
	}
	return yet
}
