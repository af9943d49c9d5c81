// Package wireless answers HTTP requests without a network, in the same goroutine. The simulators use it in tests that
// control the order of all events.
package wireless

import (
	"bytes"
	"io"
	"net/http"
)

// Answer calls a handler with a request and returns the response that a client would receive. If the handler panics
// with http.ErrAbortHandler, Answer returns io.ErrUnexpectedEOF, like a closed connection. Other panics pass through.
func Answer(by http.Handler, request *http.Request) (*http.Response, error) {
	r := request.Clone(request.Context())
	r.Host, r.RequestURI = request.URL.Host, request.URL.RequestURI()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	defer r.Body.Close()
	answer := &Buffer{}
	if lost := serve(by, answer, r); lost {
		return nil, io.ErrUnexpectedEOF
	}
	answer.WriteHeader(http.StatusOK)
	return &http.Response{
		Status: http.StatusText(answer.Status), StatusCode: answer.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.Header(), Body: io.NopCloser(&answer.Body), ContentLength: int64(answer.Body.Len()), Request: request,
	}, nil
}

// Transport answers every request by calling a handler.
type Transport struct{ Handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) { return Answer(t.Handler, r) }

func serve(by http.Handler, answer *Buffer, r *http.Request) (lost bool) {
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

// Buffer records a handler's response. The zero value is ready.
type Buffer struct {
	Status int // 0: not written yet
	Body   bytes.Buffer
	header http.Header
}

// Header implements http.ResponseWriter.
func (b *Buffer) Header() http.Header {
	if b.header == nil {
		b.header = http.Header{}
	}
	return b.header
}

// WriteHeader implements http.ResponseWriter. Only the first call has an effect.
func (b *Buffer) WriteHeader(status int) {
	if b.Status == 0 {
		b.Status = status
	}
}

// Write implements http.ResponseWriter.
func (b *Buffer) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.Body.Write(p)
}
