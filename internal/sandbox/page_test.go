package sandbox

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// prodByHand is a pipeline in whose second stage people promote.
const prodByHand = oneStage + `  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.short}"}}, verify: [smoke]}
-- .github/waybill.policy.yml --
version: 1
automatic: [dev]
`

// aboard makes a site with freight in dev that waits for prod, and signs ann in, who may write.
func aboard(t *testing.T) (*site, *http.Client) {
	s := newSite(t, prodByHand)
	s.do("merge #1 by ann", "check smoke success on dev")
	return s, s.signedIn("ann", "write")
}

// signedIn returns the browser of a person with a permission who has signed in.
func (s *site) signedIn(login, permission string) *http.Client {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(login)))
	require.NoError(s.t, s.github.SetPermission(home, login, permission))
	s.quiet()
	s.github.SignInAs(login)
	b := s.browser()
	require.Equal(s.t, 200, s.visit(b, "GET", s.program.url+api.SignInPath).status)
	return b
}

const boardPath = "/pipelines/" + home

// page opens a page in a browser.
func (s *site) page(b *http.Client, path string) answer {
	s.t.Helper()
	return s.visit(b, "GET", s.program.url+path)
}

// submit sends a form from a page of a site, as browsers do.
func (s *site) submit(b *http.Client, from string, form url.Values) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.ctx, "POST", s.program.url+boardPath+"/commands",
		strings.NewReader(form.Encode()))
	require.NoError(s.t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", from)
	return s.ask(b, request)
}

// pagesOfSite are the pages of a pipeline with freight in dev.
var pagesOfSite = []string{
	boardPath, boardPath + "/freight", boardPath + "/audit", boardPath + "/stages/dev", boardPath + "/stages/prod",
	boardPath + "/promotions/1", boardPath + "/find?q=nobody", boardPath + "/commands?command=promote+prod",
	boardPath + "/numbers", boardPath + "/numbers?since=90d&stage=dev",
}

func TestThePagesShowAPipelineToThoseWhoMayReadIt(t *testing.T) {
	s, ann := aboard(t)
	board := s.page(ann, "/")
	require.Equal(t, 200, board.status)
	require.Contains(t, board.body, `data-after="dev"`, "the only pipeline is the first page")
	for _, want := range []string{
		"api#1", "✓</span> verified", "after dev", "promoted by hand", "Waiting for people", "/promote prod api#1",
	} {
		require.Contains(t, board.body, want)
	}
	for _, path := range pagesOfSite {
		a := s.page(ann, path)
		require.Equal(t, 200, a.status, path)
		require.Contains(t, a.body, "</html>", path)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"), path)
	}
	require.Contains(t, s.page(ann, boardPath+"/promotions/1").body, "Promote api#1 to dev")
	require.Contains(t, s.page(ann, boardPath+"/find?q=p1").body, "Promote api#1 to dev")
	require.Contains(t, s.page(ann, boardPath+"/find?q=change").body, "dev <span", "freight is found by its title")
	require.Equal(t, 404, s.page(ann, boardPath+"/stages/nowhere").status)
	require.Equal(t, 404, s.page(ann, "/pipelines/acme/other").status)
	require.Equal(t, 404, s.page(ann, "/nothing").status)
	for _, path := range []string{"..%2fapi/x", "acme%2f..%2facme/deploy%3fx", "a%20b/c%23d", "acme/%2e%2e"} {
		require.Equal(t, 404, s.page(ann, "/pipelines/"+path).status, "%s names no pipeline", path)
	}
	require.Contains(t, s.page(ann, boardPath+"/commands?command=%2FPROMOTE+prod").body, "What it would do now",
		"however it is written")
	require.Equal(t, 403, s.page(ann, "/doctor").status, "health is about everybody's pipelines")
	require.NotContains(t, s.page(ann, boardPath).body, "/doctor", "nothing leads where nobody may go")
	require.Equal(t, 400, s.page(ann, boardPath+"/commands?command=dance").status)
}

