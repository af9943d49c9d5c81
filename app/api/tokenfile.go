package api

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"waybill/internal/private"
)

// Tokens is the token file, as it is now: it is read again whenever it has changed. A file that cannot be used opens
// nothing, so that a slip of the pen never leaves a token in force that was just removed.
type Tokens struct {
	path string

	mu   sync.Mutex
	seen os.FileInfo
	read int // how many times
	all  []Token
	err  error
}

// OpenTokens reads a token file for the first time: a mistake in it then stops the start.
func OpenTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	_, err := t.now()
	return t, err
}

// find returns the token whose secret this is, or nil.
func (t *Tokens) find(secret string, now time.Time) (*Token, error) {
	all, err := t.now()
	return match(all, secret, now), err
}

// inForce returns the tokens that were read last, and how many times the file has been read.
func (t *Tokens) inForce() (all []Token, read int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all, t.read, t.err
}

// now returns the tokens in force.
func (t *Tokens) now() ([]Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	if err != nil {
		t.seen = nil
		return nil, fmt.Errorf("read WAYBILL_API_TOKENS_FILE: %w", err)
	}
	if t.seen == nil || !sameFile(t.seen, info) {
		t.all, t.err = readTokens(t.path)
		t.seen = info
		t.read++
	}
	return t.all, t.err
}

// sameFile reports whether a file is as it was, as far as one can see without reading it.
func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// maxTokenFile is larger than any sensible token file.
const maxTokenFile = 1 << 20

// readTokens reads a file that only its owner may read.
func readTokens(path string) ([]Token, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read WAYBILL_API_TOKENS_FILE: %w", err)
	}
	defer f.Close()
	if err := private.Check(f); err != nil {
		return nil, fmt.Errorf("read WAYBILL_API_TOKENS_FILE: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTokenFile+1))
	if err == nil && len(text) > maxTokenFile {
		err = fmt.Errorf("it is larger than %d MiB", maxTokenFile>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read WAYBILL_API_TOKENS_FILE %s: %w", path, err)
	}
	all, err := ParseTokens(text)
	if err != nil {
		return nil, fmt.Errorf("read WAYBILL_API_TOKENS_FILE: %s: %w", path, err)
	}
	return all, nil
}
