package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func eventsCommand(getenv func(string) string) *cobra.Command {
	var f follower
	cmd := &cobra.Command{
		Use:   "events",
		Short: "The audit trail as it is written",
		Long: "Prints each line of the audit trail of a pipeline when it is written, until it is interrupted; with " +
			"--after N also\nthose behind line N. When the connection breaks, it goes on where it was. `waybill export` " +
			"prints the whole trail.\n" + exitCodes,
		Example: "  waybill events\n  waybill events --after 0 --json | jq 'select(.kind == \"command\")'",
		Args:    words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("after") && f.after < 0 {
				return misused("--after takes the number of a line, such as 20, or 0 for the beginning, not %d", f.after)
			}
			s, err := f.server(getenv)
			if err != nil {
				return err
			}
			s.http.Timeout = 0 // the answer never ends
			return f.follow(cmd.Context(), s, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.flags(cmd)
	f.repoFlag(cmd, getenv)
	cmd.Flags().Int64Var(&f.after, "after", -1, "begin behind line `N`; 0 is the beginning (default: with the next line)")
	return cmd
}

// follower prints the events of a pipeline.
type follower struct {
	remote
	after int64 // the last line that was printed; negative if none was
}

// follow prints events until it is interrupted.
func (f *follower) follow(ctx context.Context, s *server, p *page) error {
	repo, err := f.pipeline(ctx, s)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		err := f.listen(ctx, s, repo, p)
		switch {
		case ctx.Err() != nil || p.err != nil:
			return p.err
		case err != nil && (first || codeOf(err) != codeUnreachable):
			return s.suggest(ctx, err, repo, "")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookInterval):
		}
	}
}

// listen prints events until the connection breaks.
func (f *follower) listen(ctx context.Context, s *server, repo string, p *page) error {
	request, err := s.request(ctx, http.MethodGet, pipelinePath(repo, "events"), nil)
	if err != nil {
		return err
	}
	if f.after >= 0 {
		request.Header.Set("Last-Event-ID", strconv.FormatInt(f.after, 10))
	}
	response, err := s.open(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e api.Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return unreachable{fmt.Errorf("%s is not a Waybill that this program understands: %w", s.base, err)}
		}
		f.after = e.Seq
		if f.json {
			p.print(data + "\n")
		} else {
			p.event(e)
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil // the connection broke, or the server has ended it
}

// event prints a line of the audit trail.
func (p *page) event(e api.Event) {
	p.now = time.Now()
	text := fmt.Sprintf("%d %s %s %s", e.Seq, p.clock(e.At), e.Kind, cmp.Or(e.Command, e.Word))
	if e.Stage != "" && e.Command == "" {
		text += " " + e.Stage
	}
	if e.Promotion != 0 {
		text += fmt.Sprintf(" (promotion %d)", e.Promotion)
	}
	if e.By != "" {
		text += " by " + e.By
	}
	if e.Why != nil {
		text += ": " + e.Why.Sentence
	}
	switch {
	case e.Command != "":
		text += ": " + e.Outcome
	case e.Text != "":
		text += ": " + firstLine(e.Text)
	}
	p.line(0, plain, text)
}
