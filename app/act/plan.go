package act

import (
	"context"
	"encoding/json"
	"fmt"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// blueprint is what a plan would write, kept with the attempt until its commit is made.
type blueprint struct {
	Base  gh.Base           `json:"base"`
	Files map[string]string `json:"files"` // whole contents by path
	// files of folders that are copied, by path; those that go are zero
	Copied map[string]gh.Blob `json:"copied,omitempty"`
	Whole  gh.Whole           `json:"whole,omitzero"` // what the whole branch becomes
}

// writes is what the commit changes.
func (b blueprint) writes() gh.Writes {
	return gh.Writes{Files: b.Files, Copied: b.Copied, Whole: b.Whole}
}

// plan reads the base head, the stage's files and the pipeline's own files, and records what the promotion would write.
// When the pipeline's files have changed behind our back, they are taken over first and nothing is planned.
func (a *Executor) plan(ctx context.Context, j *job) (work.Record, error) {
	stage := j.stage.During(&j.promotion)
	base, err := a.readBase(ctx, j, stage)
	if err != nil {
		return nil, err
	}
	plan, work, err := a.work(ctx, j, stage, j.freight, base)
	if err == nil && j.files.Repo != j.pipeline.Home {
		err = a.checkAllowed(ctx, j, &plan)
	}
	if err != nil {
		return nil, err
	}
	kept, err := json.Marshal(work)
	if err != nil {
		return nil, fmt.Errorf("keep the plan of %d: %w", j.promotion.Number, err)
	}
	return func(tx *store.Tx) error {
		plan.Round, plan.At = int(j.Round), tx.Now
		return tx.Ledger.SavePlan(j.Pipeline, j.promotion.Number, plan, kept)
	}, nil
}

// checkAllowed sees to it that another repository is written to only for as long as it lets this pipeline do so.
func (a *Executor) checkAllowed(ctx context.Context, j *job, plan *promotion.Plan) error {
	refusal, err := a.learn.Files.Refusal(ctx, j.files.Repo, j.pipeline.Home)
	if err == nil && refusal != "" {
		plan.Problem = promotion.Because(promotion.Refused).With(refusal)
	}
	return err
}

// readBase reads the files of a stage at the head of their branch, and sees to it that the pipeline's own files are
// those that were decided with: in one query, where both are on one branch.
func (a *Executor) readBase(ctx context.Context, j *job, stage *promotion.Stage) (gh.Base, error) {
	if j.files == j.pipeline.At() {
		base, err := j.client.Read(ctx, j.files.Name, append(learn.PathsOf(stage), learn.PipelineFiles...))
		if err == nil {
			err = a.learn.Files.Reread(ctx, j.row, base)
		}
		return base, err
	}
	home, err := a.Client(j.pipeline.Home)
	if err != nil {
		return gh.Base{}, err
	}
	own, err := home.Read(ctx, j.pipeline.Branch, learn.PipelineFiles)
	if err == nil {
		err = a.learn.Files.Reread(ctx, j.row, own)
	}
	if err != nil {
		return gh.Base{}, err
	}
	return j.client.Read(ctx, j.files.Name, learn.PathsOf(stage))
}

// work works out what promoting a freight into a stage, or what a step sees of it, would write over a base, and what it
// takes to commit that.
func (a *Executor) work(
	ctx context.Context, j *job, stage *promotion.Stage, f promotion.Freight, base gh.Base,
) (promotion.Plan, blueprint, error) {
	folders, err := a.folders(ctx, j, stage, f, base)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	ready, absent := change.Ready(stage, learn.Reading(base))
	result := change.Work(ready, f, learn.Reading(base), folders.of)
	copied, problem, err := a.blobsOf(ctx, folders, result.Copied)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	if !problem.IsZero() {
		result = change.Result{Problem: problem}
	}
	return promotion.Plan{Base: base.SHA, Paths: result.Paths, Values: result.Values, Hash: result.Hash,
			Problem: result.Problem, Absent: absent},
		blueprint{
			Base: withoutContents(base, result.Contents), Files: result.Contents, Copied: copied, Whole: wholeOf(result, f),
		}, nil
}

// wholeOf is what the branch becomes if all of it does: what the freight's commit is, which it follows from then on.
func wholeOf(r change.Result, f promotion.Freight) gh.Whole {
	if r.Tree == "" {
		return gh.Whole{}
	}
	return gh.Whole{Tree: promotion.SHA(r.Tree), Parent: f.SHA}
}

// withoutContents returns the base with what is known of some files, but not what stands in them.
func withoutContents(base gh.Base, contents map[string]string) gh.Base {
	files := map[string]gh.File{}
	for path := range contents {
		files[path] = gh.File{Exists: true, Mode: base.Files[path].Mode}
	}
	base.Files = files
	return base
}
