package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"waybill/store/driver"
)

// Backup writes a consistent copy of the database at a path to a new file, while another process may be writing to it.
// Only the owner may read the file, which must not exist. It gets its name when it is whole and has been read from end
// to end: an interrupted backup leaves a file of another name.
func Backup(ctx context.Context, from string, schema driver.Schema, file string) error {
	if err := Read(ctx, from, schema, func(driver.Conn) error { return nil }); err != nil { // it is there, and ours
		return err
	}
	if err := backUp(ctx, from, schema.OnCopy, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, explain(err))
	}
	// The copy is good also where nothing may be written beside the database.
	_ = os.WriteFile(from+backedUp, []byte(time.Now().UTC().Format(time.RFC3339)), 0o600)
	return nil
}

// backedUp is how the name of the file beside a database ends that says when the last backup was made.
const backedUp = ".backed-up"

// LastBackup returns when the last backup of the database at a path was made; the zero time if nothing says so.
func LastBackup(path string) time.Time {
	said, err := os.ReadFile(path + backedUp)
	if err != nil {
		return time.Time{}
	}
	at, _ := time.Parse(time.RFC3339, string(said)) // the zero time if it is no time
	return at
}

// half is how the name of a copy ends that is not whole.
const half = ".part"

func backUp(ctx context.Context, from, onCopy, file string) error {
	if checkPath(file) != nil {
		return errors.New("no database can be opened under that name: choose one without ? and #")
	}
	if err := free(file); err != nil {
		return err
	}
	part := file + half
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("another backup to it is under way, or was cut off and left %s: remove that", part)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for _, step := range []func() error{
		func() error { return copyTo(ctx, from, part) },
		func() error { return tell(ctx, part, onCopy) },
		func() error { return checkCopy(ctx, part) },
		f.Sync,
		func() error { return free(file) },
		func() error { return os.Rename(part, file) },
	} {
		if err := step(); err != nil {
			return errors.Join(err, os.Remove(part))
		}
	}
	return syncDir(filepath.Dir(file))
}

// free refuses the name of something that is there.
func free(file string) error {
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return errors.New("the file exists, and is not overwritten: choose another name")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// copyTo has SQLite write the copy over a connection of its own, because those that read must not write.
func copyTo(ctx context.Context, from, file string) error {
	db, err := openFile(from, copierPragmas)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `VACUUM INTO $1`, file)
	return err
}

// tell has a copy carry out a statement.
func tell(ctx context.Context, file, statement string) error {
	db, err := openFile(file, copierPragmas)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// checkCopy reads a copy from end to end: a backup is only good if it can be restored.
func checkCopy(ctx context.Context, file string) error {
	db, err := openFile(file, readerPragmas)
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
		return fmt.Errorf("check the copy: %w", err)
	}
	if verdict != "ok" {
		return fmt.Errorf("check the copy: %w: %s", driver.ErrDamaged, verdict)
	}
	return nil
}

// syncDir makes a new name in a directory survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// keptCopies is how many copies of earlier versions are kept beside a file.
const keptCopies = 2

// copyName is how the name of a copy of an earlier version goes on behind the name of its file and beforeUpgrade.
var copyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9T.]+-v[0-9]+$`) })

// beforeUpgrade is between the name of a file and what its copies have of their own.
const beforeUpgrade = ".before-upgrade-"

// copyBefore copies a file of an earlier version before it is upgraded, to a file beside it.
func copyBefore(ctx context.Context, path string, version int64, onCopy string, now time.Time) (string, error) {
	file := fmt.Sprintf("%s%s%s-v%d", path, beforeUpgrade, now.Format("20060102T150405.000000"), version)
	return file, backUp(ctx, path, onCopy, file)
}

// dropCopies removes all copies of earlier versions of a file but the last ones, and what is left of those that were
// cut off.
func dropCopies(path string) error {
	beside, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	kept := 0
	for _, e := range slices.Backward(beside) { // in the order of their names, which begin with the time
		own, is := strings.CutPrefix(e.Name(), filepath.Base(path)+beforeUpgrade)
		own, cutOff := strings.CutSuffix(own, half)
		if !is || !copyName().MatchString(own) {
			continue
		}
		if !cutOff {
			kept++
		}
		if cutOff || kept > keptCopies {
			if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
