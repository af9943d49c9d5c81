package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the build (-ldflags "-X main.version=v1.2.3").
var version = ""

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print which Waybill this is",
		Args:  words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "{\"version\":%q}\n", buildVersion())
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "waybill", buildVersion())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// buildVersion returns the version that the build was given, else the commit it was made of.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return info.Main.Version
}
