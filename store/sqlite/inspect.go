package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"waybill/store/driver"
)

// magic begins every SQLite file.
var magic = []byte("SQLite format 3\x00")

// inspect looks at a database file before SQLite does, and creates it where there is none, readable by its owner only.
func inspect(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path)
	case err != nil:
		return fmt.Errorf("look at it: %w", err)
	case info.IsDir():
		return fmt.Errorf("%w: it is a directory; name a file in it", driver.ErrNotDatabase)
	case info.Mode().Perm()&0o222 == 0: // root could write to it all the same, against the owner's intention
		return fmt.Errorf("%w: the file is read-only; run chmod u+w on it", driver.ErrReadOnly)
	}
	if n := names(info); n > 1 {
		return fmt.Errorf("the file has %d names (hard links), by each of which another process could open it: "+
			"remove the others, or copy it and name the copy", n)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("%w: give this user write permission on it: %w", driver.ErrReadOnly, err)
	}
	defer f.Close()
	return inspectHeader(f, info.Size(), path)
}

// oneName follows symbolic links: all paths that lead to a file have one lock. If the file is not there yet, it follows
// those to its folder.
func oneName(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path // lockFile says what is wrong with its folder
}

func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrReadOnly, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	return nil
}

// headerSize is the size of the header of a SQLite file.
const headerSize = 100

// inspectHeader tells a SQLite file from anything else, and a whole one from one that was cut off: its header says how
// many pages it has. A file with a write-ahead log beside it may be shorter than that.
func inspectHeader(f io.Reader, size int64, path string) error {
	if size == 0 {
		return nil
	}
	header := make([]byte, headerSize)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read it: %w", err)
	}
	if !bytes.HasPrefix(header, magic) {
		return fmt.Errorf("%w: nothing was changed; choose another path", driver.ErrNotDatabase)
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 1 << 16
	}
	want := int64(binary.BigEndian.Uint32(header[28:])) * pageSize
	if n < headerSize || size < want && !hasLog(path) {
		return fmt.Errorf("%w: %d of %d bytes are left; nothing was changed; restore a backup", driver.ErrDamaged, size,
			max(want, headerSize))
	}
	return nil
}

// hasLog reports whether there is a write-ahead log that is not empty.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// lockPath explains why the lock beside a database cannot be made.
func explainLock(path string, err error) error {
	dir := filepath.Dir(path)
	if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("directory %s does not exist: create it, or choose another path", dir)
	}
	return fmt.Errorf("directory %s %w: give this user write permission on it: %w", dir, driver.ErrReadOnly, err)
}
