package intake

import (
	"context"

	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// proposed reads pipeline files that a pull request proposes.
func (in *Intake) proposed(ctx context.Context, from *handlers.From, e *handlers.ProposedPull) (work.Record, error) {
	return in.proposals.check(ctx, from, e)
}

// proposedAgain reads pipeline files again, because their check run was asked for again: those that a pull request
// proposes, or those of the default branch. That takes no right: whoever proposes a file has it read, too. But
// what files of a stranger would do is worked out only for a person with write access.
func (in *Intake) proposedAgain(ctx context.Context, from *handlers.From, e *handlers.Rerun) (work.Record, error) {
	if e.ID != 0 && e.Name != views.ConfigCheck {
		return nil, nil
	}
	var run views.CheckView
	var there bool
	err := in.Store.View(ctx, func(tx *store.Tx) (err error) {
		run, there, err = views.ConfigRun(tx, from.RepoID, e.SHA)
		return err
	})
	switch {
	case err != nil || !there:
		return nil, err
	case run.Pull != 0:
		again := &handlers.ProposedPull{Number: run.Pull, Head: run.SHA, Fork: run.Unasked, By: e.By}
		rec, err := in.proposals.check(ctx, from, again)
		if err != nil || rec != nil || !run.Unasked {
			return rec, err
		}
		return in.proposals.nothing(ctx, from, again)
	}
	return in.reload(ctx, from, []handlers.Repository{{ID: from.RepoID, Name: from.Repo}}, false)
}
