package gh

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	cachedAnswers = 512
	largestCached = 256 << 10
	// cachedChanges is how many comparisons of commits are remembered, each of at most a few hundred paths.
	cachedChanges = 2048
)

// remember returns a memory for the newest n things.
func remember[T any](n int) *lru.Cache[string, T] {
	cache, err := lru.New[string, T](n)
	if err != nil {
		panic(err) // unreachable unless n is not positive
	}
	return cache
}

// answer is a 200 that GitHub gave, with the ETag by which GitHub can be asked whether it still holds.
type answer struct {
	etag   string
	header http.Header
	body   []byte
}

// answers keeps the newest answers of all clients.
type answers struct {
	lru *lru.Cache[string, answer]
}

// revalidating puts the kept answers in front of a transport that reads each response whole, as limited does. The
// client's key separates answers that different tokens may read.
func (a *answers) revalidating(client string, next http.RoundTripper) http.RoundTripper {
	return &revalidating{answers: a, client: client, next: next}
}

// revalidating asks GitHub whether the answer that it gave last time has changed. If not, GitHub says 304, which does
// not count against the rate limit. Every request is sent: GitHub calls its answers fresh for a minute, but a promotion
// must not act on facts that are a minute old.
type revalidating struct {
	answers *answers
	client  string
	next    http.RoundTripper
}

// RoundTrip sends a request. Only GETs are kept; a 304 comes back as the 200 that it confirms.
func (r *revalidating) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		return r.next.RoundTrip(request)
	}
	key := strings.Join([]string{r.client, request.Header.Get("Accept"), request.URL.String()}, " ")
	kept, found := r.answers.lru.Get(key)
	if found {
		request = request.Clone(request.Context())
		request.Header.Set("If-None-Match", kept.etag)
	}
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if found && response.StatusCode == http.StatusNotModified {
		kept.confirm(response)
		return response, nil
	}
	return response, r.answers.keep(key, response)
}

// keep keeps a response to a request in place of an earlier one, if GitHub can be asked for it by an ETag, and leaves
// it readable. An answer that is not a 200 any more is forgotten.
func (a *answers) keep(key string, response *http.Response) error {
	etag, length := response.Header.Get("ETag"), response.ContentLength
	if response.StatusCode != http.StatusOK || etag == "" || length < 0 || length > largestCached {
		a.lru.Remove(key)
		return nil
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(response.Body, body); err != nil {
		return err
	}
	response.Body = readable(body)
	a.lru.Add(key, answer{etag: etag, header: response.Header.Clone(), body: body})
	return nil
}

// confirm makes a 304 the response that it confirms: the kept one, with the fields of its header that are newer. Those
// that describe a body are the kept ones, because a 304 has none.
func (a answer) confirm(response *http.Response) {
	newer := response.Header
	maps.DeleteFunc(newer, func(name string, _ []string) bool { return strings.HasPrefix(name, "Content-") })
	response.Header = a.header.Clone()
	maps.Copy(response.Header, newer)
	response.StatusCode, response.Status = http.StatusOK, "200 OK"
	response.Body, response.ContentLength = readable(a.body), int64(len(a.body))
}

// readable returns bytes as the body of a response.
func readable(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }
