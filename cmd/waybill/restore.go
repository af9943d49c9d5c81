package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"waybill/store"
)

func restoreCommand(getenv func(string) string) *cobra.Command {
	var settings string
	cmd := &cobra.Command{
		Use:   "restore FILE|-",
		Short: "Go back to a copy of the database",
		Long: "Puts a copy in the place of the database, while no server runs on it. The copy is read from end to end\n" +
			"first. What was there stays beside it under another name. With - the copy comes from the standard input.\n" +
			"The next start knows that it is a copy of `waybill backup`, or of an upgrade: the server learns from GitHub\n" +
			"what happened since, before it decides anything.",
		Example: "  waybill restore /var/lib/waybill/backup/waybill-20260301T031700Z.db\n" +
			"  docker compose run --rm -T --no-deps waybill restore - < backup-1.db",
		Args: words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			database, err := databaseOf(getenv, settings)
			if err != nil {
				return err
			}
			if args[0] == "-" {
				return restore(cmd, database, cmd.InOrStdin())
			}
			f, err := openCopy(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			return restore(cmd, database, f)
		},
	}
	configFlag(cmd, &settings)
	return cmd
}

// openCopy opens a copy that is one file. What SQLite has in a log beside a file is a part of it.
func openCopy(file string) (*os.File, error) {
	if log, err := os.Stat(file + "-wal"); err == nil && log.Size() > 0 {
		return nil, fmt.Errorf("restore from %s: a part of it is in %s-wal. Make one file of both: "+
			"WAYBILL_DATABASE_URL=sqlite://%s waybill backup FILE", file, file, file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("restore from %w", err)
	}
	return f, nil
}

// restore restores the database, and says where what was there is.
func restore(cmd *cobra.Command, database string, from io.Reader) error {
	kept, err := store.Restore(cmd.Context(), database, from, time.Now().UTC())
	if err != nil {
		return err
	}
	said := fmt.Sprintf("restored %s\n", store.Place(database))
	if kept != "" {
		said += fmt.Sprintf("what was there is %s: remove it when nobody needs it any more\n", kept)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), said)
	return err
}
