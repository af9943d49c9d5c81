package main

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func doCommand(getenv func(string) string) *cobra.Command {
	var d do
	cmd := &cobra.Command{
		Use:   "do COMMAND...",
		Short: "Give a command, in the words of pull request comments",
		Long: "Gives a command to the server and prints its answer. What it may do is what the person may do for whom the " +
			"token acts\n(`waybill token new NAME --as ID:LOGIN`). `waybill do help` lists the commands. The repository need " +
			"not be named where there\nis only one pipeline. A command with flags of its own stands in quotes.\n" + exitCodes,
		Example: "  waybill do promote prod api#142\n  waybill do \"hold prod until the demo is over\" --repo acme/deploy\n" +
			"  waybill do \"why prod\" --json\n  waybill do \"hold *-prod\"",
		Args: words(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := d.server(getenv)
			if err != nil {
				return err
			}
			return d.give(cmd.Context(), s, strings.Join(args, " "), cmd.OutOrStdout(), newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = d.complete(getenv)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return misused("%s; a command with flags of its own stands in quotes: waybill do \"hold prod --for 2h\"",
			wrongFlag(cmd, err))
	})
	d.flags(cmd)
	d.repoFlag(cmd, getenv)
	cmd.Flags().StringVar(&d.key, "key", "", "a `NAME` under which this command happens once, however often it is given")
	return cmd
}

// do is one run of the command.
type do struct {
	remote
	key string
}

func (d *do) give(ctx context.Context, s *server, command string, out io.Writer, p *page) error {
	repo, err := d.pipeline(ctx, s)
	if err != nil {
		return err
	}
	request, err := s.request(ctx, http.MethodPost, pipelinePath(repo, "commands"), api.Command{Command: command})
	if err != nil {
		return err
	}
	request.Header.Set(api.IdempotencyKey, d.key)
	var answer api.Answer
	if err := s.send(request, &answer); err != nil {
		return s.suggest(ctx, err, repo, "")
	}
	done := answer.Outcome == "done" || answer.Outcome == "already"
	switch {
	case d.json && done:
		return printJSON(out, answer)
	case d.json:
		return errors.Join(printJSON(out, answer), codeRefused)
	case done:
		p.answer(answer)
		return p.err
	case len(answer.Rows) > 0: // of several stages, of which one has refused
		p.answer(answer)
		return errors.Join(p.err, codeRefused)
	}
	return errors.New(answer.Text)
}

// answer prints the answer to a command: a table as a line for each row, which names each of several cells.
func (p *page) answer(a api.Answer) {
	p.line(0, plain, a.Text)
	column := 2
	for _, row := range a.Rows {
		column = max(column, min(len(row[0])+2, width/3))
	}
	for _, row := range a.Rows {
		var cells []string
		for i, cell := range row[1:] {
			switch {
			case cell == "":
			case len(row) == 2: // it needs no name
				cells = append(cells, cell)
			default:
				cells = append(cells, strings.ToLower(a.Head[i+1])+": "+cell)
			}
		}
		p.entry(row[0], column, plain, strings.Join(cells, "; "))
	}
	for _, note := range a.Notes {
		p.line(0, plain, note)
	}
	if a.Next != "" {
		p.line(0, quiet, "Next: "+given(a.Next))
	}
	if a.Undo != "" {
		p.line(0, quiet, "To undo it: "+given(a.Undo))
	}
}

// given is how a command is given to the server; "" if there is none.
func given(command string) string {
	if command == "" {
		return ""
	}
	return "waybill do \"" + strings.TrimPrefix(command, "/") + "\""
}
