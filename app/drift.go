package app

import (
	"context"
	"slices"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file finds out what the stages' files say. Whether that is still what was promoted, the core decides (SEMANTICS
// 6.4).

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
	row, p, lives := a.pipelines.at(push.Repo, push.Branch)
	if !lives {
		return nil, nil
	}
	stages, err := a.unread(ctx, row.ID, p, push.After)
	if err != nil {
		return nil, err
	}
	stages = slices.DeleteFunc(stages, func(s *promotion.Stage) bool { return !slices.ContainsFunc(push.Paths, s.Touches) })
	client, err := a.client(row.Installation, row.Repo)
	if err != nil {
		return nil, err
	}
	return readFiles(ctx, client, row.ID, p, stages, func(head promotion.SHA) promotion.Actor {
		if head == push.After {
			return by
		}
		return promotion.Actor{} // somebody else has pushed meanwhile
	})
}

// rereadFiles reads the files of all stages that have not been read at the head of the branch: none, if the branch is where
// it was, or all pushes since have been heard of.
func (a *App) rereadFiles(ctx context.Context, l *look) (record, error) {
	stages, err := a.unread(ctx, l.row.ID, l.p, l.head.SHA)
	if err != nil {
		return nil, err
	}
	return readFiles(ctx, l.client, l.row.ID, l.p, stages, func(promotion.SHA) promotion.Actor { return promotion.Actor{} })
}

// unread returns the stages whose files may differ from what was promoted by now, as far as anybody wants to know.
func (a *App) unread(ctx context.Context, pipeline int64, p *promotion.Pipeline, head promotion.SHA) (stages []*promotion.Stage, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		names, err := tx.Unread(pipeline, head)
		for _, name := range names {
			if s := p.Stage(name); s != nil && s.Drift != promotion.DriftIgnore {
				stages = append(stages, s)
			}
		}
		return err
	})
	return stages, err
}

// readFiles reads the files of stages in one query. by says who pushed a head, if that is known.
func readFiles(
	ctx context.Context, client *gh.Client, pipeline int64, p *promotion.Pipeline, stages []*promotion.Stage, by func(head promotion.SHA) promotion.Actor,
) (record, error) {
	var paths []string
	for _, s := range stages {
		paths = append(paths, pathsOf(s)...)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	base, err := client.Read(ctx, p.Branch, paths)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return recordAll(stages, func(s *promotion.Stage) error {
			return tx.RecordReading(store.StageKey{Pipeline: pipeline, Stage: s.Name}, promotion.Reading{
				Commit: base.SHA, By: by(base.SHA), Values: values(s, base),
			})
		})
	}, nil
}
