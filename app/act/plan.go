package act

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// blueprint is the contents that a plan writes, kept with the attempt until its commit is made.
type blueprint struct {
	Base  gh.Base           `json:"base"`
	Files map[string]string `json:"files"` // whole contents by path
	// files of copied folders, by path; the zero value deletes
	Copied map[string]gh.Blob `json:"copied,omitempty"`
	Whole  gh.Whole           `json:"whole,omitzero"` // the new contents of the whole branch
}

func (b blueprint) writes() gh.Writes {
	return gh.Writes{Files: b.Files, Copied: b.Copied, Whole: b.Whole}
}

// plan reads the base head, the stage's files and the pipeline's own files, and records the changes that the promotion
// would make. If the pipeline's files have changed since the decision, it takes them over first and plans nothing.
func (a *Executor) plan(ctx context.Context, j *job) (work.Record, error) {
	if !j.promotion.By.Bot() && j.attempt.Plan == nil {
		if err := a.checkAsker(ctx, j); err != nil {
			return nil, err
		}
	}
	stage := j.stage.During(&j.promotion)
	base, err := a.readBase(ctx, j, stage)
	if err != nil {
		return nil, err
	}
	plan, _, save, err := a.planOn(ctx, j, stage, base)
	if err == nil && j.shows(stage, &plan) {
		return func(tx *store.Tx) error {
			plan.Round = int(j.Round)
			return tx.Plans.SaveSame(j.Pipeline, j.promotion.Number, plan)
		}, nil
	}
	return save, err
}

// shows reports whether a plan that a changed pipeline file asks for writes what the open pull request shows already.
// Then sign-offs of that stay.
func (j *job) shows(stage *promotion.Stage, plan *promotion.Plan) bool {
	was := j.attempt.Plan
	return was != nil && was.Asks != plan.Asks && j.attempt.State == promotion.AttemptProposed &&
		was.Round == j.attempt.Made.Round && plan.WritesAs(was, len(stage.Copies()) > 0)
}

// planOn computes the plan of a round on a base, and returns how to record it.
func (a *Executor) planOn(ctx context.Context, j *job, stage *promotion.Stage, base gh.Base) (
	plan promotion.Plan, b blueprint, save work.Record, err error,
) {
	plan, b, err = a.work(ctx, j, stage, j.freight, base)
	if err == nil && j.files.Repo != j.pipeline.Home {
		err = a.checkAllowed(ctx, j, &plan)
	}
	if err != nil {
		return plan, b, nil, err
	}
	kept, err := json.Marshal(b)
	if err != nil {
		return plan, b, nil, fmt.Errorf("keep the plan of %d: %w", j.promotion.Number, err)
	}
	was := learn.Values(stage, base)
	return plan, b, func(tx *store.Tx) error {
		if err := a.annotate(tx, j, stage, j.freight, was, &plan); err != nil {
			return err
		}
		plan.Round, plan.At = int(j.Round), tx.Now
		return tx.Plans.Save(j.Pipeline, j.promotion.Number, plan, kept)
	}, nil
}

// planAnew returns the work of the newest plan on the present head of the branch, and how to record that plan if it is
// made anew, because the branch has moved. ok is false if it would not deliver the same freight to the same targets in
// a new commit: then its stage decides about it. Inside the lane of the branch none of ours moves it meanwhile.
func (a *Executor) planAnew(ctx context.Context, j *job) (b blueprint, save work.Record, ok bool, err error) {
	b, _, err = a.blueprint(ctx, j)
	if err != nil {
		return b, nil, false, err
	}
	stage := j.stage.During(&j.promotion)
	base, err := a.readBase(ctx, j, stage)
	if err != nil || base.SHA == b.Base.SHA {
		return b, nil, true, err
	}
	plan, b, save, err := a.planOn(ctx, j, stage, base)
	ok = plan.Problem.IsZero() && len(plan.Paths) > 0 && slices.Equal(plan.Absent, among(stage, j.attempt.Plan.Absent))
	return b, save, ok, err
}

