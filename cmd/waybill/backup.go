package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"waybill/config"
	"waybill/store"
)

func backupCommand(getenv func(string) string) *cobra.Command {
	var settings string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while the server runs",
		Long: "Writes a consistent copy of the database to a file that must not exist yet, while the server may go on " +
			"working.\nThe copy is for its owner only: it holds webhooks, names and the audit trail, but no keys or tokens. " +
			"It is read from\nend to end before it gets its name. Then its audit trail is checked: exits with 1 and the first " +
			"bad line, and keeps\nthe copy, if that is not what was written. To go back to it, stop the server, run waybill " +
			"restore, and start it.",
		Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			database, err := databaseOf(getenv, settings)
			if err != nil {
				return err
			}
			return backUp(cmd.Context(), database, args[0], export{out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()})
		},
	}
	configFlag(cmd, &settings)
	return cmd
}

// backUp copies the database and checks the audit trail of the copy. A copy with a broken trail is kept: it is still a
// copy.
func backUp(ctx context.Context, database, file string, trail export) error {
	if err := store.Backup(ctx, database, file); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(trail.out, "copied to", file); err != nil {
		return err
	}
	trail.database = "sqlite://" + file
	return trail.check(ctx)
}

// databaseOf returns where the database is that a command works on.
func databaseOf(getenv func(string) string, settings string) (string, error) {
	look, err := lookUp(getenv, settings)
	if err != nil {
		return "", err
	}
	return config.DatabaseFromEnv(look)
}
