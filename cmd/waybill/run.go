package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// exitCode is an error that only carries the exit code of a command which has said everything it had to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// run runs one command line and returns the exit code. The end-to-end tests start the same function.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "waybill",
		Short: "Moves freight through stages by pull requests",
		Long: "Waybill is a GitHub App that promotes freight through stages by opening and merging pull " +
			"requests,\nwaits for the check runs that verify each stage, and only then offers it to the next.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		serveCommand(getenv),
		statusCommand(getenv),
		resyncCommand(getenv),
		doCommand(getenv),
		policyCommand(getenv),
		deliveriesCommand(getenv),
		tokenCommand(),
		backupCommand(getenv),
		exportCommand(getenv),
		sandboxCommand(),
		validateCommand(),
		simulateCommand(),
		versionCommand(),
	)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintln(stderr, "waybill:", err)
	return 1
}
