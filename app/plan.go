package app

import (
	"context"
	"encoding/json"
	"fmt"

	"waybill/app/gh"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// blueprint is what a plan would write, kept with the attempt until its commit is made.
type blueprint struct {
	Base   gh.Base            `json:"base"`
	Files  map[string]string  `json:"files"`            // whole contents by path
	Copied map[string]gh.Blob `json:"copied,omitempty"` // files of folders that are copied, by path; those that go are zero
	Whole  gh.Whole           `json:"whole,omitzero"`   // what the whole branch becomes
}

// writes is what the commit changes.
func (b blueprint) writes() gh.Writes {
	return gh.Writes{Files: b.Files, Copied: b.Copied, Whole: b.Whole}
}

// plan reads the base head, the stage's files and the pipeline's own files, and records what the promotion would write.
// When the pipeline's files have changed behind our back, they are taken over first and nothing is planned.
func (a *App) plan(ctx context.Context, j *job) (record, error) {
	stage := j.stage.During(&j.promotion)
	base, err := a.readBase(ctx, j, stage)
	if err != nil {
		return nil, err
	}
	plan, work, err := a.work(ctx, j, stage, j.freight, base)
	if err == nil && j.files.Repo != j.pipeline.Home {
		err = a.stillAllowed(ctx, j, &plan)
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

// stillAllowed sees to it that another repository is written to only for as long as it lets this pipeline do so.
func (a *App) stillAllowed(ctx context.Context, j *job, plan *promotion.Plan) error {
	refusal, err := a.refusal(ctx, j.files.Repo, j.pipeline.Home)
	if err == nil && refusal != "" {
		plan.Problem = promotion.Because(promotion.Refused).With(refusal)
	}
	return err
}

// readBase reads the files of a stage at the head of their branch, and sees to it that the pipeline's own files are
// those that were decided with: in one query, where both are on one branch.
func (a *App) readBase(ctx context.Context, j *job, stage *promotion.Stage) (gh.Base, error) {
	if j.files == j.pipeline.At() {
		base, err := j.client.Read(ctx, j.files.Name, append(pathsOf(stage), pipelineFiles...))
		if err == nil {
			err = a.reread(ctx, j, base)
		}
		return base, err
	}
	home, err := a.client(j.pipeline.Home)
	if err != nil {
		return gh.Base{}, err
	}
	own, err := home.Read(ctx, j.pipeline.Branch, pipelineFiles)
	if err == nil {
		err = a.reread(ctx, j, own)
	}
	if err != nil {
		return gh.Base{}, err
	}
	return j.client.Read(ctx, j.files.Name, pathsOf(stage))
}

// work works out what promoting a freight into a stage, or what a step sees of it, would write over a base, and what it
// takes to commit that.
func (a *App) work(ctx context.Context, j *job, stage *promotion.Stage, f promotion.Freight, base gh.Base) (promotion.Plan, blueprint, error) {
	folders, err := a.folders(ctx, j, stage, f, base)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	ready, absent := change.Ready(stage, reading(base))
	result := change.Work(ready, f, reading(base), folders.of)
	copied, problem, err := a.carried(ctx, folders, result.Copied)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	if !problem.IsZero() {
		result = change.Result{Problem: problem}
	}
	return promotion.Plan{Base: base.SHA, Paths: result.Paths, Values: result.Values, Hash: result.Hash, Problem: result.Problem, Absent: absent},
		blueprint{Base: only(base, result.Contents), Files: result.Contents, Copied: copied, Whole: wholeOf(result, f)}, nil
}

// wholeOf is what the branch becomes if all of it does: what the freight's commit is, which it follows from then on.
func wholeOf(r change.Result, f promotion.Freight) gh.Whole {
	if r.Tree == "" {
		return gh.Whole{}
	}
	return gh.Whole{Tree: promotion.SHA(r.Tree), Parent: f.SHA}
}

// values returns what the files of a stage say in a base.
func values(s *promotion.Stage, base gh.Base) []promotion.Value {
	return change.Values(s, reading(base), func(folder string) string { return string(folderIn(base, folder)) })
}

// folderIn returns Git's name for what a folder of a base holds.
func folderIn(base gh.Base, folder string) promotion.SHA {
	if folder == promotion.Everything {
		return base.Tree
	}
	return base.Files[folder].Tree
}

// pathsOf returns the files that a stage changes, and the folders, or the workflow that it starts.
func pathsOf(s *promotion.Stage) []string {
	var paths []string
	for _, c := range s.Changes() {
		paths = append(paths, c.Path)
	}
	for _, c := range s.Copies() {
		if c.Path != promotion.Everything { // which comes with every base
			paths = append(paths, c.Path)
		}
	}
	if s.Delivery == promotion.DeliveryWorkflow {
		paths = append(paths, s.Dispatch.Path())
	}
	return paths
}

// reading reads the files of a base. What is not a plain text file is refused with the reason.
func reading(base gh.Base) change.Read {
	return func(path string) ([]byte, string) {
		f := base.Files[path]
		switch {
		case !f.Exists:
			return nil, change.NotThere
		case f.Unfit != "":
			return nil, f.Unfit
		}
		return []byte(f.Content), ""
	}
}

// only returns the base with what is known of some files, but not what stands in them.
func only(base gh.Base, contents map[string]string) gh.Base {
	files := map[string]gh.File{}
	for path := range contents {
		files[path] = gh.File{Exists: true, Mode: base.Files[path].Mode}
	}
	base.Files = files
	return base
}
