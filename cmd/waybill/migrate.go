package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"waybill/store"
)

func migrateCommand(getenv func(string) string) *cobra.Command {
	var settings, from, to string
	cmd := &cobra.Command{
		Use:   "migrate --to postgres://...",
		Short: "Move everything from a SQLite file to PostgreSQL",
		Long: "Copies every table from a SQLite file into an empty database of PostgreSQL, compares the rows and hashes " +
			"of both,\nand checks the audit trail of the copy. Stop the server first: a file that one works on is refused. " +
			"The file stays\nas it is. If it is ended before it is done, run it again: it goes on where it was.\nThen start " +
			"the server with WAYBILL_DATABASE_URL=postgres://...: it learns from GitHub what happened since,\nbefore it " +
			"decides anything.\nExits with 1 if it was refused or something differs, 2 if the command line is wrong, 4 if the " +
			"server does not let\nthe user of the URL in, 5 if it does not answer.",
		Example: "  waybill migrate --from sqlite:///var/lib/waybill/waybill.db --to " +
			"'postgres://waybill@db.example/waybill?sslmode=verify-full'",
		Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return misused("--to is missing: name the new database, such as --to postgres://waybill@db.example/waybill")
			}
			if from == "" {
				var err error
				if from, err = databaseOf(getenv, settings); err != nil {
					return err
				}
			}
			return migrate(cmd.Context(), from, to, export{out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()})
		},
	}
	configFlag(cmd, &settings)
	cmd.Flags().StringVar(&from, "from", "", "`URL` of the file, sqlite://PATH (default: WAYBILL_DATABASE_URL)")
	cmd.Flags().StringVar(&to, "to", "",
		"`URL` of the new database, postgres://USER@HOST:5432/DATABASE; PGPASSWORD has the password")
	return cmd
}

// migrate moves a ledger and checks the audit trail of the copy.
func migrate(ctx context.Context, from, to string, trail export) error {
	tables, rows, same := 0, int64(0), int64(0)
	if err := store.Move(ctx, from, to, store.Progress{
		Copied: func(table string, n int) {
			if rows += int64(n); n > 0 {
				fmt.Fprintf(trail.errs, "copied %d rows of %s, %d in all\n", n, table, rows)
			}
		},
		Equal: func(m store.Moved) {
			tables, same = tables+1, same+m.Rows
			fmt.Fprintf(trail.out, "%-16s %9d rows  %s\n", m.Table, m.Rows, m.Hash[:16])
		},
	}); err != nil {
		return err
	}
	fmt.Fprintf(trail.out, "%d rows of %d tables are in %s, equal to those of %s\n", same, tables, store.Place(to),
		store.Place(from))
	trail.database = to
	return trail.check(ctx)
}
