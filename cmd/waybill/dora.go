package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

// dora is about the numbers of a pipeline.
type dora struct {
	remote
	since string
}

func doraCommand(getenv func(string) string) *cobra.Command {
	var d dora
	cmd := &cobra.Command{
		Use:   "dora [STAGES...]",
		Short: "Numbers about delivery: how often, how fast, how many fail",
		Long: "Prints how delivery goes in a pipeline and its stages, or in some of them: deployments, the lead time from " +
			"the merge\nand what it consists of, failures, and the time until a stage was well again. docs/numbers.md " +
			"says what counts.\n" + ofStages + "\n" + exitCodes,
		Example: "  waybill dora\n  waybill dora prod --since 90d\n  waybill dora --since 2026-01-01 --json | jq .whole",
		Args:    words(0, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := d.server(getenv)
			if err != nil {
				return err
			}
			return d.run(cmd.Context(), s, listOf(args), newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = d.completePlaces(getenv, math.MaxInt)
	d.flags(cmd)
	d.repoFlag(cmd, getenv)
	cmd.Flags().StringVar(&d.since, "since", "28d", "from `WHEN` on: days, or a time such as 2026-01-31")
	return cmd
}

func (d *dora) run(ctx context.Context, s *server, stages string, p *page) error {
	repo, err := d.pipeline(ctx, s)
	if err != nil {
		return err
	}
	var answer api.Numbers
	query := url.Values{"since": {d.since}}
	if stages != "" {
		query.Set("stages", stages)
	}
	if err := s.get(ctx, pipelinePath(repo, "numbers")+"?"+query.Encode(), &answer); err != nil {
		return s.suggest(ctx, err, repo, stages)
	}
	return d.print(p, answer, func() { p.numbers(repo, stages, answer) })
}

// numbers prints an entry for each stage, and one for the pipeline unless only some stages are asked for.
func (p *page) numbers(repo, stages string, n api.Numbers) {
	p.now = n.At
	p.line(0, loud, fmt.Sprintf("%s, since %s", repo, p.clock(n.Since)))
	if n.Partial {
		p.line(0, waits, "There were more than the newest 10,000 promotions; only these count.")
	}
	if stages != "" && len(n.Stages) == 0 {
		p.line(0, plain, stages+" only passes freight on, and has no numbers.")
	}
	names := []string{"all"}
	for _, s := range n.Stages {
		names = append(names, s.Stage)
	}
	column := columnFor(names)
	for _, s := range n.Stages {
		p.print("\n")
		p.measures(s.Stage, column, s.Measures)
	}
	if stages == "" && len(n.Last) > 1 {
		p.print("\n")
		p.measures("all", column, n.Whole)
		p.line(column, quiet, "the last stages together: "+strings.Join(n.Last, ", "))
	}
}

// measures prints the numbers of a stage.
func (p *page) measures(name string, column int, m api.Measures) {
	if m.Deployments == 0 {
		p.entry(name, column, quiet, "no deployments")
		return
	}
	p.entry(name, column, plain, fmt.Sprintf("%s, %s a week", counted(m.Deployments, "deployment"), few(m.PerWeek)))
	if m.LeadTime != nil {
		p.line(column, plain, "lead time "+typical(m.LeadTime))
		var parts []string
		for _, w := range m.Waits {
			if percent := math.Round(100 * w.Share); percent > 0 {
				parts = append(parts, fmt.Sprintf("%s %.0f%%", causeWords[w.Cause], percent))
			}
		}
		p.line(column+2, quiet, strings.Join(parts, ", "))
	}
	if m.FailureRate != nil {
		tone := good
		if m.Failed > 0 {
			tone = waits
		}
		p.line(column, tone, fmt.Sprintf("%d of %d failed (%.0f%%)", m.Failed, m.Judged, 100**m.FailureRate))
	}
	if m.Restore != nil {
		p.line(column, plain, "restored in "+typical(m.Restore))
	}
	if m.Broken > 0 {
		p.line(column, bad, counted(m.Broken, "failure")+" not restored yet")
	}
}

// causeWords are the causes of waiting as people read them.
var causeWords = map[string]string{
	"before": "before its turn", "held": "held", "turn": "in the queue", "sign-off": "sign-off", "delivery": "delivery",
	"verification": "verification",
}

// typical says how long something took.
func typical(s *api.Spread) string {
	took := func(seconds int64) string { return brief(time.Duration(seconds) * time.Second) }
	if s.Count == 1 {
		return took(s.Median)
	}
	return fmt.Sprintf("%s, nine of ten within %s", took(s.Median), took(s.P90))
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// few is a number that is small, or else without its fraction.
func few(x float64) string {
	if x < 10 && x != math.Trunc(x) {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
