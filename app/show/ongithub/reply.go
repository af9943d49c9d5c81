package ongithub

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

func (g *Surface) replyOnPull(ctx context.Context, a *surface.Answer, address string) (work.Record, error) {
	to, err := surface.ParsePullAddress(address)
	if err != nil {
		return nil, err
	}
	where, err := g.Client(to.Repo)
	if err != nil {
		return nil, err
	}
	r, inWords, err := g.listened(ctx, a, to.Repo)
	if err == nil && inWords {
		err = g.answer(ctx, a, r, where, to)
	}
	// Words wait for room, and a conversation that people have locked takes none of ours: the reaction comes all the same.
	if _, later := work.NoContent(err); err != nil && !later && !gh.RefusesThis(err) {
		return nil, err
	}
	if to.Comment != 0 {
		if err := g.react(ctx, a, r, where, to.Comment); err != nil {
			zerolog.Ctx(ctx).Info().Err(err).Msg("no reaction") // decoration
		}
	}
	if err != nil {
		return nil, err
	}
	return g.foldOutdated(ctx, a, r, where)
}

// answer writes the answer. That of a refusal or a question stores the id of its comment, to be folded later.
func (g *Surface) answer(
	ctx context.Context, a *surface.Answer, r promotion.Request, where *gh.Client, to surface.PullAddress,
) error {
	text, err := g.answerText(ctx, a, r)
	if err != nil || text == "" {
		return err
	}
	written, err := where.Comments.Write(ctx, gh.Comment{Issue: to.Number, Marker: a.Marker, Body: text})
	if _, none := work.NoContent(err); none && acted(a, r) { // the reaction says that it is done; nobody waits for words
		g.Withheld(env.WithheldWords, r)
		return nil
	}
	if a.Outcome == string(promotion.Refused) || command.IsQuestion(r.Command.Verb) {
		a.Said = written.Node
	}
	return err
}

// foldOutdated folds what a person has no more use for on a pull request: refusals, once a later command of theirs
// there is carried out, and answers to questions, once a later question is answered.
func (g *Surface) foldOutdated(
	ctx context.Context, a *surface.Answer, r promotion.Request, where *gh.Client,
) (work.Record, error) {
	question := command.IsQuestion(r.Command.Verb)
	answered := question && a.Outcome != string(promotion.Refused) && a.Said != ""
	if !answered && !acted(a, r) {
		return nil, nil
	}
	var nodes []string
	err := g.Store.View(ctx, func(tx *store.Tx) (err error) {
		nodes, err = tx.Requests.OutdatedBy(a.Pipeline, r, question)
		return err
	})
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	if err := where.Comments.Minimize(ctx, nodes); err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("comments are not folded") // decoration
		return nil, nil
	}
	return func(tx *store.Tx) error { return tx.Requests.ForgetOutdatedBy(a.Pipeline, r, question) }, nil
}

// reactions show the outcome of a command on its comment.
var reactions = map[promotion.Code]string{promotion.Done: "rocket", promotion.Already: "+1", promotion.Refused: "-1"}

// maxAnswers is how many answers in words of one outcome a person gets on one pull request within an hour, to questions
// and to other commands (T12). What they get in the whole repository is bounded as well.
const maxAnswers = 10

// listened returns the command that a reply answers, and whether it is answered in words, in a repository.
func (g *Surface) listened(
	ctx context.Context, a *surface.Answer, in promotion.Repo,
) (r promotion.Request, inWords bool, err error) {
	enough := false
	err = g.Store.View(ctx, func(tx *store.Tx) error {
		if r, _, err = tx.Requests.ByID(a.Pipeline, a.Request); err != nil {
			return err
		}
		before, err := tx.Requests.RepliedBefore(a.Pipeline, r, a.Outcome, tx.Now.Add(-time.Hour))
		before = slices.DeleteFunc(before, func(c promotion.Command) bool {
			return command.IsQuestion(c.Verb) != command.IsQuestion(r.Command.Verb)
		})
		enough = len(before) >= maxAnswers
		return err
	})
	switch {
	case err != nil:
		return r, false, err
	case enough:
		g.Withheld(env.WithheldWords, r)
		return r, false, nil
	}
	inWords, err = g.GrantWords(ctx, a.Pipeline, r, in)
	return r, inWords, err
}

