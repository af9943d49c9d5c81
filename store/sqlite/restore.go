package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"waybill/store/driver"
)

// beforeRestore is between the name of a file and when it gave way to a copy.
const beforeRestore = ".before-restore-"

// Restore puts a copy in the place of the database at a path, which no server may have open. The copy is read from end
// to end first. What was there stays beside it under the name that is returned; that is empty if there was nothing.
//
// With an error the database is as it was. Where the process dies in the middle, it has two names: then no server opens
// it, and Restore may be run again.
func Restore(ctx context.Context, path string, schema driver.Schema, from io.Reader, now time.Time) (string, error) {
	if err := checkPath(path); err != nil {
		return "", err
	}
	kept, err := restore(ctx, oneName(path), schema, from, now)
	if err != nil {
		return "", fmt.Errorf("restore %s: %w", path, explain(err))
	}
	return kept, nil
}

func restore(ctx context.Context, path string, schema driver.Schema, from io.Reader, now time.Time) (string, error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return "", err
	}
	defer lock.release() //nolint:errcheck // nothing is written through it
	part, kept := path+".restored"+half, path+beforeRestore+now.Format("20060102T150405.000000")
	if err = take(ctx, part, schema, from); err != nil {
		err = fmt.Errorf("the copy cannot be used: %w", err)
	} else {
		kept, err = replace(path, part, kept)
	}
	if err != nil {
		return "", errors.Join(err, remove(part), remove(part+"-wal"), remove(part+"-shm"))
	}
	return kept, syncDir(filepath.Dir(path))
}

// replace puts a file in the place of the one at a path, which gets the name kept with the log beside it. It returns
// that name; empty if nothing was there. Until the end the old file has both names, and no server opens it. A log that
// stayed would be taken for that of the new file.
func replace(path, by, kept string) (string, error) {
	switch err := os.Link(path, kept); {
	case errors.Is(err, fs.ErrNotExist):
		kept = ""
	case err != nil:
		return "", fmt.Errorf("keep what is there: %w", err)
	}
	var err error
	if kept != "" {
		err = move(path+"-wal", kept+"-wal")
	} else {
		err = remove(path + "-wal")
	}
	if err == nil {
		err = remove(path + "-shm")
	}
	if err == nil {
		err = os.Rename(by, path)
	}
	if err != nil && kept != "" {
		err = errors.Join(err, move(kept+"-wal", path+"-wal"), remove(kept))
	}
	return kept, err
}

// take writes the copy to a file of its own, and checks that it is a whole ledger that this program can open.
func take(ctx context.Context, part string, schema driver.Schema, from io.Reader) error {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if info, err := os.Stat(part); err != nil || info.Size() == 0 {
		return errors.Join(err, errors.New("the copy is empty: nothing was changed"))
	}
	if err := inspect(part); err != nil {
		return err
	}
	if err := ours(ctx, part, schema); err != nil {
		return err
	}
	return checkCopy(ctx, part)
}

// ours checks that a file has the tables of this version or of one that it upgrades.
func ours(ctx context.Context, path string, schema driver.Schema) error {
	db, err := openFile(path, readerPragmas)
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := newConn(ctx, db, nil)
	if err != nil {
		return err
	}
	defer c.close() //nolint:errcheck // it only reads
	made, err := madeBy(c)
	switch {
	case err != nil:
		return err
	case made == nil:
		return fmt.Errorf("%w: the copy has no tables", driver.ErrNotDatabase)
	}
	_, err = schema.Since(*made, "another copy")
	return err
}

// move gives a file that may be there another name.
func move(from, to string) error {
	if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// remove removes a file that may be there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
