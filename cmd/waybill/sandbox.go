//go:build !nosandbox

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"waybill/internal/sandbox"
	"waybill/internal/story"
)

func sandboxCommand() *cobra.Command {
	var script string
	var settings sandbox.Settings
	var github []string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Run everything on this machine, against a simulated GitHub",
		Long: "Starts a simulated GitHub with a sample organisation and the whole of Waybill, and sends a first freight to " +
			"prod.\nIt needs no account and no network, and leaves nothing behind. With --script it plays a story over HTTP " +
			"instead and\nexits 0 if everything happened as written, 1 if not (it prints the difference), 2 if the " +
			"story cannot be read.",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port := settings.Port; cmd.Flags().Changed("port") && (port < 1 || port > 65534) {
				return misused("--port takes a number from 1 to 65534, such as 8080, not %d", port)
			}
			if script == "" {
				return sandbox.Play(cmd.Context(), cmd.OutOrStdout(), settings)
			}
			return playScript(cmd.Context(), script, weather{seed, github}, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&script, "script", "", "play the story in `FILE` and exit")
	cmd.Flags().StringVar(&settings.Connect, "connect", "",
		"write to `FILE`, as JSON, how other programs reach the simulated GitHub")
	cmd.Flags().IntVar(&settings.Port, "port", 0,
		"the simulated GitHub listens on `PORT` of 127.0.0.1, and Waybill on the next one (default: free ports)")
	cmd.Flags().StringSliceVar(&github, "github", nil,
		"with --script: GitHub is as `PROFILES` say: "+strings.Join(sandbox.Profiles(), ", "))
	cmd.Flags().Uint64Var(&seed, "seed", 1, "with --github: decides what happens when")
	apart(cmd, "script", "connect")
	apart(cmd, "script", "port")
	apart(cmd, "github", "connect")
	return cmd
}

// weather is what the simulated GitHub is like.
type weather struct {
	seed     uint64
	profiles []string
}

// playScript plays a story on the whole program.
func playScript(ctx context.Context, file string, github weather, out, errOut io.Writer) error {
	for _, p := range github.profiles {
		if !slices.Contains(sandbox.Profiles(), p) {
			fmt.Fprintf(errOut, "waybill: --github %s: there is %s\n", p, strings.Join(sandbox.Profiles(), ", "))
			return exitCode(2)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(errOut, "waybill:", err)
		return exitCode(2)
	}
	s, err := story.Parse(file, data)
	if err != nil {
		fmt.Fprintln(errOut, "waybill:", err)
		return exitCode(2)
	}
	played, err := playOnce(zerolog.Nop().WithContext(ctx), s, github, errOut)
	if err != nil {
		return err
	}
	if diff := story.Diff(s, played); diff != "" {
		fmt.Fprint(out, diff)
		return exitCode(1)
	}
	fmt.Fprintf(out, "%s: as written, %d steps\n", file, len(s.Steps))
	return nil
}

// playOnce plays a story in a world of its own, which it removes afterwards. A request against GitHub's own description
// of its API is an error.
func playOnce(ctx context.Context, s story.Story, github weather, errOut io.Writer) (played story.Story, err error) {
	dir, err := os.MkdirTemp("", "waybill-story-")
	if err != nil {
		return s, fmt.Errorf("make a folder for the story: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var broken error
	world, err := sandbox.NewWorld(ctx, s, dir, func(violation error) {
		fmt.Fprintln(errOut, violation)
		broken = errors.New("an exchange broke GitHub's description of its API")
	})
	if err != nil {
		return s, err
	}
	if len(github.profiles) > 0 {
		world.Behave(github.seed, github.profiles...)
	}
	played, err = story.Run(ctx, s, world)
	return played, errors.Join(err, world.Close(), broken)
}
