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

func (l *fileLock) release() error { return l.f.Close() }
