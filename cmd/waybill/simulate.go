package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"waybill/internal/story"
	"waybill/internal/story/core"
)

// The exit codes of simulate.
const (
	storyDiffers exitCode = 1
	storyBroken  exitCode = 2
)

func simulateCommand() *cobra.Command {
	var s simulation
	cmd := &cobra.Command{
		Use:   "simulate STORY...",
		Short: "Play stories through the decision core, without a network",
		Long: "Plays each story file through the decision core with a virtual clock. docs/stories.md describes the " +
			"notation.\nExits with 0 when everything happened as written, 1 when something differs, 2 when a story cannot be " +
			"opened or does not parse.",
		Example: "  waybill simulate promotion/testdata/stories/*.txtar\n  waybill simulate --print my-pipeline.txtar",
		Args:    words(1, math.MaxInt),
		RunE: func(cmd *cobra.Command, files []string) error {
			s.out, s.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return s.playAll(cmd.Context(), files)
		},
	}
	cmd.Flags().BoolVar(&s.print, "print", false, "print each story with what happens filled in")
	cmd.Flags().BoolVar(&s.update, "update", false, "write what happens back into the story files")
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object for each step")
	return cmd
}

// simulation is one run of the simulate command.
type simulation struct {
	print, update, json bool
	out, errs           io.Writer
}

// playAll plays every file, even after failures, and returns the worst result.
func (s simulation) playAll(ctx context.Context, files []string) error {
	var worst exitCode
	for _, file := range files {
		code, err := s.play(ctx, file)
		if err != nil {
			fmt.Fprintln(s.errs, err)
		}
		worst = max(worst, code)
	}
	if worst != 0 {
		return worst
	}
	return nil
}

func (s simulation) play(ctx context.Context, file string) (exitCode, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return storyBroken, err
	}
	return s.playText(ctx, file, data)
}

// playText plays the text of a story file.
func (s simulation) playText(ctx context.Context, file string, data []byte) (exitCode, error) {
	written, err := story.Parse(file, data)
	if err != nil {
		return storyBroken, err
	}
	world, err := core.New(written)
	if err != nil {
		return storyBroken, err
	}
	played, err := story.Run(ctx, written, world)
	if err != nil {
		return storyDiffers, err
	}
	return s.report(written, played)
}

// report prints the result of a story, or writes it back.
func (s simulation) report(written, played story.Story) (exitCode, error) {
	diff := story.Diff(written, played)
	code := exitCode(0)
	if diff != "" && !s.update {
		code = storyDiffers
	}
	var err error
	switch {
	case s.json:
		err = story.WriteJSON(s.out, written, played)
	case s.print:
		_, err = s.out.Write(played.Format())
	case diff == "":
		_, err = fmt.Fprintf(s.out, "ok   %s\n", written.Name)
	case !s.update:
		_, err = io.WriteString(s.out, diff)
	}
	if err == nil && diff != "" && s.update {
		err = os.WriteFile(written.Name, played.Format(), 0o644)
	}
	if err != nil {
		return storyBroken, fmt.Errorf("%s: %w", written.Name, err)
	}
	return code, nil
}
