//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"waybill/store/driver"
)

// fileLock keeps other processes away from a database for as long as this one lives: the system drops it when the
// process ends, however it ends. It is a file of its own, because closing any descriptor of the database file itself
// would drop the locks that SQLite holds on it.
type fileLock struct{ f *os.File }

// lockFile takes the lock, or says which process has it.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explainLock(path, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 32)) // only for the message
		f.Close()
		return nil, fmt.Errorf("%w (%s): stop it first, or choose another path", driver.ErrInUse,
			strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := f.WriteAt([]byte("process "+strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &fileLock{f}, nil
}

// names returns how many hard links a file has.
func names(info os.FileInfo) uint64 {
	if stat, is := info.Sys().(*syscall.Stat_t); is {
		return uint64(stat.Nlink)
	}
	return 1
}

// release drops the lock by name: closing alone would leave it to a child that this process has just forked, until the
// child becomes another program.
func (l *fileLock) release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}
