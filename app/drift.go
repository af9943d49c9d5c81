package app

import (
	"context"
	"slices"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file finds out what the stages' files say. Whether that is still what was promoted, the core decides
// (semantics 6.4).

// touchedFiles reads the files of stages that a push has changed. What our own merges wrote is known.
func (a *App) touchedFiles(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Ours {
		return nil, nil
	}
	var all []record
	for _, push := range f.Pushes {
		rec, err := a.touchedBy(ctx, push, f.Sender)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

func (a *App) touchedBy(ctx context.Context, push promotion.Push, by promotion.Actor) (record, error) {
	on := promotion.Branch{Repo: push.Repo, Name: push.Branch}
	var all []record
	for _, c := range a.pipelines.on(on) {
		const whatever = "" // a file that was not there when its stage was read is no part of what is known
		stages, err := a.unread(ctx, c.row.ID, c.pipeline, on, whatever)
		if err != nil {
			return nil, err
		}
		stages = slices.DeleteFunc(stages, func(s *promotion.Stage) bool { return !slices.ContainsFunc(push.Paths, s.Touches) })
		client, err := a.client(on.Repo)
		if err != nil {
			return nil, err
		}
		rec, err := readFiles(ctx, client, c.row.ID, on, stages, func(head promotion.SHA) promotion.Actor {
			if head == push.After {
				return by
			}
			return promotion.Actor{} // somebody else has pushed meanwhile
		})
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// lookAtFiles reads the files of a stage because some of its targets wait for theirs.
func (a *App) lookAtFiles(ctx context.Context, j *job) (record, error) {
	var all []record
	for _, on := range j.pipeline.BranchesOf(j.stage) {
		client, err := a.client(on.Repo)
		if err != nil {
			return nil, err
		}
		rec, err := readFiles(ctx, client, j.Pipeline, on, []*promotion.Stage{j.pipeline.On(j.stage, on)}, nobody)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// nobody says of a head that it is not known who pushed it.
func nobody(promotion.SHA) promotion.Actor { return promotion.Actor{} }

// rereadFiles reads the files of all stages that have not been read at the head of the branch: none, if the branch is
// where it was, or all pushes since have been heard of.
func (a *App) rereadFiles(ctx context.Context, l *look) (record, error) {
	var all []record
	for _, f := range l.files {
		if f.head == "" {
			continue // the branch is gone: promotions tell
		}
		stages, err := a.unread(ctx, l.row.ID, l.p, f.Branch, f.head)
		if err != nil {
			return nil, err
		}
		rec, err := readFiles(ctx, f.client, l.row.ID, f.Branch, stages, nobody)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

// unread returns what there is on a branch of stages whose files there have not been read at a head, and may differ
// from what was promoted by now, as far as anybody wants to know: where there are targets, one may wait for its file.
func (a *App) unread(
	ctx context.Context, pipeline int64, p *promotion.Pipeline, on promotion.Branch, head promotion.SHA,
) (stages []*promotion.Stage, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		names, err := tx.Facts.Unread(pipeline, on, head)
		for _, name := range names {
			if s := p.Stage(name); s != nil && (s.Drift != promotion.DriftIgnore || s.Rolls()) {
				stages = append(stages, p.On(s, on))
			}
		}
		return err
	})
	return stages, err
}

// readFiles reads the files of stages on a branch in one query. by says who pushed a head, if that is known.
func readFiles(
	ctx context.Context, client *gh.Client, pipeline int64, on promotion.Branch, stages []*promotion.Stage, by func(head promotion.SHA) promotion.Actor,
) (record, error) {
	var paths []string
	for _, s := range stages {
		paths = append(paths, pathsOf(s)...)
	}
	if len(stages) == 0 {
		return nil, nil
	}
	base, err := client.Read(ctx, on.Name, paths)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return recordAll(stages, func(s *promotion.Stage) error {
			return tx.Facts.RecordReading(store.StageKey{Pipeline: pipeline, Stage: s.Name}, promotion.Reading{
				On: on, Commit: base.SHA, By: by(base.SHA), Values: values(s, base),
			})
		})
	}, nil
}
