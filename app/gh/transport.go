package gh

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxAnswer is the most that is read of one answer. A page of 100 pull requests is about 3 MB.
	maxAnswer = 16 << 20
	// concurrent is how many calls of an installation are on their way at a time, and concurrentOfApp how many of the App
	// itself; GitHub's own limit is 100. Twelve are thirty calls a second while GitHub takes 400 ms, which is enough for
	// two promotions a second.
	concurrent, concurrentOfApp = 12, 32
	// answersWithin is how long GitHub takes for a call before it gives up, and timeout how long one call may take.
	answersWithin, timeout = 10 * time.Second, 30 * time.Second
)

// Call is one request that was sent, for metrics and for whether GitHub can be reached.
type Call struct {
	Installation int64 // 0: the App itself
	Method       string
	Path         string
	Status       int   // 304 for an answer that had not changed and cost nothing; 0 if there was no answer
	Err          error // why there was none
	Resource     string
	Remaining    int // of the hour's share of the resource; -1 if GitHub did not say
	Reset        int // when that hour ends, as a Unix time; -1 if GitHub did not say
	Took         time.Duration
}

// limited is the transport of one installation: it asks the gate first and the network then, and reads the whole
// answer, so that an answer is either complete or an error.
type limited struct {
	gate         *gate
	clock        *githubClock
	installation int64
	next         http.RoundTripper
	slots        *slots
	share        string // of the slots; empty: one for each account that is asked about
	observe      func(Call)
	shut         func(installation int64)
}

// RoundTrip sends a request, unless the gate is shut.
func (t *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	resource := resourceOf(request)
	if pause := t.gate.shut(resource); pause > 0 {
		discard(request)
		return nil, transient(pause, fmt.Sprintf("the rate limit is used up, again in %s", pause.Round(time.Second)), nil)
	}
	leave, err := t.slots.enter(request.Context(), cmp.Or(t.share, accountIn(request.URL.Path)))
	if err != nil {
		discard(request)
		return nil, err
	}
	defer leave()
	begun, era := time.Now(), t.gate.era()
	response, body, err := t.send(request)
	if ClassOf(err) == ClassLacking {
		return nil, err // it was not sent
	}
	call := Call{
		Installation: t.installation, Method: request.Method, Path: request.URL.Path, Resource: resource, Remaining: -1,
		Reset: -1, Took: time.Since(begun), Err: err,
	}
	if err != nil {
		t.observe(call)
		err = classify(err)
		t.gate.heard(era, signOf(resource, err, call.Took))
		t.changed()
		return nil, err
	}
	call.Status, call.Remaining = response.StatusCode, remaining(response.Header)
	call.Reset = number(response.Header, "X-Ratelimit-Reset")
	t.observe(call)
	t.gate.heard(era, signIn(resource, response.StatusCode))
	err = t.gate.note(resource, response.StatusCode, response.Header, body)
	t.changed()
	if err != nil {
		return nil, err
	}
	done := request.Method == http.MethodDelete ||
		request.Method == http.MethodPost && response.StatusCode == http.StatusNoContent
	if !done && saysNothing(response.StatusCode, body) {
		return nil, incomplete("everything")
	}
	response.Header.Del("X-Ratelimit-Reset") // the gate keeps count; go-github would do so by a clock of its own
	return response, nil
}

// changed reports it if this request has shut or opened the installation.
func (t *limited) changed() {
	if t.gate.news() && t.installation != 0 {
		t.shut(t.installation)
	}
}

// send sends a request and reads the whole answer.
func (t *limited) send(request *http.Request) (*http.Response, []byte, error) {
	sent := t.clock.ours()
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, nil, err
	}
	t.clock.heard(response.Header, sent)
	body, err := readAll(response.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("read answer: %w", err)
	}
	response.Body, response.ContentLength = readable(body), int64(len(body))
	return response, body, nil
}

// readAll reads an answer to its end, which must not be too far away.
func readAll(body io.ReadCloser) ([]byte, error) {
	defer body.Close()
	content, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err == nil && len(content) > maxAnswer {
		return nil, refused("GitHub's answer is larger than %d MB", maxAnswer>>20)
	}
	return content, err
}

// saysNothing reports whether an answer should have content and has none. It would be read as an empty list; so would
// anything that begins with null, because a decoder stops after the first value.
func saysNothing(status int, body []byte) bool {
	text := bytes.TrimSpace(body)
	return status/100 == 2 && (len(text) == 0 || bytes.HasPrefix(text, []byte("null")))
}

// accountIn returns the account whose repository a path names; empty if it names none.
func accountIn(path string) string {
	_, behind, _ := strings.Cut(path, "/repos/")
	account, _, _ := strings.Cut(behind, "/")
	return strings.ToLower(account)
}

func resourceOf(request *http.Request) string {
	if strings.HasSuffix(request.URL.Path, "/graphql") {
		return resourceGraphQL
	}
	return resourceREST
}

func remaining(header http.Header) int { return number(header, "X-Ratelimit-Remaining") }

// number reads a header that is one; -1 if it is none.
func number(header http.Header, name string) int {
	n, err := strconv.Atoi(header.Get(name))
	if err != nil {
		return -1
	}
	return n
}

// discard closes the body of a request that is not sent, as every transport must.
func discard(request *http.Request) {
	if request.Body != nil {
		request.Body.Close()
	}
}
