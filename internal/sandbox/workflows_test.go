package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// vouched returns the token of a run in the source repository; change may modify the run first.
func (s *site) vouched(change func(run *githubsim.WorkflowRun)) string {
	s.t.Helper()
	run := githubsim.WorkflowRun{Repo: apiRepo, Audience: s.program.url}
	if change != nil {
		change(&run)
	}
	token, err := s.github.WorkflowToken(run)
	require.NoError(s.t, err)
	return token
}

// reportAs sends the report of these tests with a token.
func (s *site) reportAs(token string) answer {
	s.t.Helper()
	body := fmt.Sprintf(
		`{"warehouse": "api", "version": "1.4.2", "commit": %q, "image": "ghcr.io/acme/api", "digest": %q}`,
		s.github.Head(apiRepo, "main"), digestOf("a"),
	)
	return s.api(token, http.MethodPost, pipelinePath+"/freight", body)
}

// TestAWorkflowReportsWithTheTokenThatGitHubGivesIt uses no secret of Waybill.
func TestAWorkflowReportsWithTheTokenThatGitHubGivesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	a := s.reportAs(s.vouched(nil))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	s.quiet()
	require.Equal(t, []string{"p1 api@1.4.2 dev verifying"}, s.states("dev"))
	line := s.reports()[0]
	require.Equal(t, "api@1.4.2 by run 4711 of build.yml in acme/api at refs/heads/main, started by ann", line.Text)
	require.Equal(t, []string{"done", "api"}, []string{line.Outcome, line.Source})
	require.Equal(t, http.StatusOK, s.reportAs(s.vouched(nil)).status, "the same again is the same freight")
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api@1.4.2 dev succeeded"}, s.states("dev"))
	require.Equal(t, 1, s.github.KeysRead(), "the keys are kept")
}

// TestATokenOfAWorkflowOpensNothingButReportsOfItsOwnRepository tries other tokens, and other uses of a good token.
// None is in the log.
func TestATokenOfAWorkflowOpensNothingButReportsOfItsOwnRepository(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	log := &heard{word: "another word", once: make(chan struct{})}
	s.ctx = zerolog.New(log).WithContext(context.WithoutCancel(s.ctx))
	require.NoError(t, s.restart(s.ctx))
	now := s.Now()
	for _, row := range []struct {
		name   string
		change func(run *githubsim.WorkflowRun)
		status int
		detail string
	}{
		{"for somebody else", func(r *githubsim.WorkflowRun) { r.Audience = "https://elsewhere.example.com" },
			http.StatusUnauthorized, "expected audience"},
		{"of another issuer", func(r *githubsim.WorkflowRun) { r.Issuer = "https://token.actions.githubusercontent.com" },
			http.StatusUnauthorized, "issued by a different provider"},
		{"that has expired", func(r *githubsim.WorkflowRun) { r.Expires = now.Add(-time.Second) }, http.StatusUnauthorized,
			"token is expired"},
		{"that nobody has signed", func(r *githubsim.WorkflowRun) { r.Algorithm = "none" }, http.StatusUnauthorized,
			"malformed jwt"},
		{"of a repository that no warehouse takes reports of", func(r *githubsim.WorkflowRun) { r.Repo = home },
			http.StatusNotFound, "there is no pipeline of acme/deploy"},
		{"of another branch", func(r *githubsim.WorkflowRun) { r.Ref = "refs/heads/feature" }, http.StatusForbidden,
			"no reports of runs at refs/heads/feature: it takes those of branches main"},
		{"of a tag", func(r *githubsim.WorkflowRun) { r.Ref = "refs/tags/main" }, http.StatusForbidden,
			"no reports of runs at refs/tags/main"},
		{"of a pull request", func(r *githubsim.WorkflowRun) { r.Ref, r.Event = "refs/pull/7/merge", "pull_request" },
			http.StatusForbidden, "a run for a pull request reports nothing"},
		{"of a pull request's merge", func(r *githubsim.WorkflowRun) { r.Ref = "refs/pull/7/merge" }, http.StatusForbidden,
			"no reports of runs at refs/pull/7/merge"},
		{"of a pull request that claims its base", func(r *githubsim.WorkflowRun) { r.Event = "pull_request_target" },
			http.StatusForbidden, "a run for a pull request reports nothing"},
	} {
		a := s.reportAs(s.vouched(row.change))
		require.Equal(t, row.status, a.status, "%s: %s", row.name, a.body)
		require.Contains(t, problemIn(t, a).Detail, row.detail, row.name)
	}
	good := s.vouched(nil)
	parts := strings.Split(good, ".")
	for _, forged := range []string{parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1] + "." +
		strings.Repeat("A", len(parts[2])), "a.b.c"} {
		require.NotEqual(t, http.StatusCreated, s.reportAs(forged).status)
		s.do("wait 1m")
	}
	for _, path := range []string{pipelinePath, pipelinePath + "/freight", pipelinePath + "/promotions"} {
		require.Equal(t, http.StatusForbidden, s.api(good, http.MethodGet, path).status, path)
	}
	require.Equal(t, http.StatusForbidden, s.api(good, http.MethodPost, pipelinePath+"/resync").status)
	require.Equal(t, http.StatusForbidden,
		s.api(good, http.MethodPost, pipelinePath+"/commands", `{"command": "promote dev"}`).status)
	require.Equal(t, http.StatusForbidden, s.api(good, http.MethodGet, "/api/v1/deliveries").status)
	require.Empty(t, s.states("dev"))
	require.Contains(t, log.String(), "run 4711 of build.yml", "the log says who asked")
	require.NotContains(t, log.String(), parts[1])
	require.NotContains(t, log.String(), parts[2])
}

