package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// TestTheAPITakesTheNamesOfStagesThatCommandsTake gives each request what stands behind a command.
func TestTheAPITakesTheNamesOfStagesThatCommandsTake(t *testing.T) { // semantics 4.15
	t.Parallel()
	s := newSite(t, `version: 1
warehouses: {api: {pull-requests: {branch: main, paths: [src/**]}}}
stages:
  eu: {from: api, groups: [live], set: {eu.yaml: {tag: "${api.short}"}}}
  us: {from: api, groups: [live], set: {us.yaml: {tag: "${api.short}"}}}
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}
-- .github/waybill.policy.yml --
version: 1
automatic: [eu, us, dev]
-- eu.yaml --
tag: "0"
-- us.yaml --
tag: "0"
-- dev.yaml --
tag: "0"
`)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann")
	var one api.StageDetail
	s.get(token, pipelinePath+"/stages/EU", &one)
	require.Equal(t, "eu", one.Name)
	s.get(token, pipelinePath+"/stages/d*", &one)
	require.Equal(t, "dev", one.Name, "only one is called so")
	for path, want := range map[string]struct {
		status int
		detail string
	}{
		"/stages/group:live":           {http.StatusBadRequest, "this is about one stage, and group:live names 2"},
		"/stages/prod":                 {http.StatusNotFound, "there is no prod here: the stages are eu, us, dev"},
		"/stages/dev,*x":               {http.StatusNotFound, "there is no *x here: the stages are eu, us, dev"},
		"/stages/group:test":           {http.StatusNotFound, "there is no group:test here: the groups are live"},
		"?stages=nowhere":              {http.StatusNotFound, "there is no nowhere here: the stages are eu, us, dev"},
		"/numbers?stages=dev,*x":       {http.StatusNotFound, "there is no *x here: the stages are eu, us, dev"},
		"/stages/*x/policy/ann":        {http.StatusNotFound, "there is no *x here"},
		"/stages/group:live/policy/me": {http.StatusBadRequest, "name one of eu, us"},
	} {
		p := problemIn(t, s.api(token, http.MethodGet, pipelinePath+path))
		require.Equal(t, want.status, p.Status, path)
		require.Contains(t, p.Detail, want.detail)
	}
	for word, want := range map[string][]string{
		"": {"eu", "us", "dev"}, "US": {"us"}, "group:Live": {"eu", "us"}, "dev,e*": {"eu", "dev"}, "dev,x": {}, "x": {},
	} {
		got := []string{}
		if len(want) > 0 {
			var numbers api.Numbers
			s.get(token, pipelinePath+"/numbers?stages="+word, &numbers)
			for _, n := range numbers.Stages {
				got = append(got, n.Stage)
			}
			require.Equal(t, want, got, word)
		}
		var past api.Promotions
		s.get(token, pipelinePath+"/promotions?stage="+word, &past)
		got = []string{}
		for _, p := range past.Promotions {
			got = append(got, p.Stage)
		}
		require.ElementsMatch(t, want, got, word)
	}
	var newest, next api.Promotions
	s.get(token, pipelinePath+"/promotions?stage=group:live&limit=1", &newest)
	s.get(token, pipelinePath+"/promotions?stage=group:live&limit=1&cursor="+newest.Next, &next)
	require.Greater(t, newest.Promotions[0].Number, next.Promotions[0].Number)
	require.Empty(t, next.Next)
}
