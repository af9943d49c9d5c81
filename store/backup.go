package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Backup writes a consistent copy of the database that url names to a new file, while another process may be writing to
// it. The file is for its owner only, and must not exist.
func Backup(ctx context.Context, url, file string) error {
	from, err := pathOf(url)
	if err != nil {
		return err
	}
	if err := Read(ctx, url, func(*Tx) error { return nil }); err != nil { // it is there, and ours
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	if err := copyTo(ctx, from, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, errors.Join(explain(err), os.Remove(file)))
	}
	return nil
}

// copyTo has SQLite write the copy over a connection of its own, because those that read must not write.
func copyTo(ctx context.Context, from, file string) error {
	db, err := openSQLite(from, []string{"busy_timeout(5000)"})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, file)
	return err
}
