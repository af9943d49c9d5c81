package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Size implements driver.DB: the file, and the log of what is not in it yet.
func (db *DB) Size(context.Context) (size int64, err error) {
	for _, path := range []string{db.path, db.path + "-wal"} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("measure the database: %w", err)
		}
		size += info.Size()
	}
	return size, nil
}