func TestThePagesTellStrangersNothing(t *testing.T) {
	s, _ := aboard(t)
	stranger := s.browser()
	first := regexp.MustCompile(`(?s)<h1>.*?</p>`).FindString(s.page(stranger, "/").body)
	require.Contains(t, first, "You are not signed in")
	for _, path := range append(pagesOfSite, "/doctor", "/pipelines/no/body", "/nothing") {
		a := s.page(stranger, path)
		require.Equal(t, 401, a.status, path)
		require.Contains(t, a.body, first, "%s: nothing tells what there is", path)
		require.Contains(t, a.body, api.SignInPath+"?back="+url.QueryEscape(path), path)
		require.NotContains(t, a.body, "api#1", path)
	}
	style := regexp.MustCompile(`/assets/page.css\?v=[0-9a-f]{8}`).FindString(s.page(stranger, "/").body)
	a := s.page(stranger, style)
	require.Equal(t, 200, a.status)
	require.Equal(t, "text/css; charset=utf-8", a.header.Get("Content-Type"))
	require.Contains(t, a.header.Get("Cache-Control"), "immutable")
	require.Equal(t, 404, s.page(stranger, "/assets/..%2fpages.go").status)

	eve := s.signedIn("eve", "none")
	require.Equal(t, 404, s.page(eve, boardPath).status)
	require.Equal(t, 404, s.page(eve, "/pipelines/no/body").status)
	require.NotContains(t, s.page(eve, "/").body, home)
}

var keyIn = regexp.MustCompile(`name="key" value="(\w+)"`)

func TestACommandOnAPageIsAskedForAndGivenOnce(t *testing.T) {
	s, ann := aboard(t)
	asked := s.page(ann, boardPath+"/commands?command=%2Fpromote+prod+api%231").body
	require.Contains(t, asked, "What it would do now")
	require.Contains(t, asked, "prod.yaml")
	require.Contains(t, asked, "Give the command as ann")
	require.NotContains(t, s.page(ann, boardPath+"/stages/prod").body, "Under way", "to ask does nothing")

	form := url.Values{"command": {"promote prod api#1"}, "key": keyIn.FindStringSubmatch(asked)[1:]}
	for _, from := range []string{"cross-site", "same-site"} {
		require.Equal(t, 403, s.submit(ann, from, form).status, "a page of another site gives no command")
	}
	require.NotContains(t, s.page(ann, boardPath+"/stages/prod").body, "Under way")

	require.Contains(t, s.submit(ann, "same-origin", form).body, "<h2>done</h2>")
	s.quiet()
	require.Contains(t, s.submit(ann, "same-origin", form).body, "<h2>done</h2>", "the page was loaded again")
	s.quiet()
	history := s.page(ann, boardPath+"/stages/prod").body
	require.Equal(t, 1, strings.Count(history, "manual by ann"), history)

	bob := s.signedIn("bob", "read")
	asked = s.page(bob, boardPath+"/commands?command=hold+prod").body
	form = url.Values{"command": {"hold prod"}, "key": keyIn.FindStringSubmatch(asked)[1:]}
	require.Contains(t, s.submit(bob, "same-origin", form).body, "<h2>refused</h2>", "a button gives nobody a right")
	require.NotContains(t, s.page(bob, boardPath+"/stages/prod").body, "is held")

	asked = s.page(ann, boardPath+"/commands?command=hold+*-prd").body
	form = url.Values{"command": {"hold *-prd"}, "key": keyIn.FindStringSubmatch(asked)[1:]}
	require.Contains(t, s.submit(ann, "same-origin", form).body, "<h2>done</h2>")
	trail := s.page(ann, boardPath+"/audit").body
	require.Contains(t, trail, "<b>bob</b> <code>/hold prod</code> refused")
	require.Contains(t, trail, "<b>ann</b> <code>/promote prod api#1</code> done")
	require.Contains(t, trail, "<b>ann</b> <code>/hold --all --because &#34;*-prd&#34;</code> done", "it names no stage")
	require.NotContains(t, trail, "verb", "the stored form of a command is not shown")
}

func TestSomebodySignsOutOfThePages(t *testing.T) {
	s, ann := aboard(t)
	request, err := http.NewRequestWithContext(s.ctx, "POST", s.program.url+api.SignOutPath, nil)
	require.NoError(t, err)
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, 403, s.ask(ann, request).status)
	require.Equal(t, 200, s.page(ann, boardPath).status)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	require.Equal(t, 401, s.ask(ann, request).status, "the first page wants to know who asks")
	require.Equal(t, 401, s.page(ann, boardPath).status)
}

