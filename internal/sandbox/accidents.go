package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"waybill/internal/story/play"
	"waybill/promotion"
)

// request describes the HTTP requests to GitHub or Slack that carry out an effect, so that a crash or a failure can be
// injected there. A request matches if all fields match.
type request struct {
	method string
	path   string // suffix of the path
	inside string // substring of the path
	body   string // substring of the body
}

// requests lists the requests of each effect that stories can name.
var requests = map[promotion.Verb][]request{
	promotion.Open:        {{method: http.MethodPost, path: "/graphql", body: "createPullRequest("}},
	promotion.Merge:       {{method: http.MethodPut, path: "/merge", inside: "/pulls/"}},
	promotion.Commit:      {{method: http.MethodPost, path: "/graphql", body: "updateRefs("}},
	promotion.Dispatching: {{method: http.MethodPost, path: "/dispatches", inside: "/actions/workflows/"}},
	promotion.Close:       {{method: http.MethodPatch, inside: "/pulls/"}},
	promotion.Observe:     {{method: http.MethodGet, path: "/check-suites", inside: "/commits/"}},
	promotion.Tell:        {{method: http.MethodPost, path: "/comments", inside: "/issues/", body: "/tell/"}},
	promotion.Reply: {
		{method: http.MethodPost, path: "/comments", inside: "/issues/", body: "/reply/"},
		{method: http.MethodPost, path: "/reactions", body: `"rocket"`},
		{method: http.MethodPost, path: "/reactions", body: `"+1"`},
		{method: http.MethodPost, path: "/reactions", body: `"-1"`},
		{method: http.MethodDelete, inside: "/labels/"},
		{method: http.MethodPost, inside: "/commands/"}, // the response URL of a Slack command
	},
}

func (r request) fits(method, path, body string) bool {
	return r.method == method && strings.HasSuffix(path, r.path) && strings.Contains(path, r.inside) &&
		strings.Contains(body, r.body)
}

// accident is a crash or failure that a story arms. It hits the next requests of an effect.
type accident struct {
	effect promotion.Verb
	times  int
	code   int    // status of GitHub's failing answer; 0: the program is killed
	before bool   // killed before GitHub carries out the request, not after
	kill   func() // kills the program; nil: GitHub fails
	hit    bool   // a refused merge that was hit; it is refused until the happening ends
}

// refuses reports whether the accident is a refusal to merge.
func (a *accident) refuses() bool {
	return a.effect == promotion.Merge &&
		(a.code == http.StatusMethodNotAllowed || a.code == http.StatusConflict || a.code == http.StatusUnprocessableEntity)
}

// wire carries the requests of the program, and injects accidents.
type wire struct {
	next http.RoundTripper

	mu    sync.Mutex
	armed []*accident
}

func (x *wire) arm(a *accident) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.armed = append(x.armed, a)
}

// Pending returns the effects of the accidents that have not happened yet.
func (w *World) Pending() (effects []promotion.Verb) {
	w.wire.mu.Lock()
	defer w.wire.mu.Unlock()
	for _, a := range w.wire.armed {
		effects = append(effects, a.effect)
	}
	return effects
}

// RoundTrip implements http.RoundTripper.
func (x *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := x.hits(r)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return x.next.RoundTrip(r)
	case a.refuses():
		return x.refused(r, a.code)
	case a.kill == nil:
		return failing(r, a.code, "GitHub fails, as the story says"), nil
	case a.before:
		a.kill()
		return nil, io.ErrUnexpectedEOF
	}
	response, err := x.next.RoundTrip(r)
	if err == nil {
		response.Body.Close()
	}
	a.kill()
	return nil, io.ErrUnexpectedEOF
}

// hits returns the accident that hits a request, or nil.
func (x *wire) hits(r *http.Request) (*accident, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.armed) == 0 {
		return nil, nil
	}
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	for i, a := range x.armed {
		for _, fits := range requests[a.effect] {
			if !fits.fits(r.Method, r.URL.Path, body) {
				continue
			}
			if a.refuses() {
				a.hit = true
				return a, nil
			}
			if a.times--; a.times == 0 {
				x.armed = append(x.armed[:i:i], x.armed[i+1:]...)
			}
			return a, nil
		}
	}
	return nil, nil
}

// endHappening counts a refused merge that was hit once for the whole happening: the next happening may change GitHub's
// answer.
func (x *wire) endHappening() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, a := range x.armed {
		if !a.hit {
			continue
		}
		a.hit = false
		if a.times--; a.times == 0 {
			x.armed = append(x.armed[:i:i], x.armed[i+1:]...)
		}
		return
	}
}

// refused refuses a merge for good. It reads the pull request first, so that GitHub has computed whether it can be
// merged, as it has when it refuses a merge.
func (x *wire) refused(r *http.Request, code int) (*http.Response, error) {
	look := r.Clone(r.Context())
	look.Method, look.Body, look.ContentLength = http.MethodGet, http.NoBody, 0
	look.URL.Path = strings.TrimSuffix(look.URL.Path, "/merge")
	for range 2 {
		response, err := x.next.RoundTrip(look)
		if err != nil {
			return nil, err
		}
		response.Body.Close()
	}
	return failing(r, code, "A rule of the repository does not allow it, as the story says."), nil
}

// failing returns GitHub's answer to a request that it does not carry out.
func failing(r *http.Request, code int, message string) *http.Response {
	body := fmt.Sprintf(`{"message": %q}`, message)
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}
}

// bodyOf reads the body of a request and puts it back.
func bodyOf(r *http.Request) (string, error) {
	if r.Body == nil {
		return "", nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body), err
}

// CrashAt implements play.Trouble.
func (w *World) CrashAt(boundary string, effect promotion.Verb) error {
	if requests[effect] == nil {
		return play.Refused{Word: "crash", Why: fmt.Sprintf("nothing shows when %s is done", effect)}
	}
	w.wire.arm(&accident{effect: effect, times: 1, before: boundary == "before", kill: w.kill})
	return nil
}

// kill kills the program without waiting for its work to end.
func (w *World) kill() {
	w.program.cancel()
	w.crashed.Store(true)
}

// FailAt implements play.Trouble.
func (w *World) FailAt(effect promotion.Verb, code, times int) error {
	if requests[effect] == nil {
		return play.Refused{Word: "github", Why: fmt.Sprintf("nothing shows when %s is done", effect)}
	}
	w.wire.arm(&accident{effect: effect, times: times, code: code})
	return nil
}
