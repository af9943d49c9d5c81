package main

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/spf13/cobra"
)

func watchCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "watch [OWNER/REPO] [STAGES...]",
		Short: "What is where, and why, shown anew when it changes",
		Long: "Prints what `waybill status` prints, and prints it anew whenever it has changed, until it is interrupted. " +
			"It needs\na terminal; scripts use `waybill events` or `waybill wait`.\n" + exitCodes,
		Example: "  waybill watch\n  waybill watch acme/deploy prod",
		Args:    words(0, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			p := newPage(cmd.OutOrStdout(), getenv)
			if r.json || !p.screen {
				return misused("watch needs a terminal: use `waybill events`, `waybill wait` or `waybill status --json`")
			}
			return watch(cmd.Context(), p, lookInterval, func(to *page) error {
				return r.status(cmd.Context(), s, args, to)
			})
		},
	}
	cmd.ValidArgsFunction = r.completeRepoOrPlace(getenv)
	r.flags(cmd)
	return cmd
}

// fromTheTop moves a terminal's cursor to the top, and clears the screen.
const fromTheTop = "\x1b[H\x1b[2J"

// watch prints a page whenever it has changed. A server that does not answer for a while is asked again; the first
// answer must come.
func watch(ctx context.Context, p *page, every time.Duration, render func(*page) error) error {
	var shown string
	for first := true; ; first = false {
		var text bytes.Buffer
		err := render(&page{out: &text, colour: p.colour})
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || codeOf(err) != codeUnreachable):
			return err
		case err != nil:
			text.Reset()
			(&page{out: &text, colour: p.colour}).line(0, bad, err.Error())
		}
		if text.String() != shown {
			shown = text.String()
			p.print(fromTheTop + shown)
		}
		if p.err != nil {
			return p.err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}
