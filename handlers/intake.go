package handlers

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// intake is the body of a request: no larger than GitHub's, and remembering why it could not be read to its end, which
// the dispatcher does not tell apart from a wrong signature.
type intake struct {
	wire   io.ReadCloser
	kept   *bytes.Buffer // the bytes that were read, if they may have to be read again
	room   *room
	taken  int64 // of the room
	broken error
}

func newIntake(w http.ResponseWriter, body io.ReadCloser, keep bool, room *room) *intake {
	in := &intake{wire: http.MaxBytesReader(w, body, maxBody), room: room}
	if keep {
		in.kept = new(bytes.Buffer)
	}
	return in
}

// Read implements io.Reader.
func (in *intake) Read(p []byte) (int, error) {
	n, err := in.wire.Read(p)
	if !in.fits(n) {
		n, err = 0, errNoRoom
	}
	if in.kept != nil {
		in.kept.Write(p[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		in.broken = err
	}
	return n, err
}

// fits makes room for the bytes that were read: once for the reader, and once more if they are kept.
func (in *intake) fits(n int) bool {
	need := int64(n)
	if in.kept != nil {
		need *= 2
	}
	if in.room == nil || need == 0 {
		return true // it has been read before
	}
	if !in.room.take(need) {
		return false
	}
	in.taken += need
	return true
}

// Close implements io.Closer.
func (in *intake) Close() error { return in.wire.Close() }

// again returns the body from its beginning, once it has been read.
func (in *intake) again() *intake { return &intake{wire: io.NopCloser(in.kept)} }