// among returns those of some targets that a stage has. The present step of a promotion is without the targets that
// were absent when it began.
func among(stage *promotion.Stage, some []promotion.TargetName) (left []promotion.TargetName) {
	for _, name := range some {
		if stage.Target(name) != nil {
			left = append(left, name)
		}
	}
	return left
}

// checkAllowed refuses a plan for another repository that does not allow this pipeline any more.
func (a *Executor) checkAllowed(ctx context.Context, j *job, plan *promotion.Plan) error {
	refusal, err := a.learn.Files.Refusal(ctx, j.files.Repo, j.pipeline.Home, j.row.ID)
	if err == nil && refusal != "" {
		plan.Problem = promotion.Because(promotion.Refused).With(refusal)
	}
	return err
}

// readBase reads the files of a stage at the head of their branch, and checks that the pipeline's own files are those
// of the decision: in one query, if both are on one branch.
func (a *Executor) readBase(ctx context.Context, j *job, stage *promotion.Stage) (gh.Base, error) {
	if j.files == j.pipeline.At() {
		base, err := j.client.Files.Read(ctx, j.files.Name, append(pathsOf(stage), learn.FilesOf(j.pipeline)...))
		if err == nil {
			err = a.learn.Files.Reread(ctx, j.row, base)
		}
		return base, err
	}
	home, err := a.Client(j.pipeline.Home)
	if err != nil {
		return gh.Base{}, err
	}
	own, err := home.Files.Read(ctx, j.pipeline.Branch, learn.FilesOf(j.pipeline))
	if err == nil {
		err = a.learn.Files.Reread(ctx, j.row, own)
	}
	if err != nil {
		return gh.Base{}, err
	}
	return j.client.Files.Read(ctx, j.files.Name, pathsOf(stage))
}

// pathsOf returns the paths that a plan reads: those that the stage changes, and all folders above the ones that it
// copies.
func pathsOf(stage *promotion.Stage) []string {
	paths := learn.PathsOf(stage)
	for _, c := range stage.Copies() {
		paths = append(paths, parents(c.Path)...)
	}
	return paths
}

// work computes the changes that promoting a freight into a stage, or into its targets of a step, would make to a base,
// and the contents of their commit.
func (a *Executor) work(
	ctx context.Context, j *job, stage *promotion.Stage, f promotion.Freight, base gh.Base,
) (promotion.Plan, blueprint, error) {
	folders, err := a.folders(ctx, j, stage, f, base)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	ready, absent := change.Ready(stage, learn.Reading(base))
	result := change.Work(ready, f, learn.Reading(base), folders.of)
	copied, problem, err := folders.blobs(ctx, result.Copied)
	if err != nil {
		return promotion.Plan{}, blueprint{}, err
	}
	if !problem.IsZero() {
		result = change.Result{Problem: problem}
	}
	return promotion.Plan{Base: base.SHA, Read: a.Hub.Told(), Paths: result.Paths, Values: result.Values,
			Hash: result.Hash, Problem: result.Problem, Absent: absent, Asks: ready.Asks()},
		blueprint{
			Base: withoutContents(base, result.Contents), Files: result.Contents, Copied: copied, Whole: wholeOf(result, f),
		}, nil
}

// wholeOf returns the new contents of a branch that is replaced as a whole: the tree of the freight's commit, which
// becomes a parent.
func wholeOf(r change.Result, f promotion.Freight) gh.Whole {
	if r.Tree == "" {
		return gh.Whole{}
	}
	return gh.Whole{Tree: promotion.SHA(r.Tree), Parent: f.SHA}
}

// withoutContents returns a base with the modes of some files, without their contents.
func withoutContents(base gh.Base, contents map[string]string) gh.Base {
	files := map[string]gh.File{}
	for path := range contents {
		files[path] = gh.File{Exists: true, Mode: base.Files[path].Mode}
	}
	base.Files = files
	return base
}
