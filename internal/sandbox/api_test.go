package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
)

// withTokens restarts the program with a token file and returns the secrets of the tokens.
func (s *site) withTokens(tokens ...api.Token) (secrets []string) {
	s.t.Helper()
	s.tokens = filepath.Join(s.t.TempDir(), "tokens")
	var lines strings.Builder
	for _, t := range tokens {
		made, secret, err := api.NewToken(t)
		require.NoError(s.t, err)
		fmt.Fprintln(&lines, made.Line())
		secrets = append(secrets, secret)
	}
	require.NoError(s.t, os.WriteFile(s.tokens, []byte(lines.String()), 0o600))
	require.NoError(s.t, s.restart(s.ctx))
	s.quiet()
	return secrets
}

// answer is a response of the API.
type answer struct {
	status int
	header http.Header
	body   string
}

// api sends a request with a token, unless that is empty, and with a body, if there is one.
func (s *site) api(token, method, path string, body ...string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.ctx, method, s.program.url+path,
		strings.NewReader(strings.Join(body, "")))
	require.NoError(s.t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return s.ask(http.DefaultClient, request)
}

func (s *site) ask(client *http.Client, request *http.Request) answer {
	s.t.Helper()
	response, err := client.Do(request)
	require.NoError(s.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return answer{response.StatusCode, response.Header, string(body)}
}

// get reads a response of the API. A field that its type lacks fails the test.
func (s *site) get(token, path string, into any) {
	s.t.Helper()
	a := s.api(token, http.MethodGet, path)
	require.Equal(s.t, http.StatusOK, a.status, a.body)
	d := json.NewDecoder(strings.NewReader(a.body))
	d.DisallowUnknownFields()
	require.NoError(s.t, d.Decode(into), a.body)
}

const pipelinePath = "/api/v1/pipelines/" + home

func TestWithoutTokenOrSignInNothingIsReadAndNothingIsTold(t *testing.T) { // docs/cases.md way 9
	s := newSite(t, oneStage)
	s.withTokens(api.Token{Name: "other", Repos: []promotion.Repo{"acme/other"}})
	var first answer
	for i, path := range []string{
		"/api/v1/pipelines", pipelinePath, pipelinePath + "/stages/dev", "/api/v1/pipelines/no/body",
		pipelinePath + "/events", "/api/v1/nothing",
	} {
		for _, token := range []string{"", "wb_wrong"} {
			a := s.api(token, http.MethodGet, path)
			require.Equal(t, http.StatusUnauthorized, a.status, path)
			require.Equal(t, `Bearer realm="waybill"`, a.header.Get("WWW-Authenticate"))
			require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
			if token == "" && i == 0 {
				first = a
			}
			if token == "" {
				require.Equal(t, problemIn(t, first).Detail, problemIn(t, a).Detail, "%s: nothing tells what there is", path)
			}
		}
	}
	require.Equal(t, http.StatusUnauthorized, s.api("", http.MethodPost, pipelinePath+"/resync").status)
}

func problemIn(t *testing.T, a answer) (p api.Problem) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.body), &p), a.body)
	require.Equal(t, a.status, p.Status)
	require.Equal(t, a.header.Get(api.RequestID), p.Request)
	require.NotEmpty(t, p.Detail)
	return p
}

func TestAResyncGoesOnThoughNobodyWaitsForItsAnswer(t *testing.T) {
	s := newSite(t, oneStage)
	operator := s.withTokens(api.Token{Name: "operator", Scope: api.Operate})[0]
	resync := func() (r api.Resync) {
		var p api.Pipeline
		s.get(operator, pipelinePath, &p)
		return p.Resync
	}
	before := resync()
	s.clock.set(s.Now().Add(time.Minute))
	ctx, hangUp := context.WithCancel(s.ctx)
	gone := make(chan struct{})
	s.github.Faults().FailNext(githubsim.Route{Method: "GET", Path: "/repos/{owner}/{repo}"},
		githubsim.Fault{Before: func() {
			hangUp()
			<-gone
			time.Sleep(100 * time.Millisecond) // the server has noticed
		}})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.program.url+pipelinePath+"/resync", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+operator)
	_, err = http.DefaultClient.Do(request)
	close(gone)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return !resync().Last.Equal(*before.Last) }, time.Minute, 50*time.Millisecond)
	require.Zero(t, resync().Failures)
}

