package sandbox

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/app/health"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// everySignal is everyNeed with a stage for each kind of signal, and one that waits for none. All are automatic but
// idle, and each feature that a promotion can need has a stage that shows whether it works.
var everySignal = strings.NewReplacer(
	"  web: {from: web, set", `  st: {from: api, set: {st.yaml: {tag: "${api.short}"}}, verify: [{status: ok}]}
  dp: {from: api, set: {dp.yaml: {tag: "${api.short}"}}, verify: [{deployment: live}]}
  plain: {from: api, set: {plain.yaml: {tag: "${api.short}"}}}
  idle: {from: api, set: {idle.yaml: {tag: "${api.short}"}}}
  web: {from: web, set`,
	"automatic: [dev]", "automatic: [dev, st, dp, plain, web, run, rel, rep]",
).Replace(everyNeed) + `-- .github/workflows/deploy.yml --
name: Deploy
run-name: Deploy ${{ inputs.version }} (${{ inputs.waybill }})
on: {workflow_dispatch: {inputs: {waybill: {required: true}, version: {required: true}}}}
`

// featured are the stages of everySignal, and the freight that each gets in round %d of a test.
var featured = []struct {
	stage   promotion.StageName
	freight string
}{
	{"dev", "api#%d"}, {"st", "api#%d"}, {"dp", "api#%d"}, {"plain", "api#%d"},
	{"web", "web#%d"}, {"run", "web#%d"}, {"rel", "rel@v1.%d.0"}, {"rep", "rep@1.%d.0"},
}

// halted are the stages of everySignal in which no promotion succeeds without a permission, or an event. All others go
// on.
var halted = map[string][]promotion.StageName{
	"contents write":      {"dev", "st", "dp", "plain", "web", "rel", "rep"},
	"pull_requests write": {"dev", "st", "dp", "plain", "web", "rel", "rep"},
	"checks write":        {"dev"}, "statuses read": {"st"}, "deployments write": {"dp"},
	"actions read": {"run"}, "actions write": {"run"}, "packages read": {"web", "run"},
}

// goingOn are the stages that are not halted without something.
func goingOn(n health.Need) (all []promotion.StageName) {
	for _, f := range featured {
		if !slices.Contains(halted[n.Name+" "+n.Level], f.stage) {
			all = append(all, f.stage)
		}
	}
	return all
}

// inspected is a site of which a test looks at everything that names what is missing.
type inspected struct {
	*site
	ops, ann string // tokens
	log      *bytes.Buffer
}

func newInspected(t *testing.T) *inspected {
	s := newSite(t, everySignal)
	require.NoError(t, s.meet("ann"))
	s.quiet()
	i := &inspected{site: s, log: new(bytes.Buffer)}
	s.ctx = zerolog.New(zerolog.SyncWriter(i.log)).WithContext(context.WithoutCancel(s.ctx))
	tokens := s.withTokens(api.Token{Name: "ops"}, s.acting("ann"))
	i.ops, i.ann = tokens[0], tokens[1]
	require.Empty(t, findings(i.doctor(i.ops), "permission", "event"))
	return i
}

// goes merges a pull request, releases, reports and pushes its image, and has all of the freight verified that can be.
// It returns the stages where it was.
func (i *inspected) goes(n int) (done []promotion.StageName) {
	i.t.Helper()
	i.do(fmt.Sprintf("merge #%d by ann", n), fmt.Sprintf("image ghcr.io/acme/team/api@c%d", n),
		fmt.Sprintf("release v1.%d.0", n), fmt.Sprintf("report rep 1.%d.0", n), "resync", "wait 1m")
	for range 2 { // the second time for what had to wait behind the freight before
		for _, signal := range []string{
			"check smoke success on dev", "status ok success on st", "deployment live success on dp", "run success on run",
		} {
			if stage := promotion.StageName(signal[strings.LastIndex(signal, " ")+1:]); i.judging(stage) {
				i.do(signal)
			}
		}
		i.do("resync", "wait 1m")
	}
	done = []promotion.StageName{}
	for _, f := range featured {
		if slices.Contains(i.freightIn(f.stage), fmt.Sprintf(f.freight+" %s succeeded", n, f.stage)) {
			done = append(done, f.stage)
		}
	}
	return done
}

// freightIn returns the states of the promotions of a stage, without their numbers.
func (i *inspected) freightIn(stage promotion.StageName) []string {
	return withoutNumbers(i.states(stage))
}

// judging reports whether a stage has a promotion that waits for signals.
func (i *inspected) judging(stage promotion.StageName) bool {
	return slices.ContainsFunc(i.states(stage), func(s string) bool { return strings.HasSuffix(s, " verifying") })
}

