// Package wireless has HTTP requests answered without a network, in the same goroutine. The simulators use it where a test
// decides when everything happens.
package wireless

import (
	"bytes"
	"io"
	"net/http"
)

// Answer has a handler answer a request, and returns what a client would receive. A handler that panics with
// http.ErrAbortHandler closes the connection: io.ErrUnexpectedEOF. Other panics pass.
func Answer(by http.Handler, request *http.Request) (*http.Response, error) {
	r := request.Clone(request.Context())
	r.Host, r.RequestURI = request.URL.Host, request.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	defer r.Body.Close()
	answer := &writer{header: http.Header{}}
	if lost := serve(by, answer, r); lost {
		return nil, io.ErrUnexpectedEOF
	}
	answer.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header,
		Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: request,
	}, nil
}

// Transport answers every request by a handler.
type Transport struct{ Handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) { return Answer(t.Handler, r) }

func serve(by http.Handler, answer *writer, r *http.Request) (lost bool) {
	defer func() {
		if reason := recover(); reason == http.ErrAbortHandler {
			lost = true
		} else if reason != nil {
			panic(reason)
		}
	}()
	by.ServeHTTP(answer, r)
	return false
}

// writer keeps what a handler answers.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
