package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

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
		watchCommand(getenv),
		waitCommand(getenv),
		freightCommand(getenv),
		promotionsCommand(getenv),
		promotionCommand(getenv),
		eventsCommand(getenv),
		resyncCommand(getenv),
		doctorCommand(getenv),
		doCommand(getenv),
		policyCommand(getenv),
		deliveriesCommand(getenv),
		tokenCommand(),
		backupCommand(getenv),
		migrateCommand(getenv),
		exportCommand(getenv),
		sandboxCommand(),
		initCommand(),
		validateCommand(),
		simulateCommand(),
		versionCommand(),
	)
	chosen(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return misused("%w (%s --help lists the flags)", err, cmd.CommandPath())
	})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	tell(err, args, stdout, stderr)
	return int(codeOf(err))
}
