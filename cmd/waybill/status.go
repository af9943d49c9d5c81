package main

import (
	"context"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"waybill/app/api"
	"waybill/promotion/command"
)

func statusCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "status [OWNER/REPO] [STAGES...]",
		Short: "What is where, and why",
		Long: "Prints what every stage of a pipeline hosts, whether that is good, what is under way, and what waits for " +
			"what.\nWithout a name it prints the only pipeline, or a list of all. `waybill watch` shows it anew when it " +
			"changes.\n" + ofStages + "\n" + exitCodes,
		Example: "  waybill status\n  waybill status acme/deploy prod\n  waybill status 'eu-*' group:canary\n" +
			"  waybill status --json | jq " +
			"'.stages[] | {name, hosts}'",
		Args: words(0, math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			return r.status(cmd.Context(), s, args, newPage(cmd.OutOrStdout(), getenv))
		},
	}
	cmd.ValidArgsFunction = r.completeRepoOrPlace(getenv)
	r.flags(cmd)
	return cmd
}

// status prints the list of pipelines, one of them, or some of its stages.
func (r *remote) status(ctx context.Context, s *server, args []string, p *page) error {
	if len(args) == 0 {
		all, err := s.pipelines(ctx)
		if err != nil {
			return err
		}
		if len(all) != 1 {
			return r.print(p, api.Pipelines{Pipelines: all}, func() { p.list(all, time.Now()) })
		}
		args = []string{all[0].Repo}
	}
	if !strings.Contains(args[0], "/") { // stages of the only pipeline
		repo, err := s.only(ctx)
		if err != nil {
			return err
		}
		args = append([]string{repo}, args...)
	}
	repo, stages := args[0], listOf(args[1:])
	if err := isRepo(repo); err != nil {
		return err
	}
	var answer api.Pipeline
	var err error
	switch {
	case stages == "":
		err = s.suggest(ctx, s.get(ctx, pipelinePath(repo), &answer), repo, "")
	case command.Several(stages):
		answer, err = s.stagesNamed(ctx, repo, stages)
	default:
		return r.statusOfStage(ctx, s, repo, stages, p)
	}
	if err != nil {
		return err
	}
	return r.print(p, answer, func() { p.pipeline(answer) })
}

func (r *remote) statusOfStage(ctx context.Context, s *server, repo, stage string, p *page) error {
	var answer api.StageDetail
	if err := s.get(ctx, pipelinePath(repo, "stages", stage), &answer); err != nil {
		return s.suggest(ctx, err, repo, stage)
	}
	return r.print(p, answer, func() { p.detail(answer) })
}

// print prints an answer for programs or for people.
func (r *remote) print(p *page, answer any, people func()) error {
	if r.json {
		return printJSON(p.out, answer)
	}
	people()
	return p.err
}

var repoName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^/\s]+/[^/\s]+$`) })

func isRepo(name string) error {
	if !repoName().MatchString(name) {
		return misused("%q is not a repository: name it as owner/name", name)
	}
	return nil
}

// newPage is a page on out: in colour on a terminal, unless NO_COLOR is set.
func newPage(out io.Writer, getenv func(string) string) *page {
	f, is := out.(*os.File)
	screen := false
	if is && getenv("TERM") != "dumb" {
		info, err := f.Stat()
		screen = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return &page{out: out, screen: screen, colour: screen && getenv("NO_COLOR") == ""}
}
