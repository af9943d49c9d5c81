package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waybill/config"
	"waybill/promotion/command"
)

// words checks that a command line has at least and at most so many words behind the command's name.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused("something is missing: %s", usageOf(cmd))
		case len(args) > most:
			return misused("%q is one word too many: %s", args[most], usageOf(cmd))
		}
		return nil
	}
}

// usageOf is how a command is called.
func usageOf(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " (see " + cmd.CommandPath() + " --help)"
}

// chosen has a command that only groups others ask for one of them.
func chosen(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		var known []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				known = append(known, c.Name())
			}
		}
		near := ""
		if best := config.Nearest(args[0], known); best != "" {
			near = fmt.Sprintf("; did you mean %s %s?", cmd.CommandPath(), best)
		}
		if command.Find(args[0]) != nil && !cmd.HasParent() {
			near = fmt.Sprintf("; give it to the server by waybill do \"%s\"", strings.Join(args, " "))
		}
		return misused("there is no command %s %s%s (%s --help lists all)", cmd.CommandPath(), args[0], near,
			cmd.CommandPath())
	}
}
