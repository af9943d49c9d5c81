package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/promotion/command"
)

// completionTime is how long a shell waits for names that the server knows.
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
		all := d.known(cmd.Context(), getenv)
		if usage.Several {
			return placesOf(all), cobra.ShellCompDirectiveNoFileComp
		}
		return stagesOf(all), cobra.ShellCompDirectiveNoFileComp
	}
}

func verbs() (all []cobra.Completion) {
	for _, u := range command.Commands {
		all = append(all, cobra.CompletionWithDesc(string(u.Verb), u.Does))
	}
	return all
}

// completeStage offers stages as the first word of the command line.
func (r *remote) completeStage(getenv func(string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return stagesOf(r.known(cmd.Context(), getenv)), cobra.ShellCompDirectiveNoFileComp
	}
}

// completePlaces offers stages and groups of them as so many words of the command line.
func (r *remote) completePlaces(getenv func(string) string, most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return placesOf(r.known(cmd.Context(), getenv)), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRepo offers the home repositories of all pipelines.
func (r *remote) completeRepo(getenv func(string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		r.repo = ""
		return repos(r.known(cmd.Context(), getenv)), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRepoOrStage offers what status takes: a repository or a stage first, then stages. A group is as good
// as a stage.
func (r *remote) completeRepoOrPlace(getenv func(string) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(words) == 0 {
			all := r.known(cmd.Context(), getenv)
			return append(repos(all), placesOf(all)...), cobra.ShellCompDirectiveNoFileComp
		}
		if strings.Contains(words[0], "/") {
			r.repo = words[0]
		}
		return placesOf(r.known(cmd.Context(), getenv)), cobra.ShellCompDirectiveNoFileComp
	}
}

// known returns the pipeline that --repo names, or all of them; none if the server does not say.
func (r *remote) known(ctx context.Context, getenv func(string) string) []api.PipelineHead {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	s, err := r.server(getenv)
	if err != nil {
		return nil
	}
	all, err := s.pipelines(ctx)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(p api.PipelineHead) bool { return r.repo != "" && r.repo != p.Repo })
}

// stagesOf are the names of all stages of the pipelines, each once.
func stagesOf(pipelines []api.PipelineHead) (all []string) {
	for _, p := range pipelines {
		all = append(all, p.StageNames...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// placesOf are what names one stage or several of the pipelines: stages and groups, each once.
func placesOf(pipelines []api.PipelineHead) []string {
	all := stagesOf(pipelines)
	for _, p := range pipelines {
		for _, group := range p.Groups {
			if !slices.Contains(all, group) {
				all = append(all, group)
			}
		}
	}
	return all
}

// yamlFiles offers files by their endings.
func yamlFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yml", "yaml"}, cobra.ShellCompDirectiveFilterFileExt
}
