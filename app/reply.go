package app

import (
	"context"
	"slices"
	"strings"
	"time"
	"waybill/app/gh"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/rs/zerolog"
)

// reply answers a command where it was given.
func (a *App) reply(ctx context.Context, j *job) (record, error) {
	if to, is := parseSlackSurface(j.Surface); is {
		return nil, a.replyInSlack(ctx, j, to)
	}
	if strings.HasPrefix(j.Surface, apiSurface) {
		return nil, a.replyOverAPI(ctx, j)
	}
	if strings.HasPrefix(j.Surface, checkSurface) {
		return a.replyOnCheck(j), nil
	}
	if rest, is := strings.CutPrefix(j.Surface, labelSurface); is {
		return a.replyToLabel(ctx, j, rest)
	}
	return a.replyOnPull(ctx, j, j.Surface)
}

func (a *App) replyOnPull(ctx context.Context, j *job, surface string) (record, error) {
	to, err := parsePullSurface(surface)
	if err != nil {
		return nil, err
	}
	where, err := a.client(to.Repo)
	if err != nil {
		return nil, err
	}
	r, heard, err := a.listened(ctx, j)
	if err == nil && heard {
		err = a.answer(ctx, j, r, where, to)
	}
	if err != nil {
		return nil, err
	}
	if to.Comment != 0 {
		if err := where.React(ctx, to.Comment, reactions[promotion.Code(j.Outcome)]); err != nil {
			zerolog.Ctx(ctx).Info().Err(err).Msg("no reaction") // decoration
		}
	}
	return a.foldRefusals(ctx, j, r, where)
}

// answer writes the answer, if words are needed. A refusal leaves what it is called, to be folded one day.
func (a *App) answer(ctx context.Context, j *job, r promotion.Request, where *gh.Client, to pullSurface) error {
	text, err := a.answerText(ctx, j, r)
	if err != nil || text == "" {
		return err
	}
	written, err := where.Comment(ctx, gh.Comment{Issue: to.Number, Marker: mark(j), Body: text})
	if j.Outcome == string(promotion.Refused) {
		j.said = written.Node
	}
	return err
}

// foldRefusals folds what somebody has been refused on a pull request, once something that they ask for there is done.
func (a *App) foldRefusals(ctx context.Context, j *job, r promotion.Request, where *gh.Client) (record, error) {
	if j.Outcome != string(promotion.Done) || command.IsQuestion(r.Command.Verb) {
		return nil, nil
	}
	var nodes []string
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		nodes, err = tx.Ledger.RefusalsBefore(j.Pipeline, r)
		return err
	})
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	if err := where.Minimize(ctx, nodes); err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("refusals are not folded") // decoration
		return nil, nil
	}
	return func(tx *store.Tx) error { return tx.Ledger.ForgetRefusals(j.Pipeline, r) }, nil
}

// reactions say on the comment itself what has become of its command.
var reactions = map[promotion.Code]string{promotion.Done: "rocket", promotion.Already: "+1", promotion.Refused: "-1"}

// How many answers in words one person gets on one pull request within an hour; what asks more gets a reaction only
// (T12). Whoever may not write is told once what they may not.
const (
	maxAnswers  = 10
	maxRefusals = 1
)

// listened returns the command that a reply answers, and whether it is answered in words. Strangers never are.
func (a *App) listened(ctx context.Context, j *job) (r promotion.Request, inWords bool, err error) {
	err = a.store.View(ctx, func(tx *store.Tx) error {
		if r, _, err = tx.Ledger.Request(j.Pipeline, j.Request); err != nil || r.Permission == promotion.NoPermission {
			return err
		}
		before, err := tx.Ledger.RepliedBefore(j.Pipeline, r, j.Outcome, tx.Now.Add(-time.Hour))
		before = slices.DeleteFunc(before, func(c promotion.Command) bool { return silent(j.Outcome, c) })
		most := maxAnswers
		if j.Outcome == string(promotion.Refused) && r.Permission < promotion.Write {
			most = maxRefusals
		}
		inWords = len(before) < most
		return err
	})
	return r, inWords, err
}

// silent reports whether the reaction says it all, because what has been done shows where the freight is shown.
func silent(outcome string, c promotion.Command) bool {
	return outcome == string(promotion.Done) && !command.IsQuestion(c.Verb)
}

// answerText is what a comment says in answer to a command; empty if the reaction says it all.
func (a *App) answerText(ctx context.Context, j *job, r promotion.Request) (string, error) {
	switch {
	case silent(j.Outcome, r.Command):
		return "", nil
	case j.Outcome == string(promotion.Done):
		report, err := a.report(ctx, j, r)
		return report.Markdown(), err
	}
	return say.ReplyText(j.Outcome, j.Reason), nil
}