func TestATokenOpensWhatItIsForAndNothingElse(t *testing.T) {
	s := newSite(t, oneStage)
	secrets := s.withTokens(
		api.Token{Name: "reader"}, api.Token{Name: "operator", Scope: api.Operate},
		api.Token{Name: "elsewhere", Scope: api.Operate, Repos: []promotion.Repo{"acme/other"}},
		api.Token{Name: "mine", Repos: []promotion.Repo{promotion.Repo(strings.ToUpper(home))}},
		api.Token{Name: "old", Until: s.Now().Add(-time.Hour)},
	)
	reader, operator, elsewhere, mine, old := secrets[0], secrets[1], secrets[2], secrets[3], secrets[4]
	for _, c := range []struct {
		token, method, path string
		status              int
	}{
		{reader, "GET", pipelinePath, 200},
		{mine, "GET", pipelinePath, 200},
		{old, "GET", pipelinePath, 401},
		{elsewhere, "GET", pipelinePath, 404},
		{elsewhere, "GET", "/api/v1/pipelines/no/body", 404},
		{elsewhere, "POST", pipelinePath + "/resync", 404},
		{reader, "POST", pipelinePath + "/resync", 403},
		{operator, "POST", pipelinePath + "/resync", 200},
		{reader, "GET", pipelinePath + "/stages/prod", 404},
		{reader, "GET", pipelinePath + "/promotions/77", 404},
		{reader, "GET", pipelinePath + "/promotions/x", 400},
		{reader, "GET", pipelinePath + "/promotions?limit=0", 400},
		{reader, "GET", pipelinePath + "/promotions?limit=101", 400},
		{reader, "GET", pipelinePath + "/freight?cursor=!", 400},
		{reader, "DELETE", pipelinePath, 405},
		{reader, "GET", pipelinePath + "/resync", 405},
		{reader, "GET", "/api/v1/nothing", 404},
		{reader, "GET", "/auth/github/callback?code=x&state=y", 400},
	} {
		a := s.api(c.token, c.method, c.path)
		require.Equal(t, c.status, a.status, "%s %s: %s", c.method, c.path, a.body)
		if c.status != 200 {
			problemIn(t, a)
		}
	}
	none, other := s.api(elsewhere, "GET", pipelinePath), s.api(elsewhere, "GET", "/api/v1/pipelines/no/body")
	require.Equal(t, strings.ReplaceAll(problemIn(t, none).Detail, home, "X"),
		strings.ReplaceAll(problemIn(t, other).Detail, "no/body", "X"),
		"what one may not read and what is not there look the same")
	var page api.Pipelines
	s.get(elsewhere, "/api/v1/pipelines", &page)
	require.Empty(t, page.Pipelines)
	s.get(mine, "/api/v1/pipelines", &page)
	require.Len(t, page.Pipelines, 1)
	require.Equal(t, "GET", s.api(reader, "PUT", pipelinePath).header.Get("Allow"))
}

// TestEveryRouteIsShutToThoseItIsNotFor sends requests without the right to every route of the API, so that it covers
// new routes too.
func TestEveryRouteIsShutToThoseItIsNotFor(t *testing.T) {
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	secrets := s.withTokens(api.Token{Name: "reader"},
		api.Token{Name: "elsewhere", Scope: api.Operate, Repos: []promotion.Repo{"acme/other"}})
	reader, elsewhere := secrets[0], secrets[1]
	owner, repo, _ := strings.Cut(home, "/")
	fill := strings.NewReplacer("{owner}", owner, "{repo}", repo, "{stage}", "dev", "{number}", "1", "{guid}",
		s.github.Deliveries()[0].GUID)
	for _, route := range api.Routes {
		path := fill.Replace(route.Path)
		refused := func(token, method string, status int) {
			t.Helper()
			a := s.api(token, method, path)
			require.Equal(t, status, a.status, "%s %s: %s", method, path, a.body)
			require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
			require.Equal(t, "no-store", a.header.Get("Cache-Control"))
			problemIn(t, a)
		}
		refused("", route.Method, http.StatusUnauthorized)
		refused("wb_wrong", route.Method, http.StatusUnauthorized)
		refused("", http.MethodDelete, http.StatusUnauthorized)
		refused(reader, http.MethodDelete, http.StatusMethodNotAllowed)
		switch route.At {
		case api.OnePipeline:
			refused(elsewhere, route.Method, http.StatusNotFound)
		case api.Everywhere:
			refused(elsewhere, route.Method, http.StatusForbidden)
		}
		if route.Needs > api.Read {
			refused(reader, route.Method, http.StatusForbidden)
		}
	}
}

