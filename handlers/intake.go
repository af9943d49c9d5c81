package handlers

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// intake is the body of a request. It has a time to come in, and takes a place among those that are taken in when it
// has come. It remembers why it did not, which the dispatcher does not tell apart from a wrong signature.
type intake struct {
	wire    io.ReadCloser
	kept    *bytes.Buffer // the bytes that were read, if they may have to be read again
	arrival *arrival      // nil: it has been read before
	within  bool          // it has a place
	control *http.ResponseController
	broken  error
}

// newIntake returns the body of a request, which has at most so many bytes, and this time to come in. End must be
// called.
func (r *room) newIntake(w http.ResponseWriter, req *http.Request, most int64, in time.Duration) *intake {
	control := http.NewResponseController(w)
	// Where there is no connection to set a deadline for, there is nobody who could be slow.
	_ = control.SetReadDeadline(time.Now().Add(in))
	return &intake{
		wire: http.MaxBytesReader(w, req.Body, most), control: control,
		arrival: r.begin(func() { _ = control.SetReadDeadline(time.Unix(0, 1)) }),
	}
}

// Read implements io.Reader.
func (in *intake) Read(p []byte) (int, error) {
	n, err := in.wire.Read(p)
	switch {
	case in.arrival == nil:
		return n, err
	case !in.arrival.take(in.need(n)):
		n, err = 0, errNoRoom
	case errors.Is(err, io.EOF):
		err = in.came()
	}
	if in.kept != nil {
		in.kept.Write(p[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		in.broken = err
	}
	return n, err
}

// need is the room for n bytes: once for the reader, and once more if they are kept.
func (in *intake) need(n int) int64 {
	if in.kept != nil {
		return 2 * int64(n)
	}
	return int64(n)
}

// came takes a place for a body of which the end has been read.
func (in *intake) came() error {
	if in.within {
		return io.EOF
	}
	if !in.arrival.came() || !in.arrival.room.enter() {
		return errNoRoom
	}
	in.within = true
	_ = in.control.SetReadDeadline(time.Time{}) // or the deadline would end the request while it is stored
	return io.EOF
}

// Close implements io.Closer.
func (in *intake) Close() error { return in.wire.Close() }

// end gives back the room and the place.
func (in *intake) end() {
	in.arrival.came()
	in.arrival.leave()
	if in.within {
		in.arrival.room.leave()
	}
}

// again returns the body from its beginning, once it has been read.
func (in *intake) again() *intake { return &intake{wire: io.NopCloser(in.kept)} }
