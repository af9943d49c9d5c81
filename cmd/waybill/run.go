package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// run runs one command line and returns the exit code. The end-to-end tests start the same function.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	root := commands(getenv)
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print what makes a shell complete commands, stages and freight"
		}
	}
	chosen(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() {
			return cmd.RunE(cmd, words) // there is no such command, and so the flag is unknown
		}
		return misused("%s (%s --help lists the flags)", wrongFlag(cmd, err), cmd.CommandPath())
	})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	tell(err, args, stdout, stderr)
	return int(codeOf(err))
}

// commands returns every command of the program.
func commands(getenv func(string) string) *cobra.Command {
	root := &cobra.Command{
		Use:   "waybill",
		Short: "Moves freight through stages by pull requests",
		Long: "Waybill is a GitHub App that promotes freight through stages by opening and merging pull " +
			"requests,\nwaits for the check runs that verify each stage, and only then offers it to the next.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	group(root, "See what is so",
		statusCommand(getenv),
		watchCommand(getenv),
		waitCommand(getenv),
		freightCommand(getenv),
		promotionsCommand(getenv),
		doraCommand(getenv),
		promotionCommand(getenv),
		eventsCommand(getenv),
		policyCommand(getenv),
	)
	group(root, "Change it",
		doCommand(getenv),
		resyncCommand(getenv),
	)
	group(root, "Write a pipeline file",
		initCommand(getenv),
		validateCommand(),
		simulateCommand(),
		sandboxCommand(),
	)
	group(root, "Run a server",
		setupCommand(),
		serveCommand(getenv),
		doctorCommand(getenv),
		healthCommand(getenv),
		tokenCommand(),
		deliveriesCommand(getenv),
		backupCommand(getenv),
		restoreCommand(getenv),
		migrateCommand(getenv),
		exportCommand(getenv),
	)
	const others = "Besides"
	group(root, others, versionCommand())
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(others)
	root.SetCompletionCommandGroupID(others)
	return root
}

// group adds commands that the help shows under one title.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// helpCommand shows what a command does, as --help behind it would.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "What a command does, and its flags",
		RunE: func(_ *cobra.Command, args []string) error {
			c, left, err := root.Find(args)
			switch {
			case err != nil:
				return err
			case len(left) > 0 && c.HasSubCommands() && c.RunE != nil:
				return c.RunE(c, left) // it says that there is no such command
			case len(left) > 0:
				return misused("%q is one word too many: %s", left[0], usageOf(c))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
