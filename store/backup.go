package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Backup writes a consistent copy of the database to a new file, while the store is being written to. The file is for its
// owner only, and must not exist.
func (s *Store) Backup(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	if err := s.copyTo(ctx, path); err != nil {
		return fmt.Errorf("back up to %s: %w", path, errors.Join(explain(err), os.Remove(path)))
	}
	return nil
}

// copyTo has SQLite write the copy over a connection of its own, because those that read must not write.
func (s *Store) copyTo(ctx context.Context, path string) error {
	db, err := openSQLite(s.path, []string{"busy_timeout(5000)"})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, path)
	return err
}
