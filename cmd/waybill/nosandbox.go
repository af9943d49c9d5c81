//go:build nosandbox

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// sandboxCommand returns the command in a binary that is built without the simulated GitHub, as a server needs it: it
// refuses and names the binary that has it.
func sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "sandbox",
		Short:              "Not in this binary, which is built without the simulated GitHub",
		DisableFlagParsing: true, // with any arguments, the answer is the same
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this binary is built for servers, without the simulated GitHub (tag nosandbox):" +
				" for the sandbox run `make build` in Waybill's repository, and use the ./waybill that it makes")
		},
	}
}
