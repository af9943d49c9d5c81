package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/promotion"
)

const numbersPath = "/api/v1" + boardPath + "/numbers"

// measured are the numbers of a pipeline.
func (s *site) measured(token, query string) (n api.Numbers) {
	s.t.Helper()
	a := s.api(token, "GET", numbersPath+query)
	require.Equal(s.t, http.StatusOK, a.status, a.body)
	require.NoError(s.t, json.Unmarshal([]byte(a.body), &n))
	return n
}

// TestTheNumbersTellWhatHappened follows changes, a failure and the way back through a whole Waybill, to the API and to
// the page.
func TestTheNumbersTellWhatHappened(t *testing.T) {
	s := newSite(t, prodByHand)
	s.do("merge #1 by ann", "wait 30m", "check smoke success on dev", "wait 1h", "comment #1 by ann: /promote prod",
		"wait 10m", "check smoke success on prod",
		"merge #2 by ann", "check smoke success on dev", "comment #2 by ann: /promote prod", "wait 5m",
		"check smoke failure on prod", "wait 20m", "comment #2 by ann: /rollback prod", "wait 10m",
		"check smoke success on prod")
	secrets := s.withTokens(api.Token{Name: "reader"}, api.Token{Name: "elsewhere",
		Repos: []promotion.Repo{"acme/other"}})
	token := secrets[0]
	n := s.measured(token, "")
	require.Equal(t, []string{"prod"}, n.Last)
	require.Equal(t, "day", n.Period)
	require.Equal(t, 28*24*time.Hour, n.At.Sub(n.Since))
	require.Len(t, n.Stages, 2)
	dev, prod := n.Stages[0], n.Stages[1]
	require.Equal(t, "dev", dev.Stage)
	require.Equal(t, []int{2, 2, 0}, []int{dev.Deployments, dev.Judged, dev.Failed})
	require.Nil(t, dev.Restore)
	require.Equal(t, prod.Measures, n.Whole)
	require.Equal(t, []int{2, 2, 1}, []int{prod.Deployments, prod.Judged, prod.Failed})
	require.InDelta(t, 0.5, *prod.FailureRate, 0)
	require.InDelta(t, 0.5, prod.PerWeek, 0)
	minutes := func(seconds int64) int64 { return (seconds + 30) / 60 }
	require.Equal(t, 1, prod.LeadTime.Count, "of what was verified there first")
	require.EqualValues(t, 100, minutes(prod.LeadTime.Median))
	require.EqualValues(t, 30, minutes(prod.Restore.Median), "from the failure until what was brought back was verified")
	require.Zero(t, prod.Broken)
	waits := map[string]int64{}
	for _, w := range prod.Waits {
		waits[w.Cause] = minutes(w.Median)
	}
	require.Equal(t, map[string]int64{
		"before": 90, "held": 0, "turn": 0, "sign-off": 0, "delivery": 0, "verification": 10,
	}, waits)
	deployed := 0
	for _, p := range prod.Periods {
		deployed += p.Deployments
	}
	require.Equal(t, 2, deployed)

	s.do("wait 48h")
	require.Zero(t, s.measured(token, "?since=1d").Whole.Deployments)
	require.Equal(t, "week", s.measured(token, "?since=90d").Period)
	for _, wrong := range []string{"yesterday", "-3d", "367d", "2031-01-01", "1999-01-01", "3w"} {
		require.Equal(t, http.StatusBadRequest, s.api(token, "GET", numbersPath+"?since="+wrong).status, wrong)
	}
	require.Equal(t, http.StatusNotFound, s.api(secrets[1], "GET", numbersPath).status)

	ann := s.signedIn("ann", "write")
	page := s.page(ann, boardPath+"/numbers")
	for _, want := range []string{"<b>50 %</b> 1 of 2", "<b>30 min</b>", "2 deployed, 1 failed", "Until it was verified"} {
		require.Contains(t, page.body, want)
	}
	require.NotContains(t, page.body, "<td></td>", "each cause has its words")
	require.Contains(t, s.page(ann, boardPath+"/numbers?stage=dev&since=7d").body, "Numbers of <a")
	require.Equal(t, 404, s.page(ann, boardPath+"/numbers?stage=nowhere").status)
	require.Equal(t, 400, s.page(ann, boardPath+"/numbers?since=ever").status)
}

// TestAnAnswerThatACallerHasIsNotSentAgain asks each route that answers a GET with a body again with its tag.
func TestAnAnswerThatACallerHasIsNotSentAgain(t *testing.T) {
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	secrets := s.withTokens(api.Token{Name: "reader"}, api.Token{Name: "elsewhere",
		Repos: []promotion.Repo{"acme/other"}})
	ask := func(token, path, tag string) answer {
		t.Helper()
		request, err := http.NewRequestWithContext(s.ctx, "GET", s.program.url+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("If-None-Match", tag)
		return s.ask(http.DefaultClient, request)
	}
	fill := strings.NewReplacer("{owner}/{repo}", home, "{stage}", "dev", "{number}", "1", "{login}", "ann", "{guid}",
		s.github.Deliveries()[0].GUID)
	tags := map[string]string{}
	for _, route := range api.Routes {
		if route.Method != http.MethodGet || strings.HasSuffix(route.Path, "/events") ||
			strings.HasSuffix(route.Path, "/doctor") { // its answer is that of this machine
			continue
		}
		path := fill.Replace(route.Path)
		first := ask(secrets[0], path, "")
		require.Equal(t, http.StatusOK, first.status, first.body)
		tag := first.header.Get("ETag")
		require.Regexp(t, `^W/"[\w-]{22}"$`, tag, path)
		tags[path] = tag
		for _, sent := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
			again := ask(secrets[0], path, sent)
			require.Equal(t, http.StatusNotModified, again.status, "%s %s", path, sent)
			require.Empty(t, again.body)
			require.Equal(t, tag, again.header.Get("ETag"))
		}
		require.Equal(t, http.StatusOK, ask(secrets[0], path, `W/"other"`).status, path)
		if route.At == api.OnePipeline {
			require.Equal(t, http.StatusNotFound, ask(secrets[1], path, tag).status, "%s: who may not read learns nothing", path)
		}
	}
	s.do("wait 1s")
	stage := "/api/v1" + boardPath + "/stages/dev"
	require.Equal(t, http.StatusNotModified, ask(secrets[0], stage, tags[stage]).status, "only time has passed")
	s.do("check smoke success on dev")
	require.Equal(t, http.StatusOK, ask(secrets[0], stage, tags[stage]).status, "it is verified now")
}
