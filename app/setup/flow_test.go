package setup_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/app/setup"
	"waybill/internal/githubsim"
)

// run is a flow against a simulated GitHub, with a client in the place of the browser.
type run struct {
	t      *testing.T
	github *githubsim.Server
	page   string // of the flow
	said   chan string
	kept   gh.NewApp
	fails  error // what keeping the secrets ends with
	result chan error
	leave  context.CancelFunc // ends the wait, as Ctrl-C does
	slow   chan struct{}      // if there is one, keeping sends to it as it begins, and again before it ends
}

func begin(t *testing.T) *run {
	t.Helper()
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(t, err)
	t.Cleanup(func() { github.Close() })
	require.NoError(t, github.CreateOrg("acme"))
	return beginAt(t, github, github.V3URL())
}

// beginAt begins a flow that has the REST API of a GitHub at an address.
func beginAt(t *testing.T, github *githubsim.Server, api string) *run {
	t.Helper()
	r := &run{t: t, github: github, said: make(chan string, 10), result: make(chan error, 1)}
	f := &setup.Flow{
		Wish: setup.Wish{GitHub: setup.GitHub{WebURL: github.URL(), V3URL: api, V4URL: github.V4URL()},
			Public: "http://127.0.0.1:8080", Org: "acme"},
		Keep: func(made gh.NewApp) error { return r.keep(made) },
		Say:  func(text string) { r.said <- text },
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.page = f.Start(listener)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r.leave = cancel
	go func() {
		_, err := f.Wait(ctx, listener)
		r.result <- err
	}()
	return r
}

func (r *run) keep(made gh.NewApp) error {
	if r.slow != nil {
		r.slow <- struct{}{}
		r.slow <- struct{}{}
	}
	r.kept = made
	return r.fails
}

// send sends a request and does not follow where the answer leads.
func (r *run) send(method, address string, form url.Values, host string) (*http.Response, string) {
	r.t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	require.NoError(r.t, err)
	if host != "" {
		request.Host = host
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	require.NoError(r.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(r.t, err)
	return answer, string(body)
}

// back has GitHub make the App, and returns the address to which it sends the browser.
func (r *run) back() *url.URL {
	r.t.Helper()
	answer, body := r.send("GET", r.page, nil, "")
	require.Equal(r.t, http.StatusOK, answer.StatusCode)
	part := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(body)
		require.NotNil(r.t, found, body)
		return strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#43;", "+").Replace(found[1])
	}
	to, err := url.Parse(part(`action="([^"]*)"`))
	require.NoError(r.t, err)
	form := url.Values{"manifest": {part(`name="manifest" value="([^"]*)"`)}, "state": {to.Query().Get("state")}}
	to.Path, to.RawQuery = strings.TrimSuffix(to.Path, "/new"), ""
	answer, body = r.send("POST", to.String(), form, "")
	require.Equal(r.t, http.StatusFound, answer.StatusCode, body)
	location, err := answer.Location()
	require.NoError(r.t, err)
	return location
}

// with returns an address with another value of its query.
func with(u *url.URL, key, value string) string {
	query := u.Query()
	query.Set(key, value)
	other := *u
	other.RawQuery = query.Encode()
	return other.String()
}

func TestAFlowEndsWithTheAppAndItsSecrets(t *testing.T) {
	r := begin(t)
	back := r.back()
	answer, body := r.send("GET", back.String(), nil, "")
	require.Equal(t, http.StatusOK, answer.StatusCode, body)
	require.Contains(t, body, r.github.URL()+"/apps/waybill/installations/new")
	require.NotContains(t, body, r.github.WebhookSecret())
	require.NoError(t, <-r.result)
	require.Equal(t, r.github.PrivateKeyPEM(), r.kept.PrivateKey)
	require.Equal(t, r.github.WebhookSecret(), r.kept.WebhookSecret)
	require.Equal(t, r.github.AppID(), r.kept.ID)
}

// TestOnlyTheAnswerToThisSetupIsTakenT27: a page of somebody else could lead the browser to an App of theirs, whose
// secrets they know.
func TestOnlyTheAnswerToThisSetupIsTakenT27(t *testing.T) {
	r := begin(t)
	back := r.back()
	for _, forged := range []string{with(back, "state", "other"), with(back, "state", "")} {
		answer, body := r.send("GET", forged, nil, "")
		require.Equal(t, http.StatusForbidden, answer.StatusCode)
		require.Contains(t, body, "does not belong to this setup")
		require.Contains(t, <-r.said, "was not used")
	}
	require.Zero(t, r.kept)
	answer, _ := r.send("GET", back.String(), nil, "waybill.attacker.example:80")
	require.Equal(t, http.StatusForbidden, answer.StatusCode, "a name of somebody else that leads to this machine")
	here := *back
	here.Path, here.RawQuery = "/", ""
	answer, _ = r.send("GET", here.String(), nil, "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode, "the page is where nobody else finds it")
	answer, _ = r.send("GET", back.String(), nil, "")
	require.Equal(t, http.StatusOK, answer.StatusCode, "and goes on")
	require.NoError(t, <-r.result)
}

func TestACodeThatIsNoGoodEndsTheFlowWithTheRemedy(t *testing.T) {
	for name, c := range map[string]struct{ key, value, says string }{
		"forged":  {"code", "00000000", "GitHub does not know this code: it is good once, and for an hour"},
		"a path":  {"code", "../../user", "a code has no other characters"},
		"missing": {"code", "", "GitHub sent no code: run waybill setup again"},
		"denied":  {"error", "access_denied", "GitHub made no App:  (access_denied)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t)
			answer, body := r.send("GET", with(r.back(), c.key, c.value), nil, "")
			require.Equal(t, http.StatusBadRequest, answer.StatusCode)
			require.Contains(t, body, "The App is not set up")
			require.ErrorContains(t, <-r.result, c.says)
			require.Zero(t, r.kept)
		})
	}
}

func TestACodeIsRedeemedOnceMoreIfGitHubDidNotAnswer(t *testing.T) {
	r := begin(t)
	back := r.back().String()
	r.github.Faults().FailNext(githubsim.Route{Path: "/app-manifests/{code}/conversions"},
		githubsim.Fault{Status: http.StatusBadGateway})
	answer, body := r.send("GET", back, nil, "")
	require.Equal(t, http.StatusBadGateway, answer.StatusCode)
	require.Contains(t, body, "load this page again")
	require.Contains(t, <-r.said, "Load the page in the browser again")
	answer, _ = r.send("GET", back, nil, "")
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, <-r.result)
}

func TestAFlowThatCannotKeepTheSecretsSaysSoInBothPlaces(t *testing.T) {
	r := begin(t)
	r.fails = errors.New("the disk is full")
	answer, body := r.send("GET", r.back().String(), nil, "")
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
	require.Contains(t, body, "the disk is full")
	require.ErrorContains(t, <-r.result, "the disk is full")
}

// TestWhatHasBegunWhenAFlowIsInterruptedIsEnded has the browser go away, and then the person at the terminal, while the
// secrets are written.
func TestWhatHasBegunWhenAFlowIsInterruptedIsEnded(t *testing.T) {
	r := begin(t)
	r.slow = make(chan struct{})
	ctx, away := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", r.back().String(), nil)
	require.NoError(t, err)
	gone := make(chan error, 1)
	go func() {
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			answer.Body.Close()
		}
		gone <- err
	}()
	<-r.slow
	away()
	require.ErrorIs(t, <-gone, context.Canceled)
	r.leave()
	select {
	case err := <-r.result:
		t.Fatal("it did not wait: ", err)
	case <-time.After(1500 * time.Millisecond): // longer than it waits for browsers
	}
	<-r.slow
	require.NoError(t, <-r.result)
	require.Equal(t, r.github.AppID(), r.kept.ID)
}

func TestAFlowThatIsInterruptedBeforeTheAnswerSaysSo(t *testing.T) {
	r := begin(t)
	r.leave()
	require.ErrorIs(t, <-r.result, context.Canceled)
}

// TestABrowserThatGoesAwayDoesNotLoseTheApp has it go while GitHub works on the code, which GitHub takes once.
func TestABrowserThatGoesAwayDoesNotLoseTheApp(t *testing.T) {
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(t, err)
	t.Cleanup(func() { github.Close() })
	require.NoError(t, github.CreateOrg("acme"))
	to, err := url.Parse(github.V3URL())
	require.NoError(t, err)
	asked, answers := make(chan struct{}), make(chan struct{})
	forward := httputil.NewSingleHostReverseProxy(to)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answers
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(between.Close)
	r := beginAt(t, github, between.URL)
	ctx, away := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", r.back().String(), nil)
	require.NoError(t, err)
	go func() {
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
		}
	}()
	<-asked
	away()
	time.Sleep(100 * time.Millisecond) // until the server has noticed
	close(answers)
	require.NoError(t, <-r.result)
	require.Equal(t, github.AppID(), r.kept.ID)
}