// missing is as much of /readyz?verbose as says what is missing.
func (i *inspected) missing() (names []string) {
	i.t.Helper()
	answer := i.api("", http.MethodGet, "/readyz?verbose")
	require.Equal(i.t, http.StatusOK, answer.status)
	var state struct {
		Missing       []struct{ Name, Off string }
		Installations map[string]string
	}
	require.NoError(i.t, json.Unmarshal([]byte(answer.body), &state))
	require.Empty(i.t, state.Installations, "GitHub answers")
	for _, m := range state.Missing {
		require.NotEmpty(i.t, m.Off)
		names = append(names, m.Name)
	}
	return names
}

// named checks that a permission or an event is named wherever somebody looks, with what is off.
func (i *inspected) named(n health.Need, says string) {
	i.t.Helper()
	check, name := "permission", fmt.Sprintf("%s (%s)", n.Title(), n.Level)
	if n.Level == "" {
		check, name = "event", n.Name
	}
	h := i.doctor(i.ops)
	found := i.found(h, check, name)
	require.Equal(i.t, stateOf(n), found.State)
	require.Contains(i.t, found.Off, n.Off)
	for _, other := range findings(h, "permission", "event") {
		require.Contains(i.t, other, strings.Split(name, " (")[0], "no other feature is off")
	}
	require.Contains(i.t, i.missing(), name)

	var p api.Pipeline
	i.get(i.ops, pipelinePath, &p)
	require.True(i.t, slices.ContainsFunc(p.Off, func(o api.Off) bool {
		return o.Missing == name && o.Off == n.Off && o.Says == says
	}), "%+v", p.Off)
	require.Contains(i.t, i.gives(i.ann, "", "status").Notes, says)
	stage := promotion.StageName("idle")
	if stops := halted[n.Name+" "+n.Level]; len(stops) > 0 {
		stage = stops[0]
	}
	require.Contains(i.t, i.gives(i.ann, "", "why "+string(stage)).Notes, says)
	require.Equal(i.t, 1, strings.Count(i.log.String(), fmt.Sprintf("%q:%q", check, name)), "the log names it once")
	if !slices.Contains([]string{"checks", "contents", "pull_requests", "pull_request"}, n.Name) {
		_, head := i.propose(strings.Replace(everySignal[:strings.Index(everySignal, "-- ")], "dev:", "dev2:", 1),
			githubsim.PullSpec{Head: "mine"})
		require.Contains(i.t, strings.ReplaceAll(html.UnescapeString(i.configCheck(head).Summary), "\u200b", ""), name)
	}
}

// TestEachPermissionThatIsMissingCostsItsFeatureOnly takes one permission of the table after the other away, has
// freight promoted, and grants the permission again.
func TestEachPermissionThatIsMissingCostsItsFeatureOnly(t *testing.T) {
	t.Parallel()
	for _, n := range health.Permissions {
		t.Run(n.Name+" "+n.Level, func(t *testing.T) {
			t.Parallel()
			i := newInspected(t)
			less := ""
			if n.Name == "contents" || n.Name == "pull_requests" || n.Name == "actions" && n.Level == "write" {
				less = "read"
			}
			require.NoError(t, i.github.Permit(n.Name, less))
			require.NoError(t, i.restart(i.ctx)) // tokens keep what they have
			i.quiet()
			done := i.goes(1)
			require.Equal(t, goingOn(n), done)
			i.named(n, fmt.Sprintf("The App lacks the permission %s (%s). Until it is granted: %s", n.Title(), n.Level, n.Off))
			require.Equal(t, n.Name != "checks", len(i.runsOn(i.merged(1))) > 0, "check runs")
			require.Equal(t, n.Name != "issues", i.sticky(1).ID != 0, "comments")

			again := n.Level
			if n.Name == "actions" {
				again = "write"
			}
			require.NoError(t, i.github.Permit(n.Name, again))
			i.quiet()
			i.do("wait 10m")
			i.do("resync")
			require.Empty(t, i.missing())
			require.Contains(t, i.log.String(), "the App has on GitHub what it lacked")
			require.Equal(t, goingOn(health.Need{}), i.goes(2))
			require.NotEmpty(t, i.runsOn(i.merged(1)), "check runs")
			require.NotZero(t, i.sticky(1).ID, "comments")
		})
	}
}

// TestEachEventThatIsMissingCostsItsFeatureOnly takes one event of the table after the other away. A resync finds what
// it would have told.
func TestEachEventThatIsMissingCostsItsFeatureOnly(t *testing.T) {
	t.Parallel()
	for _, n := range health.Events {
		t.Run(n.Name, func(t *testing.T) {
			t.Parallel()
			i := newInspected(t)
			require.NoError(t, i.github.Subscribe(n.Name, false))
			i.do("wait 10m")
			require.Equal(t, goingOn(n), i.goes(1))
			i.named(n, fmt.Sprintf("GitHub does not send the App the event %s. Until it does: %s", n.Name, n.Off))
			require.NotEmpty(t, i.runsOn(i.merged(1)), "check runs")
			require.NotZero(t, i.sticky(1).ID, "comments")
			require.NoError(t, i.github.Subscribe(n.Name, true))
			i.do("wait 10m")
			require.Empty(t, i.missing())
		})
	}
}

