package intake

import (
	"context"
	"errors"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// protectedJob records a job that waits before an environment. The first stage that has the environment decides on it;
// if none has, the job is rejected at once.
func (in *Intake) protectedJob(
	ctx context.Context, from *handlers.From, job *handlers.ProtectedJob,
) (work.Record, error) {
	for _, c := range in.Pipelines.WritingTo(from.Repo) {
		for _, s := range c.Pipeline.Stages {
			if s.Inhabits(job.Environment) && c.Pipeline.WritesTo(s, from.Repo) {
				return waitAtEnvironment(store.StageKey{Pipeline: c.Row.ID, Stage: s.Name}, from.Repo, job), nil
			}
		}
	}
	client, err := in.Hub.Installation(from.Installation, from.Repo)
	if err != nil {
		return nil, err
	}
	why := say.NoStageFor(from.Repo, job.Environment)
	return nil, client.Workflows.AnswerProtectionRule(ctx, job.Run, job.Environment, gh.Rejected, why)
}

func waitAtEnvironment(key store.StageKey, repo promotion.Repo, job *handlers.ProtectedJob) work.Record {
	b := views.ProtectionView{Repo: repo, Run: job.Run, Environment: job.Environment, SHA: job.SHA}
	v := store.View{Surface: views.JobAddress(key, job.Run, job.Environment), Pipeline: key.Pipeline, Stage: key.Stage,
		Kind: surface.KindProtectionRule}
	return func(tx *store.Tx) error {
		var before views.ProtectionView
		there, err := surface.Wanted(tx, v.Surface, &before)
		if err != nil || there && before.State == gh.Undecided {
			return err // it waits already
		}
		b.Asked = before.Asked + 1
		return errors.Join(surface.Want(tx, v, b), tx.Stages.Touch(key))
	}
}
