package intake

import (
	"context"
	"slices"

	"waybill/app/learn"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
)

// touchedFiles reads the files of stages that a push has changed. The files of our own merges are known.
func (in *Intake) touchedFiles(ctx context.Context, from *handlers.From, push *handlers.Push) (work.Record, error) {
	if from.Ours || push.PathsUnknown {
		return nil, nil
	}
	on := promotion.Branch{Repo: push.Repo, Name: push.Branch}
	var all []work.Record
	for _, c := range in.Pipelines.UsingBranch(on) {
		const whatever = "" // no reading of an earlier head counts, so that files are found which were missing then
		stages, err := in.learn.Files.Unread(ctx, c.Row.ID, c.Pipeline, on, whatever)
		if err != nil {
			return nil, err
		}
		stages = slices.DeleteFunc(stages,
			func(s *promotion.Stage) bool { return !slices.ContainsFunc(push.Paths, s.Reads) })
		client, err := in.Client(on.Repo)
		if err != nil {
			return nil, err
		}
		rec, head, err := learn.ReadFiles(ctx, client, c.Row.ID, on, stages, func(head promotion.SHA) promotion.Actor {
			if head == push.After {
				return from.Sender
			}
			return promotion.Actor{} // another push came meanwhile
		})
		if err == nil {
			err = in.behind(ctx, from, push, head)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}