// TestAVerificationThatMayNotBeReadIsNotTimedOut: signals that the App may not read are no silence. Once it may, what
// GitHub knows decides, also after the timeout.
func TestAVerificationThatMayNotBeReadIsNotTimedOut(t *testing.T) {
	t.Parallel()
	for permission, signal := range map[string]string{
		"checks": "check: smoke", "statuses": "status: smoke", "deployments": "deployment: smoke",
	} {
		for _, reported := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %t", permission, reported), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, strings.Replace(oneStage, "[smoke]", "[{"+signal+", appear: 5m, timeout: 30m}]", 1))
				require.NoError(t, s.github.Permit(permission, ""))
				require.NoError(t, s.restart(s.ctx))
				s.quiet()
				s.do("merge #1 by ann", "resync", "wait 1m")
				if reported {
					s.do(strings.Replace(signal, ":", "", 1) + " success on dev")
				}
				s.do("wait 3h")
				require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
				require.Zero(t, s.holds(), "nobody knows")
				require.NoError(t, s.github.Permit(permission, "write"))
				s.do("wait 1h")
				if reported {
					require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
				} else {
					require.Equal(t, 1, s.holds(), "no signal has appeared: a person decides")
				}
			})
		}
	}
}

// TestAPipelineIsComparedThoughTheFirstTryFailsOnceAPermissionIsBack has the database refuse to note that a pipeline
// waits for its comparison with GitHub, when the App has a permission again. No webhook tells of anything.
func TestAPipelineIsComparedThoughTheFirstTryFailsOnceAPermissionIsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "[smoke]", "[{status: smoke}]", 1))
	log := &heard{word: "poison", once: make(chan struct{})}
	s.ctx = zerolog.New(log).WithContext(context.WithoutCancel(s.ctx))
	require.NoError(t, s.github.Permit("statuses", ""))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.do("merge #1 by ann", "status smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))

	db, err := sql.Open("sqlite", "file:"+s.file+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TRIGGER poison BEFORE UPDATE ON clocks WHEN NEW.name = 'resync' AND NEW.priority = 0
		BEGIN SELECT RAISE(ABORT, 'poison'); END`)
	require.NoError(t, err)
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.Permit("statuses", "read"))
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		s.do("wait 10m")
	}()
	select {
	case <-log.once:
	case <-waited:
	}
	const back = "the App has on GitHub what it lacked"
	require.NotContains(t, log.String(), back, "nothing goes on yet")
	_, err = db.Exec(`DROP TRIGGER poison`)
	require.NoError(t, err)
	<-waited
	require.Contains(t, log.String(), "poison")
	require.Equal(t, 1, strings.Count(log.String(), back))
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// heard is a log that tells when a word first stands in it.
type heard struct {
	word string
	once chan struct{} // is closed then

	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (h *heard) Write(line []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := strings.Contains(h.text.String(), h.word)
	h.text.Write(line)
	if !had && strings.Contains(h.text.String(), h.word) {
		close(h.once)
	}
	return len(line), nil
}

// String returns all lines.
func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// TestAPipelineIsComparedThoughAPermissionComesBackWhileTheServerIsDown grants it without anybody to tell. One restart
// later nothing is compared any more.
func TestAPipelineIsComparedThoughAPermissionComesBackWhileTheServerIsDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "[smoke]", "[{status: smoke}]", 1))
	require.NoError(t, s.github.Permit("statuses", ""))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.do("merge #1 by ann", "status smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.Permit("statuses", "read"))
	compared := func() int {
		s.github.ForgetRequests()
		require.NoError(t, s.restart(s.ctx))
		s.quiet()
		return s.github.CountRequests(githubsim.Route{Path: "/repos/{owner}/{repo}/pulls"})
	}
	require.NotZero(t, compared())
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Zero(t, compared())
}

// TestABadDayTakesWhatIsOnlyMissedForAWhile: the simulated GitHub leaves out the events of which docs/github.md says
// that they are known later without them, and the permissions without which only a feature is off.
func TestABadDayTakesWhatIsOnlyMissedForAWhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	unsent, ungranted := map[string]bool{}, map[string]bool{}
	for seed := range uint64(200) {
		s.github.Behave(seed, githubsim.Strict)
		for _, n := range health.Permissions {
			ungranted[n.Name] = ungranted[n.Name] || !s.github.Grants(n.Name, n.Level)
		}
		s.github.Behave(seed, githubsim.Noisy)
		for _, n := range health.Events {
			unsent[n.Name] = unsent[n.Name] || !s.github.Sends(n.Name)
		}
	}
	for i, n := range health.Permissions {
		require.Equal(t, i >= 3, ungranted[n.Name], n.Name)
	}
	for _, n := range health.Events {
		late := strings.Contains(n.Off, "known at the next resync only") || strings.Contains(n.Off, "some minutes later")
		require.Equal(t, late, unsent[n.Name], n.Name)
	}
}
