package main

import (
	"context"
	"slices"
	"strings"
	"time"
	"waybill/promotion"
	"waybill/promotion/command"

	"github.com/spf13/cobra"
)

// completionTime is how long a shell waits for the names of stages.
const completionTime = 2 * time.Second

// complete offers a shell the next word of a command: its verb, or where a stage belongs those that the server knows.
func (d *do) complete(getenv func(string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) == 0 || len(words) == 1 && strings.TrimPrefix(words[0], "/") == string(promotion.CmdHelp) {
			return verbs(), cobra.ShellCompDirectiveNoFileComp
		}
		usage := command.UsageOf(promotion.CommandVerb(strings.TrimPrefix(words[0], "/")))
		if usage == nil || usage.StageAt() != len(words) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return d.stages(cmd.Context(), getenv), cobra.ShellCompDirectiveNoFileComp
	}
}

func verbs() (all []cobra.Completion) {
	for _, u := range command.Commands {
		all = append(all, cobra.CompletionWithDesc(string(u.Verb), u.Does))
	}
	return all
}

// stages are those of the pipeline that is meant, or of all; none if the server does not say.
func (d *do) stages(ctx context.Context, getenv func(string) string) (all []cobra.Completion) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	s, err := d.server(getenv)
	if err != nil {
		return nil
	}
	pipelines, err := s.pipelines(ctx)
	if err != nil {
		return nil
	}
	for _, p := range pipelines {
		if d.repo == "" || d.repo == p.Repo {
			all = append(all, p.StageNames...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
