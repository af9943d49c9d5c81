package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"waybill/config"
	"waybill/store"
)

func backupCommand(getenv func(string) string) *cobra.Command {
	var settings string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while the server runs",
		Long: "Writes a consistent copy of the database to a file that must not exist yet, while the server may go on working.\n" +
			"The copy is for its owner only: it holds webhooks, names and the audit trail, but no keys or tokens.\n" +
			"To go back to it, stop the server, put the copy in the place of the database, remove files that end in -wal and -shm\n" +
			"beside it, and start the server: it asks GitHub for what happened since.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return backUp(cmd.Context(), getenv, settings, args[0], cmd.OutOrStdout())
		},
	}
	configFlag(cmd, &settings)
	return cmd
}

func backUp(ctx context.Context, getenv func(string) string, settings, file string, out io.Writer) error {
	database, err := databaseOf(getenv, settings)
	if err != nil {
		return err
	}
	if err := store.Backup(ctx, database, file); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "copied to", file)
	return err
}

// databaseOf returns where the database is that a command works on.
func databaseOf(getenv func(string) string, settings string) (string, error) {
	look, err := lookUp(getenv, settings)
	if err != nil {
		return "", err
	}
	return config.DatabaseFromEnv(look)
}
