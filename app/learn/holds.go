package learn

import (
	"context"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
)

// AskHolds records the holds that people have given or lifted in comments of a repository.
func (q *Requests) AskHolds(ctx context.Context, repo promotion.Repo, said []gh.Said) (work.Record, error) {
	var all []work.Record
	for _, s := range said {
		rec, err := q.Ask(ctx, surface.Request{
			Repo: repo, Commands: holdsIn(s.Text), By: s.By, At: s.At,
			Surface:  surface.PullAddress{Repo: repo, Number: s.Pull, Comment: s.ID}.String(),
			PullRepo: repo, Pull: s.Pull, Typed: surface.Fingerprint(s.Text), Act: surface.CommentAct(s.ID), Found: true,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return work.InOrder(all), nil
}

// holdsIn returns the commands of a comment that hold something, or end that.
func holdsIn(text string) []promotion.Command {
	var holds []promotion.Command
	for _, line := range handlers.Lines(text) {
		if c, is := command.ParseLine(line); is && (c.Verb == promotion.CmdHold || c.Verb == promotion.CmdUnhold) {
			holds = append(holds, c)
		}
	}
	return command.Together(holds)
}
