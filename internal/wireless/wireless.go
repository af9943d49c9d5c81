// Package wireless has HTTP requests answered without a network, in the same goroutine. The simulators use it where a
// test decides when everything happens.
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

// Transport answers every request by a handler.
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

// Buffer keeps what a handler answers. The zero value is ready.
type Buffer struct {
	Status int // 0: nothing has been said yet
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

// WriteHeader implements http.ResponseWriter: the first status counts.
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
