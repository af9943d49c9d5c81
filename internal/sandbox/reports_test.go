package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/story"
	"waybill/promotion"
)

const reported = `version: 1
warehouses:
  api: {reports: {repo: acme/api}}
  web: {pull-requests: {paths: [src/**]}}
stages:
  dev: {from: {api: , web: }, set: {dev.yaml: {image: "${api.image}@${api.digest}", tag: "${api.version}"}},
    verify: [smoke]}
`

// TestWhatCIReportsEndsAsAMergedPromotionOnce sends a report twice over HTTP, and restarts in between.
func TestWhatCIReportsEndsAsAMergedPromotionOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	token := s.withTokens(api.Token{Name: "ci", Scope: api.Operate, Repos: []promotion.Repo{story.Home}})[0]
	commit, digest := s.github.Head(apiRepo, "main"), "sha256:"+strings.Repeat("ab", 32)
	body := fmt.Sprintf(
		`{"warehouse": "api", "version": "1.4.2", "commit": %q, "image": "ghcr.io/acme/api", "digest": %q}`, commit, digest,
	)

	a := s.api(token, http.MethodPost, pipelinePath+"/freight", body)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	var made api.Freight
	require.NoError(t, json.Unmarshal([]byte(a.body), &made))
	require.Equal(t, []string{"api@1.4.2", apiRepo, "1.4.2", "ghcr.io/acme/api", digest, commit},
		[]string{made.Freight, made.Repo, made.Version, made.Image, made.Digest, made.SHA})
	s.quiet()
	require.Equal(t, []string{"p1 api@1.4.2 dev verifying"}, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Contains(t, text, "ghcr.io/acme/api@"+digest)

	s.do("restart", "check smoke success on dev")
	a = s.api(token, http.MethodPost, pipelinePath+"/freight", body)
	require.Equal(t, http.StatusOK, a.status, "the same again is the same freight: %s", a.body)
	a = s.api(token, http.MethodPost, pipelinePath+"/freight", strings.Replace(body, "abab", "cdcd", 1))
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, problemIn(t, a).Detail, "api@1.4.2 is freight already, with another commit, image or digest")
	s.do("resync", "wait 1m")
	require.Equal(t, []string{"p1 api@1.4.2 dev succeeded"}, s.states("dev"))
	require.Equal(t, "success", s.sourceRun(commit, "dev").Conclusion)

	require.Equal(t, http.StatusCreated,
		s.api(token, http.MethodPost, pipelinePath+"/freight", strings.Replace(body, "1.4.2", "1.4.1", 1)).status)
	s.quiet()
	require.Equal(t, "p2 api@1.4.1 dev verifying", s.states("dev")[1], "CI says what comes next")
}

func TestReportsThatAreNoGoodAreRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	tokens := s.withTokens(api.Token{Name: "ci", Scope: api.Operate}, api.Token{Name: "reader"},
		api.Token{Name: "elsewhere", Scope: api.Operate, Repos: []promotion.Repo{"acme/other"}})
	commit, digest := s.github.Head(apiRepo, "main"), "sha256:"+strings.Repeat("ab", 32)
	good := fmt.Sprintf(
		`{"warehouse": "api", "version": "1.4.2", "commit": %q, "image": "ghcr.io/acme/api", "digest": %q}`, commit, digest,
	)
	for _, row := range []struct {
		name, token, body string
		status            int
		detail            string
	}{
		{"nobody", "", good, http.StatusUnauthorized, "this needs to know who asks"},
		{"who may only read", tokens[1], good, http.StatusForbidden, "that needs a token with scope=operate"},
		{"a token of another repository", tokens[2], good, http.StatusNotFound, "there is no pipeline of acme/deploy"},
		{"no JSON", tokens[0], "1.4.2", http.StatusBadRequest, "the body must be a report"},
		{"an unknown field", tokens[0], strings.Replace(good, "version", "tag", 1), http.StatusBadRequest,
			`unknown field "tag"`},
		{"no version", tokens[0], strings.Replace(good, "1.4.2", "", 1), http.StatusBadRequest,
			"version must be letters, digits"},
		{"a version that says more", tokens[0], strings.Replace(good, "1.4.2", "1 -->", 1), http.StatusBadRequest,
			"version must be letters, digits"},
		{"a short commit", tokens[0], strings.Replace(good, commit, commit[:7], 1), http.StatusBadRequest,
			"commit must be the 40 digits"},
		{"a tag in the image", tokens[0], strings.Replace(good, "acme/api", "acme/api:latest", 1), http.StatusBadRequest,
			"image must be"},
		{"a digest of another kind", tokens[0], strings.Replace(good, "sha256", "md5", 1), http.StatusBadRequest,
			"digest must be"},
		{"a commit that is not there", tokens[0], strings.Replace(good, commit, strings.Repeat("ab", 20), 1),
			http.StatusUnprocessableEntity, "acme/api has no commit"},
		{"no such warehouse", tokens[0], strings.Replace(good, `"api"`, `"web"`, 1), http.StatusUnprocessableEntity,
			"those that do are api"},
		{"what a stage writes is missing", tokens[0],
			fmt.Sprintf(`{"warehouse": "api", "version": "1.4.2", "commit": %q}`, commit), http.StatusUnprocessableEntity,
			"stages write digest and image of freight of api: report it, too"},
	} {
		a := s.api(row.token, http.MethodPost, pipelinePath+"/freight", row.body)
		require.Equal(t, row.status, a.status, "%s: %s", row.name, a.body)
		require.Contains(t, problemIn(t, a).Detail, row.detail, row.name)
	}
	s.quiet()
	require.Empty(t, s.states("dev"))
}
