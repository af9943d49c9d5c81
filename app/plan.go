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
	Base  gh.Base           `json:"base"`
	Files map[string]string `json:"files"` // whole contents by path
}

// plan reads the base head, the stage's files and the pipeline's own files in one query, and records what the promotion
// would write. When the pipeline's files have changed behind our back, they are taken over first and nothing is planned.
func (a *App) plan(ctx context.Context, j *job) (record, error) {
	base, err := j.client.Read(ctx, j.pipeline.Branch, append(pathsOf(j.stage), pipelineFiles...))
	if err != nil {
		return nil, err
	}
	if err := a.reread(ctx, j, base); err != nil {
		return nil, err
	}
	result := change.Work(j.stage, j.freight, reading(base))
	plan := promotion.Plan{
		Round: int(j.Round), Base: base.SHA, Paths: result.Paths, Values: result.Values, Hash: result.Hash, Problem: result.Problem,
	}
	work, err := json.Marshal(blueprint{Base: only(base, result.Paths), Files: result.Contents})
	if err != nil {
		return nil, fmt.Errorf("keep the plan of %d: %w", j.promotion.Number, err)
	}
	return func(tx *store.Tx) error {
		plan.At = tx.Now
		return tx.SavePlan(j.promotion.Number, plan, work)
	}, nil
}

func pathsOf(s *promotion.Stage) []string {
	paths := make([]string, len(s.Changes))
	for i, c := range s.Changes {
		paths[i] = c.Path
	}
	return paths
}

// reading reads the files of a base. What is not a plain text file is refused with the reason.
func reading(base gh.Base) change.Read {
	return func(path string) ([]byte, string) {
		f := base.Files[path]
		switch {
		case !f.Exists:
			return nil, "it is not there"
		case f.Unfit != "":
			return nil, f.Unfit
		}
		return []byte(f.Content), ""
	}
}

// only returns the base with what is known of some files, but not what stands in them.
func only(base gh.Base, paths []string) gh.Base {
	files := map[string]gh.File{}
	for _, path := range paths {
		files[path] = gh.File{Exists: true, Mode: base.Files[path].Mode}
	}
	base.Files = files
	return base
}
