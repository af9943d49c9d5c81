package learn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// standing is how a pull request stands to what was told of it.
type standing int

const (
	asTold standing = iota
	gone            // by now it is another one, of which something else tells
	unsure          // one of GitHub's servers shows it as it was before
)

// settles is longer than GitHub's servers differ.
const settles = 5 * time.Second

// stands asks how a pull request stands after its files were read. Without that, who pushes twice in a moment, or turns
// it to another branch and back, would have a commit pass by the files of another one. Where GitHub's servers differ,
// the delivery that tells of it is handled again in a moment.
func (cs *Candidates) stands(
	ctx context.Context, client *gh.Client, c store.Candidate, r Reader, files gh.PullFiles, by Telling,
) (standing, error) {
	may, err := cs.pulls.May(ctx, client, r, env.UnreadFiles)
	if err == nil && !may {
		err = ErrUnread
	}
	if err != nil {
		return asTold, err
	}
	now, err := client.Pulls.Stands(ctx, c.Pull)
	if err != nil {
		return asTold, err
	}
	s := standsTo(c, now, files.Heads())
	if cs.settled(by) {
		return s, nil
	}
	if s == unsure || s == gone && isFormer(now, by.Pull) {
		return s, fmt.Errorf("pull request #%d is shown as it was before: %w", c.Pull, gh.ErrTransient)
	}
	return s, nil
}

// settled reports whether what is told was told so long ago that GitHub's servers agree about it. What is read in a
// list was there before.
func (cs *Candidates) settled(by Telling) bool {
	return by.From == nil || cs.Clock().Sub(by.From.Received) >= settles
}

// standsTo compares a candidate with the pull request, and with the heads from which the list of its files was made.
func standsTo(c store.Candidate, now gh.Standing, heads []promotion.SHA) standing {
	switch {
	case now.Updated.Before(c.Seen):
		return unsure
	case !now.Open, now.Base != c.Into.Name, now.Head != c.Head:
		return gone
	case slices.ContainsFunc(heads, func(head promotion.SHA) bool { return head != c.Head }):
		return unsure
	}
	return asTold
}

// isFormer reports whether a pull request stands as it did before what a delivery tells of it. It may have been changed
// back, or be shown as it was: GitHub's times are in seconds.
func isFormer(now gh.Standing, told *handlers.CandidatePull) bool {
	if told == nil || !now.Updated.Equal(told.Updated) {
		return false
	}
	switch told.Change {
	case handlers.PullPushed:
		return now.Head == told.Before
	case handlers.PullTurned:
		return now.Base == told.Was
	case handlers.PullReopened:
		return !now.Open
	}
	return false
}

// End returns how to dismiss a pull request that was closed, or that goes into another branch by now. If what is known
// of it has happened in the same second, GitHub is asked which came first.
func (cs *Candidates) End(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, c store.Candidate, merged bool, why string,
) (work.Record, error) {
	var all []store.Candidate
	err := cs.Store.View(ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Candidates.Of(row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if knownAtOnce(all, c) && !merged {
		client, err := cs.Client(c.Into.Repo)
		if err != nil {
			return nil, err
		}
		may, err := cs.pulls.May(ctx, client, Reader{row, c.Fork, c.By}, env.UnreadFiles)
		var now gh.Standing
		if err == nil && may {
			now, err = client.Pulls.Stands(ctx, c.Pull)
		}
		into := promotion.Branch{Repo: c.Into.Repo, Name: now.Base}
		if err != nil || !may || now.Open && len(p.GuardedOn(into)) > 0 {
			return nil, err // what may be open still is followed, and a resync asks
		}
	}
	return func(tx *store.Tx) error { return Dismiss(tx, row.ID, p, c, merged, why) }, nil
}
