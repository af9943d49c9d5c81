package gh

import (
	"net/http"
	"net/url"
	"strings"
)

// Pages returns the address with which those of GitHub's pages for people begin.
func (h *Hub) Pages() string { return strings.TrimSuffix(h.config.WebURL, "/") }

// hosts lets requests through to the addresses of GitHub that the server was told, and to no other. No address is ever
// taken from an answer, so that nothing should want to go elsewhere: this is for the day on which something does,
// because our tokens would go with it (T29).
type hosts struct {
	known map[string]bool
	next  http.RoundTripper
}

// onlyGitHub puts the guard in front of the transport that carries the requests.
func (c Config) onlyGitHub() http.RoundTripper {
	known := map[string]bool{}
	for _, address := range []string{c.V3URL, c.V4URL, c.WebURL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			known[origin(u)] = true
		}
	}
	return hosts{known, c.Transport}
}

// RoundTrip sends a request, if it is for GitHub.
func (h hosts) RoundTrip(request *http.Request) (*http.Response, error) {
	if to := origin(request.URL); !h.known[to] {
		discard(request)
		return nil, refused("%s is none of GitHub's addresses that this server was told, and nothing is sent there", to)
	}
	return h.next.RoundTrip(request)
}

// origin is as much of an address as says who gets a request, and whether others can read it on the way.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }
