package sandbox

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/app/health"
	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/internal/story"
	"waybill/promotion"
)

// everyNeed is a pipeline of a plain stage, and of stages for all that needs a permission or an event of its own.
const everyNeed = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
  web: {pull-requests: {branch: main, paths: [src/**]}, image: ghcr.io/acme/team/api}
  rel: {releases: {repo: acme/deploy}}
  rep: {reports: {}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  web: {from: web, set: {web.yaml: {tag: "${web.short}"}}}
  run: {from: web, dispatch: {workflow: deploy.yml, inputs: {version: "${web.short}"}}}
  rel: {from: rel, set: {rel.yaml: {tag: "${rel.tag}"}}, guard: true, environment: prod}
  rep: {from: rep, set: {rep.yaml: {tag: "${rep.version}"}}}
-- .github/waybill.policy.yml --
version: 1
automatic: [dev]
` + onlyOps

// doctor asks what is wrong.
func (s *site) doctor(token string) (h api.Health) {
	s.t.Helper()
	s.get(token, "/api/v1/doctor", &h)
	return h
}

// findings returns the findings of a check that are not ok, as "state about".
func findings(h api.Health, checks ...string) (all []string) {
	for _, f := range h.Findings {
		for _, check := range checks {
			if f.Check == check && f.State != api.StateOK {
				all = append(all, f.State+" "+f.About)
			}
		}
	}
	return all
}

// found returns the finding about something.
func (s *site) found(h api.Health, check, about string) api.Finding {
	s.t.Helper()
	for _, f := range h.Findings {
		if f.Check == check && f.About == about {
			return f
		}
	}
	s.t.Fatalf("nothing about %s %s in %+v", check, about, h.Findings)
	return api.Finding{}
}

// TestNothingIsWrongWhereNothingIsWrong has all that a doctor looks at in order.
func TestNothingIsWrongWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t, everyNeed)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	before := len(s.github.Requests())
	h := s.doctor(token)
	require.LessOrEqual(t, len(s.github.Requests())-before, 3)
	for _, f := range h.Findings {
		require.Equal(t, api.StateOK, f.State, "%+v", f)
		require.Empty(t, f.Do)
	}
	require.Equal(t, api.StateOK, h.State)
	require.Contains(t, s.found(h, "pipeline", home).Says, "5 stages in force")
	require.Contains(t, s.found(h, "webhook", "").Says, "the last one came")
	require.Contains(t, s.found(h, "verify", home).Says, "all names have been seen")
	require.Contains(t, s.found(h, "database", "").Says, "are free on its disk")
}

// stateOf is how bad it is that something is missing which the pipeline uses.
func stateOf(n health.Need) string {
	if n.For.Perhaps {
		return api.StateWarn
	}
	return api.StateFail
}

// TestWhatNoPipelineNeedsIsNoTrouble takes everything away that a plain pipeline does without.
func TestWhatNoPipelineNeedsIsNoTrouble(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	for _, n := range health.Permissions {
		if n.For.Has != nil && n.For.Name != "" {
			require.NoError(t, s.github.Permit(n.Name, ""))
		}
	}
	h := s.doctor(token)
	require.Equal(t, api.StateOK, h.State, "%+v", h.Findings)
	require.Contains(t, s.found(h, "permission", "Packages (read)").Says,
		"no pipeline has warehouses that wait for images")
}

// anApp is an answer about the App as GitHub describes it.
const anApp = `{"id": 1, "slug": "waybill", "node_id": "x", "name": "Waybill", "description": "", "permissions": {},
	"events": [], "external_url": "https://waybill.test", "html_url": "https://github.com/apps/waybill",
	"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
	"owner": {"id": 1, "node_id": "x", "name": "Acme", "slug": "acme", "html_url": "https://github.com/enterprises/acme",
		"created_at": null, "updated_at": null, "avatar_url": "https://github.com/acme.png"}}`

// TestEachTroubleIsNamed causes one trouble after the other.
func TestEachTroubleIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause        func(s *site)
		check, about string
		state        string
		says, does   string
	}{
		"a pipeline file that is wrong": {
			cause: func(s *site) {
				_, err := s.github.PushFiles(home, "main", "ann", "oops", map[string]*string{
					".github/waybill.yml": githubsim.Text("version: 1\nstages: 7\n")})
				require.NoError(s.t, err)
				s.quiet()
			},
			check: "pipeline", about: home, state: api.StateFail, says: "stages", does: "Correct the file"},
		"a stage that writes where nobody has allowed it": {
			cause: func(s *site) {
				require.NoError(s.t, s.github.CreateRepo("acme/other", map[string]string{"x": "x"}))
				require.NoError(s.t, s.github.ReachRepo("acme/other", true))
				_, err := s.github.PushFiles(home, "main", "ann", "elsewhere", map[string]*string{
					".github/waybill.yml": githubsim.Text(strings.Replace(oneStage, "verify",
						"files: {repo: acme/other}, verify", 1))})
				require.NoError(s.t, err)
				s.quiet()
			},
			check: "pipeline", about: home, state: api.StateFail, says: "acme/other", does: "allow"},
		"a name that is misspelt": {
			cause: func(s *site) {
				s.do("merge #1 by ann")
				sha := promotion.SHA(s.github.Head(home, "main"))
				require.NoError(s.t, s.github.CreateStatus(home, string(sha), "admin", "smoke tests", "success", ""))
				s.quiet()
			},
			check: "verify", about: home, state: api.StateWarn,
			says: "no check `smoke` has been seen on the last commits of acme/deploy; seen were `smoke tests`",
			does: "Correct the name"},
		"a resync that fails": {
			cause: func(s *site) {
				s.fails(githubsim.Route{Path: "/graphql"}, http.StatusBadGateway)
				_ = s.program.Resync(s.ctx)
			},
			check: "resync", about: home, state: api.StateFail, says: "then it failed", does: "tries again"},
		"webhooks that are not taken": {
			cause: func(s *site) {
				s.github.FailWebhooks(1000, http.StatusUnauthorized)
				require.NoError(s.t, s.github.CreateStatus(home, "main", "admin", "x", "success", ""))
				require.Error(s.t, s.github.Settle(s.ctx))
			},
			check: "webhook", state: api.StateFail, says: "it is signed with another secret",
			does: "GITHUB_APP_WEBHOOK_SECRET"},
		"an App that is suspended": {
			cause: func(s *site) {
				require.NoError(s.t, s.github.SuspendApp(ownerOf(story.Home), true))
				s.quiet()
			},
			check: "installation", about: "acme", state: api.StateWarn, says: "suspended", does: "Unsuspend"},
		"an App that is gone": {
			cause: func(s *site) {
				require.NoError(s.t, s.github.UninstallApp(ownerOf(story.Home)))
				s.quiet()
			},
			check: "pipeline", about: home, state: api.StateFail, says: "not installed there any more", does: "again"},
		"a clock that is wrong": {
			cause: func(s *site) {
				ahead := s.clock.Now().Add(3 * time.Minute).UTC().Format(http.TimeFormat)
				s.github.Faults().FailNext(githubsim.Route{Path: "/app"}, githubsim.Fault{
					Status: http.StatusOK, Body: anApp, Header: http.Header{"Date": {ahead}}})
			},
			check: "clock", state: api.StateFail, says: "behind GitHub's", does: "NTP"},
		"an App that GitHub does not know": {
			cause: func(s *site) { s.fails(githubsim.Route{Path: "/app"}, http.StatusUnauthorized) },
			check: "app", state: api.StateFail, says: "ask for our App", does: "GITHUB_APP_INTEGRATION_ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			token := s.withTokens(api.Token{Name: "ops"})[0]
			s.do("merge #7 by ann")
			c.cause(s)
			h := s.doctor(token)
			require.NotEqual(t, api.StateOK, h.State)
			f := s.found(h, c.check, c.about)
			require.Equal(t, c.state, f.State, "%+v", f)
			require.Contains(t, f.Says, c.says)
			require.Contains(t, f.Do, c.does)
			require.NotEmpty(t, f.Off)
		})
	}
}

// TestTheDoctorIsForTokensThatAreNotBoundToRepositories: it names repositories and accounts.
func TestTheDoctorIsForTokensThatAreNotBoundToRepositories(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	bound := s.withTokens(api.Token{Name: "bound", Repos: []promotion.Repo{story.Home}})[0]
	require.Equal(t, http.StatusForbidden, s.api(bound, http.MethodGet, "/api/v1/doctor").status)
	require.Equal(t, http.StatusUnauthorized, s.api("", http.MethodGet, "/api/v1/doctor").status)
	ann := s.signedIn("ann", "admin")
	require.Equal(t, http.StatusOK, s.visit(ann, "GET", s.program.url+pipelinePath).status)
	require.Equal(t, http.StatusForbidden, s.visit(ann, "GET", s.program.url+"/api/v1/doctor").status, "a person")
	open := s.api("", http.MethodGet, "/readyz?verbose")
	require.JSONEq(t, `{"ok": true, "trouble": {}, "checks": {"database": "ok", "github": "ok"}}`, open.body)
}

// TestTheDoctorTriesSlack has Slack take neither the token nor the messages, and a token without a scope.
func TestTheDoctorTriesSlack(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	token := o.withTokens(api.Token{Name: "ops"})[0]
	require.Equal(t, "takes the token and the messages", o.found(o.doctor(token), "slack", "").Says)

	o.slack.Faults().FailNext("auth.test", slacksim.Fault{Error: "account_inactive"})
	f := o.found(o.doctor(token), "slack", "")
	require.Equal(t, api.StateFail, f.State)
	require.Contains(t, f.Says, "account_inactive")
	require.Contains(t, f.Do, "SLACK_BOT_TOKEN")

	o.slack.Faults().FailNext("chat.postMessage", slacksim.Fault{Error: "channel_not_found", Times: -1})
	o.do("merge #9 by ann")
	f = o.found(o.doctor(token), "slack", "")
	require.Equal(t, api.StateFail, f.State, f.Says)
	require.Contains(t, f.Says, "channel_not_found")
	require.Contains(t, f.Do, "Invite the bot")
}

// TestTheCommandDoctorTellsScriptsAndPeople runs the program's own binary against a whole Waybill.
func TestTheCommandDoctorTellsScriptsAndPeople(t *testing.T) {
	t.Parallel()
	binary, err := build()
	require.NoError(t, err)
	s := newSite(t, everyNeed)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	doctor := func(args ...string) (code int, out string) {
		command := exec.Command(binary, append([]string{"doctor", "--server", s.program.url}, args...)...)
		command.Env = append(os.Environ(), "WAYBILL_API_TOKEN="+token)
		text, err := command.Output()
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			require.NoError(t, err)
		}
		return command.ProcessState.ExitCode(), string(text)
	}
	code, out := doctor()
	require.Zero(t, code, out)
	require.Contains(t, out, "ok   app waybill: GitHub accepts the App's id and key\n")

	require.NoError(t, s.github.Permit("packages", ""))
	code, out = doctor()
	require.Equal(t, 1, code)
	require.Contains(t, out, "FAIL permission Packages (read): the App does not have it, nor the events that come with "+
		"it (registry_package). Off until then: freight that needs an image never becomes available (acme/deploy). Do: Set "+
		"Packages to read on the page Permissions & events of the App, and accept the new permissions in each "+
		"installation, at ")
	require.Equal(t, 1, strings.Count(out, "FAIL"), out)
	var h api.Health
	code, out = doctor("--json")
	require.Equal(t, 1, code)
	require.NoError(t, json.Unmarshal([]byte(out), &h))
	require.Equal(t, []string{"fail Packages (read)"}, findings(h, "permission", "event"))
}

// TestTheDoctorNamesScopesThatTheSlackTokenLacks has Slack say which scopes the token has.
func TestTheDoctorNamesScopesThatTheSlackTokenLacks(t *testing.T) {
	t.Parallel()
	s := newSite(t, told)
	chat, err := slacksim.Start(slacksim.Options{Clock: s.clock.Now, Scopes: []string{"chat:write", "commands"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chat.Close()) })
	s.chat = slackSettings(chat)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	f := s.found(s.doctor(token), "slack", "")
	require.Equal(t, api.StateFail, f.State)
	require.Equal(t, "the token lacks the scopes app_mentions:read, im:write, users:read", f.Says)
}