func TestASecondTokenListensWhereTheFirstMayNotAnyMore(t *testing.T) {
	s := newSite(t, oneStage)
	secrets := s.withTokens(api.Token{Name: "greedy"}, api.Token{Name: "modest"})
	greedy, modest := secrets[0], secrets[1]
	for range 8 {
		_, hangUp := s.listen(greedy, "")
		defer hangUp()
	}
	a := s.api(greedy, http.MethodGet, pipelinePath+"/events")
	require.Equal(t, http.StatusTooManyRequests, a.status)
	require.Contains(t, problemIn(t, a).Detail, "close one")
	_, hangUp := s.listen(modest, "")
	hangUp()
}

// TestEightCallersDoNotTakeAllEventStreams has each of them listen as often as one may, from two addresses, and go on
// as others come.
func TestEightCallersDoNotTakeAllEventStreams(t *testing.T) {
	s := newSite(t, oneStage)
	var tokens []api.Token
	for i := range 12 {
		tokens = append(tokens, api.Token{Name: fmt.Sprint("caller-", i)})
	}
	secrets := s.withTokens(tokens...)
	for _, secret := range secrets[:8] {
		for range 8 {
			_, hangUp := s.listen(secret, "")
			defer hangUp()
		}
	}
	for _, secret := range secrets[8:] {
		lines, hangUp := s.listen(secret, "")
		defer hangUp()
		require.Contains(t, <-lines, "retry")
	}
}

func TestAnswersSayWhereEverythingIsAndWhy(t *testing.T) {
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann", "comment #1 by bob: /hold dev wait for the meeting", "merge #2 by ann")
	var p api.Pipeline
	s.get(token, pipelinePath, &p)
	require.True(t, p.InForce)
	require.Equal(t, []string{"dev"}, p.StageNames)
	require.NotZero(t, p.Resync.Due)
	require.NotNil(t, p.Resync.Last)
	dev := p.Stages[0]
	require.Equal(t, "api#1", dev.Hosts[0].Freight)
	require.Equal(t, "pending", dev.Hosts[0].Verdict)
	require.Equal(t, "verifying", dev.Active.State)
	require.Equal(t, "Merged, verifying: waiting for smoke", dev.Active.Why.Sentence)
	require.NotNil(t, dev.Active.Why.NextLook)
	require.Contains(t, dev.Active.Pull, "/pull/")
	require.Equal(t, "bob", dev.Holds[0].By)
	require.Equal(t, "api#2", dev.Queue[0].Freight)
	require.Equal(t, "Queued: promotion 1 goes first", dev.Queue[0].Why.Sentence)

	var d api.StageDetail
	s.get(token, pipelinePath+"/stages/dev?limit=1", &d)
	require.Len(t, d.Freight, 1)
	require.Equal(t, "api#2", d.Freight[0].Freight)

	var one api.PromotionDetail
	s.get(token, pipelinePath+"/promotions/1", &one)
	require.Equal(t, []string{"dev.yaml"}, one.Paths)
	require.Equal(t, "done", one.Effects[0].State)
}

func TestAnswersSayHowAStageHasDrifted(t *testing.T) {
	s := newSite(t, drifting)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann")
	var d api.StageDetail
	s.get(token, pipelinePath+"/stages/dev", &d)
	require.Nil(t, d.Hosts[0].Drift)
	s.do("edit dev.yaml tag hotfix by bob")
	s.get(token, pipelinePath+"/stages/dev", &d)
	require.Equal(t, "drifted", d.Hosts[0].Drift.Code)
	require.Contains(t, d.Hosts[0].Drift.Sentence, `says "hotfix", promotion 1 wrote "1"; pushed by bob`)
	require.Equal(t, "/promote dev api#1", d.Hosts[0].Next)
	require.Equal(t, "Verified, drifted", d.Freight[0].Why.Sentence)
}

