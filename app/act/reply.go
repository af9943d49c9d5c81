package act

import (
	"context"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

// reply answers a command where it was given.
func (a *Executor) reply(ctx context.Context, j *job) (work.Record, error) {
	answer := &surface.Answer{Effect: &j.Effect, Freight: j.freight, Marker: marker(j)}
	answer.Report = func(ctx context.Context, r promotion.Request) (say.Report, error) {
		if r.Together != 0 {
			return reports{a}.together(ctx, j, r)
		}
		report, err := reports{a}.report(ctx, j, r)
		if report.None {
			j.Outcome = string(promotion.Refused) // as the reaction shows it
		}
		return report, err
	}
	answer.Refusal = func(r promotion.Request) say.Refusal {
		return say.RefusalOf(r, j.Outcome, j.Reason, j.pipeline.Policy, j.Stage)
	}
	answer.Mirror = func(ctx context.Context, r promotion.Request, where string) error {
		err := a.mirror(ctx, j, r, where)
		if err == nil || work.Transient(err) {
			return err
		}
		zerolog.Ctx(ctx).Warn().Err(err).Msg("not told on the pull request")
		return nil
	}
	rec, err := a.surfaces.At(j.Surface).Reply(ctx, answer)
	j.said = answer.Said
	return rec, err
}

// mirror comments on the freight's pull request when a command was given elsewhere and carried out, so that readers
// there learn the cause.
func (a *Executor) mirror(ctx context.Context, j *job, r promotion.Request, where string) error {
	if command.IsQuestion(r.Command.Verb) || j.Outcome != string(promotion.Done) || j.freight.Pull == 0 {
		return nil
	}
	source, err := a.Client(j.freight.Repo)
	if err != nil {
		return err
	}
	if may, err := a.GrantWords(ctx, j.Pipeline, r, j.freight.Repo); err != nil || !may {
		return err
	}
	done, err := reports{a}.report(ctx, j, r)
	if err != nil {
		return err
	}
	_, err = source.Comments.Write(ctx,
		gh.Comment{Issue: j.freight.Pull, Marker: marker(j), Body: say.Via(where, r.Command, r.By, done)})
	if _, none := work.NoContent(err); none {
		a.Withheld(env.WithheldWords, r)
		return nil
	}
	return err
}