// TestAWarehouseSaysWhichRunsMayReport by branch, tag, workflow and environment. A repository_dispatch carries none of
// them.
func TestAWarehouseSaysWhichRunsMayReport(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(reported, "reports: {repo: acme/api}",
		`reports: {repo: acme/api, branches: ["release/*"], tags: ["v*"], workflow: ship.yml, environment: production}`, 1))
	ship := func(ref, workflow, environment string) answer {
		return s.reportAs(s.vouched(func(r *githubsim.WorkflowRun) {
			r.Ref, r.Workflow, r.Environment = ref, workflow, environment
		}))
	}
	for _, row := range []struct{ ref, workflow, environment, detail string }{
		{"refs/heads/main", "ship.yml", "production", "it takes those of branches release/* and tags v*"},
		{"refs/heads/release/1.x", "build.yml", "production",
			"takes reports of the workflow ship.yml, and this is build.yml"},
		{"refs/heads/release/1.x", "ship.yml@build.yml", "production",
			"takes reports of the workflow ship.yml, and this is ship.yml@build.yml"},
		{"refs/heads/release/1.x", "ship.yml", "", "of jobs in the environment production, and this one is in none"},
	} {
		a := ship(row.ref, row.workflow, row.environment)
		require.Equal(t, http.StatusForbidden, a.status, a.body)
		require.Contains(t, problemIn(t, a).Detail, row.detail)
	}
	s.dispatch(apiRepo, s.build())
	require.Contains(t, s.reports()[0].Reason.Detail, "a repository_dispatch does not say where it comes from")
	require.Empty(t, s.states("dev"))
	require.Equal(t, http.StatusCreated, ship("refs/tags/v1.4.2", "ship.yml", "production").status)
	require.Equal(t, http.StatusOK, ship("refs/heads/release/1.x", "ship.yml", "production").status)
}

// TestAKeyThatIsNewIsLookedForAndAnIssuerThatIsAwayIsNobodysFault rotates the key, and stops the issuer before and
// after.
func TestAKeyThatIsNewIsLookedForAndAnIssuerThatIsAwayIsNobodysFault(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	s.github.StopIssuer(true)
	a := s.reportAs(s.vouched(nil))
	require.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	s.github.StopIssuer(false)
	s.do("wait 1m")
	require.Equal(t, http.StatusCreated, s.reportAs(s.vouched(nil)).status)

	old := s.vouched(nil)
	require.NoError(t, s.github.RotateWorkflowKey())
	s.github.StopIssuer(true)
	require.Equal(t, http.StatusOK, s.reportAs(old).status, "its key is known")
	s.do("wait 1m")
	require.Equal(t, http.StatusServiceUnavailable, s.reportAs(s.vouched(nil)).status)
	s.github.StopIssuer(false)
	s.do("wait 1m")
	require.Equal(t, http.StatusOK, s.reportAs(s.vouched(nil)).status)
	read := s.github.KeysRead()
	for range 20 {
		require.Equal(t, http.StatusServiceUnavailable, s.reportAs(old).status, "its key is gone")
	}
	require.Equal(t, read, s.github.KeysRead(), "whoever sends such tokens makes nobody ask the issuer all the time")
	s.do("wait 1m")
	require.Equal(t, http.StatusUnauthorized,
		s.reportAs(s.vouched(func(r *githubsim.WorkflowRun) { r.Algorithm = "none" })).status)
}
