package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

// list is how much of a long list is printed.
type list struct {
	remote
	limit int
}

// flags adds the flags to a command.
func (l *list) flags(cmd *cobra.Command, getenv func(string) string) {
	l.remote.flags(cmd)
	l.repoFlag(cmd, getenv)
	cmd.Flags().IntVar(&l.limit, "limit", 20, "print the `N` newest, 100 at most")
}

// read reads a list of a pipeline, asked for with further parameters, and returns the home of the pipeline.
func (l *list) read(ctx context.Context, s *server, what string, query url.Values, into any) (repo string, err error) {
	if l.limit < 1 || l.limit > 100 {
		return "", misused("--limit must be from 1 to 100, not %d", l.limit)
	}
	if repo, err = l.pipeline(ctx, s); err != nil {
		return "", err
	}
	query.Set("limit", strconv.Itoa(l.limit))
	if err := s.get(ctx, pipelinePath(repo, what)+"?"+query.Encode(), into); err != nil {
		return "", s.suggest(ctx, err, repo, "")
	}
	return repo, nil
}

func freightCommand(getenv func(string) string) *cobra.Command {
	var l list
	cmd := &cobra.Command{
		Use:   "freight",
		Short: "The newest freight, and which stages it has reached",
		Long: "Prints the newest freight of a pipeline, and for each the stages that host it or have hosted it.\n" +
			exitCodes,
		Example: "  waybill freight\n  waybill freight --repo acme/deploy --limit 5 --json",
		Args:    words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := l.server(getenv)
			if err != nil {
				return err
			}
			return l.freight(cmd.Context(), s, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	l.flags(cmd, getenv)
	return cmd
}

func (l *list) freight(ctx context.Context, s *server, p *page) error {
	var answer api.FreightPage
	if _, err := l.read(ctx, s, "freight", url.Values{}, &answer); err != nil {
		return err
	}
	return l.print(p, answer, func() { p.freight(answer.Freight, time.Now()) })
}

// freight prints an entry for each freight: what it is, and which stages it has reached.
func (p *page) freight(all []api.Freight, now time.Time) {
	p.now = now
	if len(all) == 0 {
		p.line(0, plain, "There is no freight yet.")
		return
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Freight)
	}
	column := columnFor(names)
	for _, f := range all {
		text := fmt.Sprintf("%.7s of %s", f.SHA, f.Repo)
		if f.Title != "" {
			text = fmt.Sprintf("%q", shorten(f.Title))
		}
		if f.Author != "" {
			text += " by " + f.Author
		}
		p.entry(f.Freight, column, plain, text+", "+p.ago(f.Merged))
		if len(f.Deployments) == 0 {
			p.line(column, quiet, "in no stage yet")
			continue
		}
		for _, d := range f.Deployments {
			tone, text := p.deployment(d)
			p.line(column, tone, text)
		}
	}
}

// deployment says how long a stage has hosted freight, and whether it was good.
func (p *page) deployment(d api.Deployment) (tone, string) {
	tone, when := toneOf(d.Verdict), "since "+p.clock(d.Since)
	if d.Left != nil {
		tone, when = quiet, fmt.Sprintf("from %s to %s", p.clock(d.Since), p.clock(*d.Left))
	}
	return tone, fmt.Sprintf("%s: %s, %s (promotion %d)", d.Stage, verdictWord(d.Verdict), when, d.Promotion)
}

// verdictWord is a verdict as people read it.
func verdictWord(verdict string) string {
	switch verdict {
	case "pending":
		return "not verified yet"
	case "passed":
		return "verified"
	case "failed":
		return "FAILED"
	}
	return verdict
}

// toneOf is how a verdict looks.
func toneOf(verdict string) tone {
	switch verdict {
	case "passed":
		return good
	case "failed", "inconclusive":
		return bad
	}
	return waits
}
