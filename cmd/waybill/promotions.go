package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func promotionsCommand(getenv func(string) string) *cobra.Command {
	var l list
	cmd := &cobra.Command{
		Use:   "promotions [STAGES...]",
		Short: "The newest promotions, and what became of them",
		Long: "Prints the newest promotions of a pipeline, or of some of its stages, and what they wait for or how they " +
			"ended.\n" + ofStages + "\n" + exitCodes,
		Example: "  waybill promotions\n  waybill promotions prod --limit 5\n  waybill promotions prod --json | jq " +
			"'.promotions[] | {number, freight, state}'",
		Args: words(0, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := l.server(getenv)
			if err != nil {
				return err
			}
			return l.promotions(cmd.Context(), s, listOf(args), newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = l.completePlaces(getenv, math.MaxInt)
	l.flags(cmd, getenv)
	return cmd
}

func (l *list) promotions(ctx context.Context, s *server, stages string, p *page) error {
	var answer api.Promotions
	repo, err := l.read(ctx, s, "promotions", url.Values{"stage": {stages}}, &answer)
	if err != nil {
		return err
	}
	if stages != "" && len(answer.Promotions) == 0 { // is there such a stage?
		if _, err := s.stagesNamed(ctx, repo, stages); err != nil {
			return err
		}
	}
	return l.print(p, answer, func() { p.promotions(answer.Promotions, time.Now()) })
}

// promotions prints an entry for each promotion.
func (p *page) promotions(all []api.Promotion, now time.Time) {
	p.now = now
	if len(all) == 0 {
		p.line(0, plain, "There is no promotion yet.")
		return
	}
	var names []string
	for _, a := range all {
		names = append(names, fmt.Sprintf("promotion %d", a.Number))
	}
	column := columnFor(names)
	for i, a := range all {
		tone, text := p.outcome(a)
		p.entry(names[i], column, tone, fmt.Sprintf("%s to %s: %s", a.Freight, a.Stage, text))
		p.address(column+2, a.Why.URL)
	}
}

// outcome says how a promotion ended, or why it waits, and who asked for it.
func (p *page) outcome(a api.Promotion) (tone, string) {
	by := "automation"
	if a.By != "" {
		by = a.By
	}
	if a.Ended == nil {
		return waits, fmt.Sprintf("%s%s; asked for by %s %s", a.Why.Sentence, p.look(a.Why), by, p.ago(a.Queued))
	}
	tone := bad
	switch a.State {
	case "succeeded":
		tone = good
	case "cancelled", "superseded":
		tone = quiet
	}
	return tone, fmt.Sprintf("%s, %s; asked for by %s", a.Why.Sentence, p.ago(*a.Ended), by)
}

func promotionCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "promotion NUMBER",
		Short: "One promotion, and everything done for it at GitHub",
		Long: "Prints a promotion: why it waits or how it ended, the files that it changes, and everything that Waybill " +
			"has done for\nit at GitHub, with the tries that failed.\n" + exitCodes,
		Example: "  waybill promotion 42\n  waybill promotion 42 --json",
		Args:    words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseInt(strings.TrimPrefix(args[0], "p"), 10, 64) // p42, as in comments
			if err != nil || n < 1 {
				return misused("%q is not the number of a promotion: `waybill promotions` lists them", args[0])
			}
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			return r.promotion(cmd.Context(), s, n, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	r.flags(cmd)
	r.repoFlag(cmd, getenv)
	return cmd
}

func (r *remote) promotion(ctx context.Context, s *server, number int64, p *page) error {
	repo, err := r.pipeline(ctx, s)
	if err != nil {
		return err
	}
	var answer api.PromotionDetail
	if err := s.get(ctx, pipelinePath(repo, "promotions", strconv.FormatInt(number, 10)), &answer); err != nil {
		return err
	}
	return r.print(p, answer, func() { p.onePromotion(answer, time.Now()) })
}

// onePromotion prints a promotion, its files and its effects.
func (p *page) onePromotion(a api.PromotionDetail, now time.Time) {
	p.promotions([]api.Promotion{a.Promotion}, now)
	for _, url := range append([]string{a.Pull, a.Commit, a.Run}, a.Steps...) {
		p.address(2, url)
	}
	if a.Trouble != "" && a.Ended == nil {
		p.line(2, bad, "tried again after: "+firstLine(a.Trouble))
	}
	for _, path := range a.Paths {
		p.line(2, plain, "changes "+path)
	}
	for _, e := range a.Effects {
		p.line(2, toneOfEffect(e), p.effect(e))
	}
}

// effect says how far something is that is done at GitHub.
func (p *page) effect(e api.Effect) string {
	text := fmt.Sprintf("%s %s", p.clock(e.Decided), e.Verb)
	switch {
	case e.NextLook != nil:
		text += ": tried " + p.in(*e.NextLook)
	case e.State == "failed":
		text += ": given up"
	default:
		text += ": " + e.State
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf(", tried %s", times(e.Attempts))
	}
	if e.Error != "" && e.State != "done" {
		text += ", last answer: " + firstLine(e.Error)
	}
	return text
}

func toneOfEffect(e api.Effect) tone {
	switch e.State {
	case "done":
		return good
	case "failed":
		return bad
	case "void":
		return quiet
	}
	return waits
}
