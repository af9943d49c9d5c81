package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/config"
	"waybill/store"
)

func doctorCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is wrong, and what to do",
		Long: "Has the server look at itself, at the permissions and events of the App, at each pipeline, the webhook, " +
			"Slack and the\ndatabase, and prints a line for each. Warnings may be meant so. It needs a token without " +
			"repos=. If no server\nanswers at the usual address, it checks the settings and the database without one.\n" +
			"Exits with 0 if nothing is wrong, 1 if something that is used does not work, 2 if the command line is wrong, " +
			"4 if the token\nis missing or does not allow it, 5 if the server does not answer, or says to try again later.",
		Example: "  waybill doctor\n  waybill doctor --json | jq '.findings[] | select(.state != \"ok\")'",
		Args:    words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			return r.doctor(cmd.Context(), s, getenv, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	r.flags(cmd)
	return cmd
}

// doctor prints what the server finds, or what can be found without one.
func (r *remote) doctor(ctx context.Context, s *server, getenv func(string) string, p *page) error {
	var h api.Health
	err := s.get(ctx, "/api/v1/doctor", &h)
	var away unreachable
	if errors.As(err, &away) && r.address == "" {
		return r.withoutServer(ctx, getenv, err, p)
	}
	if err != nil {
		return err
	}
	if err := r.print(p, h, func() { p.health(h) }); err != nil {
		return err
	}
	if h.State == api.StateFail {
		return codeRefused
	}
	return nil
}

// withoutServer prints what can be found while no server answers, which is the first finding.
func (r *remote) withoutServer(ctx context.Context, getenv func(string) string, away error, p *page) error {
	look, err := lookUp(getenv, r.settings)
	if err != nil {
		return err
	}
	h := api.Health{State: api.StateFail, Findings: append([]api.Finding{{
		Check: "server", State: api.StateFail, Says: away.Error(), Off: "everything",
		Do: "Start it with `waybill serve`, with these settings, or name another one with --server",
	}}, unserved(ctx, look)...)}
	if err := r.print(p, h, func() { p.health(h) }); err != nil {
		return err
	}
	return codeUnreachable
}

// unserved checks settings and database as a server would find them at its start. Nothing is written.
func unserved(ctx context.Context, look func(string) string) (all []api.Finding) {
	settings, err := config.FromEnv(look)
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			all = append(all, api.Finding{Check: "settings", State: api.StateFail, Says: strings.TrimSpace(line),
				Off: "the start of a server with these settings"})
		}
	} else {
		all = append(all, api.Finding{Check: "settings", State: api.StateOK, Says: "complete; the App's key can be read"})
	}
	for _, w := range settings.Warnings {
		all = append(all, api.Finding{Check: "settings", State: api.StateWarn, Says: w})
	}
	url, err := config.DatabaseFromEnv(look)
	if err != nil {
		return all // one of the settings
	}
	pipelines := 0
	err = store.Read(ctx, url, func(tx *store.Tx) error {
		rows, err := tx.Pipelines.All()
		pipelines = len(rows)
		return err
	})
	if err != nil {
		return append(all, api.Finding{Check: "database", State: api.StateWarn, Says: err.Error(),
			Do: "If a server has run here before, correct WAYBILL_DATABASE_URL; a new server makes a database"})
	}
	return append(all, api.Finding{Check: "database", State: api.StateOK,
		Says: fmt.Sprintf("%s can be read, pipelines: %d", store.Place(url), pipelines)})
}

// marks are how findings look.
var marks = map[string]struct {
	word string
	tone tone
}{
	api.StateOK: {"ok", plain}, api.StateWarn: {"warn", waits}, api.StateFail: {"FAIL", bad},
}

// markColumn is as wide as the longest mark, and a blank.
const markColumn = 5

// health prints each finding in a line, which is broken on a terminal only.
func (p *page) health(h api.Health) {
	for _, f := range h.Findings {
		m, text := marks[f.State], sentence(f)
		if p.screen {
			p.entry(m.word, markColumn, m.tone, text)
			continue
		}
		p.print(fmt.Sprintf("%-*s%s\n", markColumn, m.word, clean(text)))
	}
}

// sentence says what was found, what that costs, and what to do.
func sentence(f api.Finding) string {
	text := f.Check
	if f.About != "" {
		text += " " + f.About
	}
	text += ": " + f.Says
	if f.Off != "" {
		text += ". Off until then: " + f.Off
	}
	if f.Do != "" {
		text += ". Do: " + f.Do
	}
	if f.Link != "" {
		text += ", at " + f.Link
	}
	return text
}
