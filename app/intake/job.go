package intake

import (
	"context"
	"errors"
	"fmt"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion/say"
	"waybill/store"
)

// barred takes note of a job that waits before an environment, on which the stage rules that has it: the first, if
// several do. Where no stage has it nobody ever would, and the job is turned away at once.
func (in *Intake) barred(ctx context.Context, f *handlers.Facts) (work.Record, error) {
	if f.Barrier == nil {
		return nil, nil
	}
	for _, c := range in.Pipelines.WritingTo(f.Repo) {
		for _, s := range c.Pipeline.Stages {
			if s.Inhabits(f.Barrier.Environment) && c.Pipeline.WritesTo(s, f.Repo) {
				return waitAtBarrier(store.StageKey{Pipeline: c.Row.ID, Stage: s.Name}, f), nil
			}
		}
	}
	client, err := in.Hub.Installation(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	why := say.NoStageFor(f.Repo, f.Barrier.Environment)
	return nil, client.AnswerProtectionRule(ctx, f.Barrier.Run, f.Barrier.Environment, gh.Rejected, why)
}

func waitAtBarrier(key store.StageKey, f *handlers.Facts) work.Record {
	b := views.ProtectionView{Repo: f.Repo, Run: f.Barrier.Run, Environment: f.Barrier.Environment, SHA: f.Barrier.SHA}
	v := store.View{Surface: fmt.Sprintf("%s/%d", views.ProtectionRulesOf(key), b.Run), Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindProtectionRule}
	return func(tx *store.Tx) error {
		var before views.ProtectionView
		there, err := surface.Wanted(tx, v.Surface, &before)
		if err != nil || there && before.State == gh.Undecided {
			return err // it waits already
		}
		b.Asked = before.Asked + 1
		return errors.Join(surface.Want(tx, v, b), tx.Ledger.Touch(key))
	}
}
