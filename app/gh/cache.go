package gh

import (
	"net/http"

	"github.com/gregjones/httpcache"
	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	cachedAnswers = 512
	largestCached = 256 << 10
	// cachedChanges is how many comparisons of commits are remembered, each of at most a few hundred paths.
	cachedChanges = 2048
)

// answers remembers what GitHub said, so that it can be asked whether that has changed: if not, the call costs nothing.
// It is shared by all clients; each of them sees its own entries only.
type answers struct {
	lru *lru.Cache[string, []byte]
}

// remember returns a memory for the newest n things.
func remember[T any](n int) *lru.Cache[string, T] {
	cache, err := lru.New[string, T](n)
	if err != nil {
		panic(err) // unreachable unless n is not positive
	}
	return cache
}

// revalidating puts the memory in front of a transport. The key keeps clients apart.
func (a *answers) revalidating(key string, next http.RoundTripper) http.RoundTripper {
	return &httpcache.Transport{Transport: unfresh{next}, Cache: shelf{a, key + " "}, MarkCachedResponses: true}
}

// shelf is what one client remembers.
type shelf struct {
	answers *answers
	prefix  string
}

// Get returns an answer.
func (s shelf) Get(key string) ([]byte, bool) { return s.answers.lru.Get(s.prefix + key) }

// Set keeps an answer, if it is not too large.
func (s shelf) Set(key string, answer []byte) {
	if len(answer) <= largestCached {
		s.answers.lru.Add(s.prefix+key, answer)
	}
}

// Delete forgets an answer.
func (s shelf) Delete(key string) { s.answers.lru.Remove(s.prefix + key) }

// unfresh takes every answer for stale at once. GitHub says max-age=60, and a promotion must not act on what was so a
// minute ago.
type unfresh struct {
	next http.RoundTripper
}

// RoundTrip passes a request on and has its answer validated the next time.
func (u unfresh) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := u.next.RoundTrip(request)
	if err == nil {
		response.Header.Set("Cache-Control", "no-cache")
	}
	return response, err
}