func TestPagesFollowEachOtherWithoutGapOrRepetition(t *testing.T) {
	s := newSite(t,
		strings.Replace(oneStage, "stages:", "  web: {pull-requests: {branch: main, paths: [src/**]}}\nstages:", 1))
	token := s.withTokens(api.Token{Name: "reader"})[0]
	for n := range 4 {
		s.do(fmt.Sprintf("merge #%d by ann", n+1))
	}
	var freight, promotions []string
	for cursor := ""; len(freight) < 20; {
		var page api.FreightPage
		s.get(token, pipelinePath+"/freight?limit=3&cursor="+cursor, &page)
		for _, f := range page.Freight {
			freight = append(freight, f.Freight)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, []string{"web#4", "api#4", "web#3", "api#3", "web#2", "api#2", "web#1", "api#1"}, freight)
	for cursor := ""; len(promotions) < 20; {
		var page api.Promotions
		s.get(token, pipelinePath+"/promotions?stage=dev&limit=2&cursor="+cursor, &page)
		for _, p := range page.Promotions {
			require.NotEmpty(t, p.Why.Sentence)
			promotions = append(promotions, p.Freight+" "+p.State)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, []string{"api#4 queued", "api#3 superseded", "api#2 superseded", "api#1 verifying"}, promotions)
}

// listen opens the event stream and returns its lines.
func (s *site) listen(token, after string) (lines chan string, hangUp context.CancelFunc) {
	s.t.Helper()
	ctx, hangUp := context.WithCancel(s.ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.program.url+pipelinePath+"/events", nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(s.t, err)
	require.Equal(s.t, "text/event-stream", response.Header.Get("Content-Type"))
	lines = make(chan string, 1000)
	go func() {
		defer close(lines)
		defer response.Body.Close()
		for in := bufio.NewScanner(response.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines, hangUp
}

// ids reads a stream until it has n ids of events.
func ids(t *testing.T, lines chan string, n int) (found []string) {
	t.Helper()
	for len(found) < n {
		select {
		case line, open := <-lines:
			require.True(t, open, "the stream ended after %d", len(found))
			if id, is := strings.CutPrefix(line, "id: "); is {
				found = append(found, id)
			}
		case <-time.After(time.Minute):
			t.Fatalf("only %d of %d events came", len(found), n)
		}
	}
	return found
}

func TestEventsGoOnWhereAListenerLeftOff(t *testing.T) {
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	lines, hangUp := s.listen(token, "")
	require.Equal(t, "retry: 2000", <-lines, "the stream has begun: nothing after this is missed")
	s.do("merge #1 by ann")
	seen := ids(t, lines, 3)
	hangUp()
	s.do("merge #2 by ann")

	lines, hangUp = s.listen(token, seen[0])
	defer hangUp()
	require.Equal(t, seen[1:], ids(t, lines, 2))
	all, hangUp := s.listen(token, "0")
	defer hangUp()
	require.Subset(t, ids(t, all, 5), seen)
	require.Equal(t, http.StatusBadRequest, s.api(token, "GET", pipelinePath+"/events?after=x").status)
}

func TestListenersAreSentAwayWhenTheServerStops(t *testing.T) {
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	lines, hangUp := s.listen(token, "")
	defer hangUp()
	require.NotEmpty(t, <-lines)
	s.program.cancel()
	<-s.program.ended
	require.NoError(t, s.program.failed, "nobody was waited for in vain")
	for range lines { // until the stream ends
	}
	require.NoError(t, s.restart(s.ctx))
}

func TestATokenThatIsTakenOutOfTheFileOpensNothingAnyMore(t *testing.T) {
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	require.Equal(t, 200, s.api(token, "GET", pipelinePath).status)
	require.NoError(t, os.WriteFile(s.tokens, []byte("# nobody\n"), 0o600))
	require.Equal(t, 401, s.api(token, "GET", pipelinePath).status)
	require.NoError(t, os.WriteFile(s.tokens, []byte("nonsense\n"), 0o600))
	require.Equal(t, 503, s.api(token, "GET", pipelinePath).status)
	require.NoError(t, os.Remove(s.tokens))
	require.Equal(t, 503, s.api(token, "GET", pipelinePath).status)
}

// browser returns an HTTP client that keeps cookies.
func (s *site) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	return &http.Client{Jar: jar}
}

// visit opens an address in a browser.
func (s *site) visit(b *http.Client, method, address string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.ctx, method, address, nil)
	require.NoError(s.t, err)
	return s.ask(b, request)
}

func TestWhoMayReadTheHomeRepositorySignsInAndReads(t *testing.T) {
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.github.SetPermission(home, "ann", "read"))
	s.quiet() // the webhook about this makes the server forget the permissions that it knows
	ann := s.browser()
	a := s.visit(ann, "GET", s.program.url+api.SignInPath+"?back="+url.QueryEscape(pipelinePath))
	require.Equal(t, 200, a.status, a.body)
	require.Contains(t, a.body, `"stageNames"`, "she came back to where she wanted to go")
	require.Equal(t, 403, s.visit(ann, "POST", s.program.url+pipelinePath+"/resync").status, "reading is not operating")

	s.deaf(func() error { return s.github.SetPermission(home, "ann", "write") })
	require.Equal(t, 403, s.visit(ann, "POST", s.program.url+pipelinePath+"/resync").status,
		"GitHub is not asked each time")
	s.clock.set(s.Now().Add(5 * time.Minute))
	require.Equal(t, 200, s.visit(ann, "POST", s.program.url+pipelinePath+"/resync").status)
	require.NoError(t, s.github.SetPermission(home, "ann", "none"))
	s.clock.set(s.Now().Add(5 * time.Minute))
	require.Equal(t, 404, s.visit(ann, "GET", s.program.url+pipelinePath).status, "she has lost it")
	s.clock.set(s.Now().Add(12 * time.Hour))
	require.Equal(t, 401, s.visit(ann, "GET", s.program.url+pipelinePath).status, "a session ends")
}

// leave follows a sign-in up to GitHub's page and returns the address to which GitHub sends the browser back.
func (s *site) leave(b *http.Client) string {
	s.t.Helper()
	deployment := *b
	deployment.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == api.CallbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	}
	a := s.visit(&deployment, "GET", s.program.url+api.SignInPath)
	require.Equal(s.t, http.StatusFound, a.status, a.body)
	require.NotContains(s.t, a.header.Get("Location"), signIn.ClientSecret)
	return a.header.Get("Location")
}

func TestASignInFitsTheBrowserThatBeganItAndFitsOnceT27(t *testing.T) {
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	refused := func(b *http.Client, address, why string) {
		t.Helper()
		require.Equal(t, 400, s.visit(b, "GET", address).status, why)
		require.Equal(t, 401, s.visit(b, "GET", s.program.url+pipelinePath).status, why)
	}
	victim, attacker := s.browser(), s.browser()
	back := s.leave(attacker)
	refused(victim, back, "somebody else's sign-in")
	s.leave(victim)
	refused(victim, back, "somebody else's sign-in, with one of one's own under way")

	mine := s.leave(victim)
	altered, err := url.Parse(mine)
	require.NoError(t, err)
	query := altered.Query()
	query.Set("state", "x")
	altered.RawQuery = query.Encode()
	refused(victim, altered.String(), "another state")
	mine = s.leave(victim)
	s.clock.set(s.Now().Add(10 * time.Minute))
	refused(victim, mine, "too late")

	mine = s.leave(victim)
	jar := victim.Jar.Cookies(must(url.Parse(s.program.url)))
	require.Equal(t, 200, s.visit(victim, "GET", mine).status)
	thief := s.browser()
	thief.Jar.SetCookies(must(url.Parse(s.program.url)), jar)
	refused(thief, mine, "used, even with the cookie that fits")
	require.Equal(t, 200, s.visit(victim, "GET", s.program.url+pipelinePath).status)

	request, err := http.NewRequestWithContext(s.ctx, "POST", s.program.url+pipelinePath+"/resync", nil)
	require.NoError(t, err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, 403, s.ask(victim, request).status, "a page of another site cannot act for her")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestWhenGitHubDoesNotAnswerNobodyWhoSignedInMayRead(t *testing.T) {
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	ann := s.browser()
	require.Equal(t, 200, s.visit(ann, "GET", s.program.url+api.SignInPath).status)
	s.github.Faults().FailNext(githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"},
		githubsim.Fault{Status: 502, Times: -1})
	s.clock.set(s.Now().Add(6 * time.Minute))
	require.Equal(t, 404, s.visit(ann, "GET", s.program.url+pipelinePath).status)
	s.github.Faults().Clear()
	s.clock.set(s.Now().Add(time.Minute))
	require.Equal(t, 200, s.visit(ann, "GET", s.program.url+pipelinePath).status)
}

func TestCookiesAreForTheServerAlone(t *testing.T) {
	s := newSite(t, oneStage)
	a := s.visit(
		&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, "GET",
		s.program.url+api.SignInPath,
	)
	require.Regexp(t, `^waybill-trip=\S+; Path=/; Max-Age=600; HttpOnly; SameSite=Lax$`, a.header.Get("Set-Cookie"))
	require.Contains(t, a.header.Get("Location"), "code_challenge_method=S256")
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		require.Equal(t, want, a.header.Get(name))
	}
	require.NotEmpty(t, a.header.Get(api.RequestID))

	require.NoError(t, s.meet("ann"))
	ann := s.browser()
	back := s.leave(ann)
	ann.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	session := regexp.MustCompile(`waybill-session=(\S+); Path=/; Max-Age=\d+; HttpOnly; SameSite=Lax`).FindStringSubmatch(
		strings.Join(s.visit(ann, "GET", back).header.Values("Set-Cookie"), "\n"))
	require.NotNil(t, session)
	reads := func(value string) int {
		request, err := http.NewRequestWithContext(s.ctx, "GET", s.program.url+pipelinePath, nil)
		require.NoError(t, err)
		request.AddCookie(&http.Cookie{Name: "waybill-session", Value: value})
		return s.ask(http.DefaultClient, request).status
	}
	require.Equal(t, 200, reads(session[1]))
	for i, letter := range session[1][:len(session[1])-2] { // the last two may have bits that say nothing
		if other := map[bool]string{true: "A", false: "B"}[letter != 'A']; letter != '.' {
			require.Equal(t, 401, reads(session[1][:i]+other+session[1][i+1:]), "the cookie is altered at %d", i)
		}
	}
}

func TestNoTokenCookieOrCodeIsInAnyLog(t *testing.T) { // T36, docs/cases.md way 9
	var log bytes.Buffer
	logger := zerolog.New(zerolog.SyncWriter(&log))
	parsed, err := story.Parse(t.Name(), []byte("-- .github/waybill.yml --\n"+oneStage+"-- story --\n"))
	require.NoError(t, err)
	w, err := NewWorld(logger.WithContext(context.WithoutCancel(t.Context())), parsed, t.TempDir(), nil)
	require.NoError(t, err)
	s := &site{World: w, t: t, ctx: logger.WithContext(t.Context())}
	token := s.withTokens(api.Token{Name: "reader"})[0]
	require.NoError(t, s.meet("ann"))
	ann := s.browser()
	back := s.leave(ann)
	require.Equal(t, 200, s.visit(ann, "GET", back).status)
	secrets := []string{token, "wb_wrong", signIn.ClientSecret, must(url.Parse(back)).Query().Get("code"),
		must(url.Parse(back)).Query().Get("state")}
	for _, cookie := range ann.Jar.Cookies(must(url.Parse(s.program.url))) {
		secrets = append(secrets, cookie.Value)
	}
	s.api(token, "GET", pipelinePath)
	s.api("wb_wrong", "GET", pipelinePath)
	s.visit(ann, "GET", back)
	require.NoError(t, os.Chmod(s.tokens, 0o644))
	s.api(token, "GET", pipelinePath)
	require.NoError(t, w.Close())
	require.Contains(t, log.String(), `"who":"token reader"`)
	require.Contains(t, log.String(), `"request":`)
	require.Contains(t, log.String(), "run chmod 600 on it")
	for _, secret := range secrets {
		require.NotEmpty(t, secret)
		require.NotContains(t, log.String(), secret)
	}
}
