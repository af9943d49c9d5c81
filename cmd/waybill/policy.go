package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func policyCommand(getenv func(string) string) *cobra.Command {
	cmd := &cobra.Command{Use: "policy", Short: "Who may do what, and which rule says so"}
	chosen(cmd)
	cmd.AddCommand(explainCommand(getenv))
	return cmd
}

func explainCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "explain STAGE USER",
		Short: "What somebody may do in a stage",
		Long: "Prints which commands somebody may give in a stage, by what GitHub says of them now, and for each the line " +
			"of the policy\nfile that decides. The repository need not be named where there is only one pipeline.",
		Example: "  waybill policy explain prod ann\n  waybill policy explain prod ann --repo acme/deploy --json",
		Args:    words(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			return r.explain(cmd.Context(), s, args[0], args[1], newPage(cmd.OutOrStdout(), getenv))
		},
	}
	r.flags(cmd)
	r.repoFlag(cmd, getenv)
	cmd.ValidArgsFunction = r.completeStage(getenv)
	return cmd
}

func (r *remote) explain(ctx context.Context, s *server, stage, login string, p *page) error {
	repo, err := r.pipeline(ctx, s)
	if err != nil {
		return err
	}
	var answer api.Explanation
	if err := s.get(ctx, pipelinePath(repo, "stages", stage, "policy", login), &answer); err != nil {
		return err
	}
	return r.print(p, answer, func() { p.explanation(repo, answer) })
}

// explanation prints the rights of a person in a stage, and a line for each command.
func (p *page) explanation(repo string, e api.Explanation) {
	p.line(0, loud, fmt.Sprintf("%s in %s of %s: %s permission", e.Login, e.Stage, repo, e.Permission))
	if e.Automatic {
		p.line(2, plain, "freight is promoted there by itself")
	}
	if e.Approvals > 0 {
		text := fmt.Sprintf("%d must sign a promotion off", e.Approvals)
		if e.Rollbacks {
			text += ", and every rollback"
		}
		p.line(2, plain, text)
	}
	if e.Merge == "manual" {
		p.line(2, plain, "a person merges")
	}
	for _, c := range e.Commands {
		tone := good
		if !c.May {
			tone = quiet
		}
		p.entry("/"+c.Command, 11, tone, c.Text+" ("+ruled(c.Rule)+")")
	}
}

// ruled says where a rule stands.
func ruled(rule string) string {
	switch rule {
	case "default":
		return "by default"
	case "none":
		return "no rule"
	}
	return rule
}