func TestHostileTextsAreTextsOnThePages(t *testing.T) {
	s := newSite(t, prodByHand)
	ann := s.signedIn("ann", "write")
	const hostile = `<img src=x onerror=alert(1)> javascript:alert(1)`
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: hostile, Author: "ann", Head: "hostile",
		Files: map[string]*string{"src/a": githubsim.Text("a")}})
	require.NoError(t, err)
	_, err = s.github.MergePull(home, n, "ann", "")
	require.NoError(t, err)
	s.quiet()
	s.do("check smoke success on dev")
	hold := url.Values{"command": {"hold prod <script>alert(2)</script>"}, "key": {"hostile"}}
	require.Contains(t, s.submit(ann, "same-origin", hold).body, "<h2>done</h2>")
	for _, path := range append(pagesOfSite, boardPath+"/find?q="+url.QueryEscape(hostile)) {
		a := s.page(ann, path)
		require.Contains(t, a.header.Get("Content-Security-Policy"), "script-src 'self';", path)
		body := a.body
		require.NotContains(t, body, "<img src=x", path)
		require.NotContains(t, body, "<script>alert", path)
	}
	require.Contains(t, s.page(ann, boardPath).body, "&lt;img src=x")
	require.Contains(t, s.page(ann, boardPath+"/stages/prod").body, "&lt;script&gt;alert(2)")
}

// TestWhatWaitsForMissedWebhooksSaysSo has GitHub fail the list of deliveries from a start on, so that nothing is
// decided for a while.
func TestWhatWaitsForMissedWebhooksSaysSo(t *testing.T) {
	t.Parallel()
	s, b := aboard(t)
	reads := s.withTokens(api.Token{Name: "reads", Scope: api.Read, Repos: []promotion.Repo{promotion.Repo(home)}})[0]
	const says = "looks for webhooks that it missed"
	require.NotContains(t, s.page(b, boardPath).body, says)
	s.github.Faults().FailNext(listed, githubsim.Fault{Status: http.StatusBadGateway, Times: 2})
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	require.Contains(t, s.page(b, boardPath).body, says)
	var shown api.Pipeline
	s.get(reads, pipelinePath, &shown)
	require.True(t, shown.Resync.Unswept)
	s.do("comment #1 by ann: /promote prod")
	require.Empty(t, s.states("prod"))
	s.do("wait 1m")
	require.NotContains(t, s.page(b, boardPath).body, says)
	require.NotEmpty(t, s.states("prod"))
}

// TestALargeBoardShowsTheStagesThatOneAsksFor as commands name them, and no more than one can look at.
func TestALargeBoardShowsTheStagesThatOneAsksFor(t *testing.T) {
	var list []string
	for i := range 301 {
		list = append(list, fmt.Sprint("s", i))
	}
	s := newSite(t, `version: 1
for-each: {service: [`+strings.Join(list, ", ")+`]}
warehouses: {api: {pull-requests: {branch: main, paths: [src/**]}}}
stages:
  "${service}-dev": {from: api, groups: [dev]}
  "${service}-prod": {from: api, after: "${service}-dev"}
`)
	ann := s.signedIn("ann", "write")
	shown := func(path string) (names []string, body string) {
		a := s.page(ann, boardPath+path)
		require.Equal(t, 200, a.status)
		for _, m := range regexp.MustCompile(`data-stage="([^"]*)"`).FindAllStringSubmatch(a.body, -1) {
			names = append(names, m[1])
		}
		return names, a.body
	}
	names, body := shown("")
	require.Len(t, names, 500)
	require.Contains(t, body, "500 of 602 stages")
	names, body = shown("?stages=S7-*")
	require.Equal(t, []string{"s7-dev", "s7-prod"}, names)
	require.Contains(t, body, `value="S7-*"`)
	names, _ = shown("?stages=group:dev")
	require.Len(t, names, 301)
	names, body = shown("?stages=nowhere")
	require.Len(t, names, 500)
	require.Contains(t, body, `<p role="status">there is no nowhere here: the stages are s0-dev, `)
	require.Equal(t, 400, s.page(ann, "/api/v1/pipelines/"+home+"?most=0").status)
}
