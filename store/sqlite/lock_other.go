//go:build !unix

package sqlite

import "os"

// fileLock keeps other processes away from a database. Where the system has no advisory locks, SQLite's own busy error
// is all there is.
type fileLock struct{ f *os.File }

func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explainLock(path, err)
	}
	return &fileLock{f}, nil
}

// names returns how many hard links a file has: the system does not say.
func names(os.FileInfo) uint64 { return 1 }

func (l *fileLock) release() error { return l.f.Close() }
