package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// errUnsettled says that a commit or a run has to wait for a decision of its stage.
var errUnsettled = errors.New("not at this moment")

// errWithdrawn says that an effect is no longer wanted: since it was claimed, a hold or something else has come.
var errWithdrawn = fmt.Errorf("%w: it is held, or no longer wanted", errUnsettled)

// commitDirectly makes a promotion's commit and moves the branch of the stage to it, without a pull request. It makes
// the commit as objects first, on the present head of the branch, and stores its SHA; then one request moves the
// branch, if it is still there. After a crash it looks the commit up before anything else.
func (a *Executor) commitDirectly(ctx context.Context, j *job) (work.Record, error) {
	if j.attempt.State == promotion.AttemptCommitting {
		return a.settleCommit(ctx, j)
	}
	b, save, ok, err := a.planAnew(ctx, j)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return j.saveAdvance(gh.Outrun), nil
	}
	if err := a.checkApprovals(ctx, j); err != nil {
		return nil, err
	}
	commit, err := j.client.Commits.Make(ctx, b.Base, b.writes(), j.commitMessage())
	if err != nil {
		return nil, err
	}
	begun := false
	err = a.Store.Update(ctx, func(tx *store.Tx) error {
		begun, err = tx.Attempts.BeginCommit(j.Pipeline, j.promotion.Number, j.Step, promotion.Made{
			Round: int(j.Round), Base: b.Base.SHA, Head: commit.SHA, At: commit.At, URL: commit.URL,
		})
		if err != nil || !begun || save == nil {
			return err
		}
		return save(tx)
	})
	switch {
	case err != nil:
		return nil, err
	case !begun:
		return nil, fmt.Errorf("%w: something about its stage has to be decided first", errUnsettled)
	}
	advance, err := j.client.Branches.Advance(ctx, j.files.Name, b.Base.SHA, commit.SHA)
	return j.saveAdvance(advance), a.takeBack(ctx, j, err)
}

// takeBack records that a commit or a run is not on GitHub, if GitHub has refused it for now. Until the next try, holds
// and people may stop it. It returns the error.
func (a *Executor) takeBack(ctx context.Context, j *job, failed error) error {
	if !errors.Is(failed, gh.ErrPassing) {
		return failed
	}
	err := a.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.Attempts.Abandon(j.Pipeline, j.promotion.Number)
	})
	return cmp.Or(err, failed)
}

// settleCommit finds out whether a commit is on the branch, after the answer to the request, or the process, was lost.
// If it is not, the stage decides again whether it should be. That is no round: what has moved the branch meanwhile may
// be another promotion.
func (a *Executor) settleCommit(ctx context.Context, j *job) (work.Record, error) {
	b, made, err := a.blueprint(ctx, j)
	if err != nil {
		return nil, err
	}
	advance, err := j.client.Branches.Advanced(ctx, j.files.Name, b.Base.SHA, made)
	if err != nil || advance == gh.Landed {
		return j.saveAdvance(advance), err
	}
	err = a.Store.Update(ctx, func(tx *store.Tx) error { return tx.Attempts.Abandon(j.Pipeline, j.promotion.Number) })
	if err == nil {
		err = fmt.Errorf("%w: it is not on the branch yet", errUnsettled)
	}
	return nil, err
}

// saveAdvance returns how to record whether the branch has moved to the commit.
func (j *job) saveAdvance(advance gh.Advance) work.Record {
	return func(tx *store.Tx) error {
		if advance == gh.Landed {
			return tx.Attempts.SaveLanded(j.Pipeline, j.promotion.Number)
		}
		j.idle = true
		return tx.Attempts.SaveLate(j.Pipeline, j.promotion.Number, int(j.Round))
	}
}
