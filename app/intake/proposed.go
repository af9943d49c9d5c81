package intake

import (
	"context"
	"slices"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// proposed reads the pipeline files of a pull request that changes them, and shows their problems or their effects on
// the pull request. They are not in force, regardless of the author (T23).
func (in *Intake) proposed(ctx context.Context, from *handlers.From, pull *handlers.ProposedPull) (work.Record, error) {
	row, err := in.Home(ctx, from.RepoID)
	if err != nil || row.ID == 0 {
		return nil, err
	}
	client, err := in.Hub.Installation(from.Installation, from.Repo)
	if err != nil {
		return nil, err
	}
	files, err := client.Files(ctx, pull.Head, learn.PipelineFiles)
	if err != nil {
		return nil, err
	}
	next := row
	next.Config, next.Policy = []byte(files[config.PipelinePath].Content), []byte(files[config.PolicyPath].Content)
	if row.ConfigError == "" && string(row.Config) == string(next.Config) && string(row.Policy) == string(next.Policy) {
		return nil, nil
	}
	changes, err := changesConfig(ctx, client, pull.Number)
	if err != nil || !changes {
		return nil, err // its branch only lacks changes of the base
	}
	unasked, err := in.unasked(ctx, row, pull)
	if err != nil {
		return nil, err
	}
	if unasked {
		run := in.checked(row, next, files[config.PipelinePath].Exists)
		run.SHA, run.Pull = pull.Head, pull.Number
		return func(tx *store.Tx) error { return views.WantOnConfig(tx, row, run) }, nil
	}
	run, err := in.workOut(ctx, client, row, next, pull.Head, files[config.PipelinePath].Exists)
	if err != nil {
		return nil, err
	}
	run.SHA, run.Pull = pull.Head, pull.Number
	return func(tx *store.Tx) error { return views.WantOnConfig(tx, row, run) }, nil
}

// unasked reports whether a proposal comes from a fork, and its sender has no write access. Its effects are not worked
// out then, because that can cost far more than its files show.
func (in *Intake) unasked(ctx context.Context, row store.PipelineRow, pull *handlers.ProposedPull) (bool, error) {
	if !pull.Fork {
		return false, nil
	}
	if pull.By.ID == 0 {
		return true, nil
	}
	permission, _, err := in.Rights.Of(ctx, row, pull.By, false)
	return permission < promotion.Write, err
}

// checked returns the check run on pipeline files that are only checked by themselves.
func (in *Intake) checked(row, next store.PipelineRow, exists bool) views.CheckView {
	run := onProposal(row)
	run.Unasked, run.Conclusion, run.Title, run.Summary = true, "neutral", say.UnaskedTitle, say.Unasked
	if !exists {
		return run
	}
	if len(next.Config)+len(next.Policy) > config.ProposedBytes {
		run.Summary = say.UnaskedLong
		return run
	}
	problems := in.Pipelines.Check(next)
	if run.Annotations = annotations(problems); problems.Err() != nil {
		run.Conclusion, run.Title = "failure", badProposal
		run.Summary = say.BadProposal(problems.String())
	}
	return run
}

const badProposal = "The pipeline files could not be used"

// onProposal returns the check run on pipeline files that are not in force, before anything is known of them.
func onProposal(row store.PipelineRow) views.CheckView {
	return views.CheckView{Repo: row.Repo, CheckRun: gh.CheckRun{
		Pipeline: row.ID, Name: views.ConfigCheck, ExternalID: "config", Status: "completed", Conclusion: "success",
	}}
}

// changesConfig reports whether a pull request may change a pipeline file.
func changesConfig(ctx context.Context, client *gh.Client, number int) (bool, error) {
	files, err := client.PullFiles(ctx, number)
	return err == nil && files.Any(func(path string) bool { return slices.Contains(learn.PipelineFiles, path) }), err
}

// workOut returns the check run on pipeline files that are not in force. Those that need more than the budget of what
// anybody may propose are worked out one at a time in the whole server: no more than one worker has much to do for what
// is not in force. exists says whether there is a pipeline file among them.
func (in *Intake) workOut(
	ctx context.Context, client *gh.Client, row, next store.PipelineRow, head promotion.SHA, exists bool,
) (views.CheckView, error) {
	strict := config.Meter{Budget: config.Proposed}
	run, err := in.proposal(ctx, client, row, next, head, exists, &strict)
	if err != nil || !strict.Over() {
		return run, err
	}
	leave, err := in.large.enter(ctx)
	if err != nil {
		return run, err
	}
	defer leave()
	return in.proposal(ctx, client, row, next, head, exists, &config.Meter{})
}

// proposal returns the check run on pipeline files, of which finding the targets and compiling may cost as much as a
// meter lets them.
func (in *Intake) proposal(
	ctx context.Context, client *gh.Client, row, next store.PipelineRow, head promotion.SHA, exists bool,
	meter *config.Meter,
) (views.CheckView, error) {
	run := onProposal(row)
	p, problems := pipelines.Empty(next), config.Problems(nil)
	trouble, err := learn.FindTargets(ctx, client, head, &next, meter)
	if err != nil {
		return run, err
	}
	if exists && trouble == "" {
		if p, problems = in.Pipelines.LoadWithin(next, meter); problems.Err() != nil {
			trouble = problems.String()
		}
	}
	run.Annotations = annotations(problems)
	if trouble != "" {
		run.Conclusion, run.Title = "failure", badProposal
		run.Summary = say.BadProposal(trouble)
		return run, nil
	}
	would, err := in.foresee(ctx, row, next, p)
	if err != nil {
		return run, err
	}
	run.Title, run.Summary = would.Title(), would.Summary()
	return run, nil
}

// annotations puts problems at their places in the files of the repository. Problems elsewhere are in the summary only.
func annotations(problems config.Problems) []gh.Annotation {
	var all []gh.Annotation
	for _, p := range problems {
		if !slices.Contains(learn.PipelineFiles, p.File) {
			continue
		}
		level := "failure"
		if p.Warning {
			level = "warning"
		}
		all = append(all, gh.Annotation{Path: p.File, Line: max(p.Line, 1), Col: p.Col, Level: level, Message: p.Message})
	}
	return all
}