// react shows the outcome of a command on its comment: once, however many commands of the comment have it. Of a command
// that one stage has refused and another has carried out it shows both.
func (g *Surface) react(
	ctx context.Context, a *surface.Answer, r promotion.Request, where *gh.Client, comment int64,
) error {
	var fresh []promotion.Code
	may := true
	err := g.Store.View(ctx, func(tx *store.Tx) error {
		outcomes, err := outcomesOf(tx, a, r)
		for _, outcome := range outcomes {
			shown, err := tx.Requests.SameAnswer(a.Pipeline, r, string(outcome))
			if err != nil {
				return err
			}
			if !shown {
				fresh = append(fresh, outcome)
			}
		}
		if err == nil && len(fresh) > 0 {
			may, err = g.MayReact(tx, a.Pipeline, r)
		}
		return err
	})
	if err == nil && !may {
		g.Withheld(env.WithheldReaction, r)
		return nil
	}
	for _, outcome := range fresh {
		if err == nil {
			err = where.Comments.React(ctx, comment, reactions[outcome])
		}
	}
	return err
}

// outcomesOf returns the outcome of a command, or those of the stages that it was given to, each once.
func outcomesOf(tx *store.Tx, a *surface.Answer, r promotion.Request) ([]promotion.Code, error) {
	outcomes := []promotion.Code{promotion.Code(a.Outcome)}
	if r.Together == 0 {
		return outcomes, nil
	}
	all, err := tx.Requests.Together(a.Pipeline, r.Together)
	for _, one := range all {
		if !slices.Contains(outcomes, one.Outcome) {
			outcomes = append(outcomes, one.Outcome)
		}
	}
	return outcomes, err
}

// acted reports whether a command has changed something.
func acted(a *surface.Answer, r promotion.Request) bool {
	return a.Outcome == string(promotion.Done) && !command.IsQuestion(r.Command.Verb)
}

// answerText is the text of the answer to a command.
func (g *Surface) answerText(ctx context.Context, a *surface.Answer, r promotion.Request) (string, error) {
	if a.Reports(r) {
		report, err := a.Report(ctx, r)
		return report.Markdown(), err
	}
	return a.Refusal(r).Markdown(), nil
}

// replyOnCheck shows the answer to a button on its check run.
func (g *Surface) replyOnCheck(ctx context.Context, a *surface.Answer) (work.Record, error) {
	var r promotion.Request
	err := g.Store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Requests.ByID(a.Pipeline, a.Request)
		return err
	})
	if err != nil {
		return nil, err
	}
	text, err := g.answerText(ctx, a, r)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		v, err := tx.Views.ViewBySurface(a.Surface)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		var run views.CheckView
		if err == nil {
			err = surface.ReadLook(&v, &run)
		}
		if err != nil {
			return err
		}
		run.Answer = say.PressText(r, text)
		run.Turns++
		return surface.Want(tx, v, run)
	}, nil
}

// replyToLabel removes a label that was carried out or refused, and comments on a refusal. The label of a hold stays as
// long as the hold, and comes back if the hold was not lifted.
func (g *Surface) replyToLabel(ctx context.Context, a *surface.Answer, address string) (work.Record, error) {
	to, err := surface.ParsePullAddress(address)
	if err != nil {
		return nil, err
	}
	var r promotion.Request
	if err := g.Store.View(ctx, func(tx *store.Tx) (err error) {
		r, _, err = tx.Requests.ByID(a.Pipeline, a.Request)
		return err
	}); err != nil {
		return nil, err
	}
	where, err := g.Client(to.Repo)
	if err != nil {
		return nil, err
	}
	refused := a.Outcome == string(promotion.Refused)
	switch {
	case r.Command.Verb == promotion.CmdPromote:
		err = where.Labels.Remove(ctx, to.Number, surface.PromoteLabel+r.Command.Place())
	case r.Command.Verb == promotion.CmdHold && refused:
		err = where.Labels.Remove(ctx, to.Number, surface.HoldLabel)
	case r.Command.Verb == promotion.CmdUnhold && refused:
		err = where.Labels.Add(ctx, to.Number, []string{surface.HoldLabel})
	}
	if err != nil || !refused {
		return nil, err
	}
	return g.replyOnPull(ctx, a, address)
}
