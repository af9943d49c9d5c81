package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"waybill/app/api"
)

func resyncCommand(getenv func(string) string) *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:   "resync [OWNER/REPO]",
		Short: "Compare a pipeline with GitHub now",
		Long: "Has the server ask GitHub for everything that a pipeline rests on, and waits until that is done. Nothing is " +
			"retried,\nand no hold is lifted. The pipeline need not be named where there is only one. It needs a token with " +
			"scope=operate.\n" + exitCodes,
		Args: words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := r.server(getenv)
			if err != nil {
				return err
			}
			return r.resync(cmd.Context(), s, args, cmd.OutOrStdout())
		},
	}
	cmd.ValidArgsFunction = r.completeRepo(getenv)
	r.flags(cmd)
	return cmd
}

func (r *remote) resync(ctx context.Context, s *server, args []string, out io.Writer) error {
	repo, err := s.named(ctx, args)
	if err != nil {
		return err
	}
	var answer api.Resync
	if err := s.post(ctx, pipelinePath(repo, "resync"), &answer); err != nil {
		return s.suggest(ctx, err, repo, "")
	}
	if r.json {
		return printJSON(out, answer)
	}
	_, err = fmt.Fprintf(out, "%s has been compared with GitHub; the next time by itself is %s\n", repo,
		answer.Due.UTC().Format("2006-01-02 15:04:05 UTC"))
	return err
}

// named returns the pipeline that the arguments name, or the only one.
func (s *server) named(ctx context.Context, args []string) (string, error) {
	if len(args) == 0 {
		return s.only(ctx)
	}
	return args[0], isRepo(args[0])
}
