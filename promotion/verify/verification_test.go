package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/verify"
)

// mergedAt is when the deployment of these tests began; its commit is m.
var mergedAt = fixture.Noon.Add(-30 * time.Minute)

// judged parses runs of the form "name state [@commit] [in suite] [from app] [on branch] [-1m]" and returns a matcher's
// result: passed, failed, inconclusive, pending (there is a run), or nothing. Suite 1 is completed with success, 2 with
// failure, 3 is still running; a run in none of them has an unknown suite.
func judged(t *testing.T, m promotion.Matcher, runs ...string) string {
	t.Helper()
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: promotion.OnePlace(&promotion.Stage{Name: "dev",
		Delivery: promotion.DeliveryPullRequest},
		promotion.Target{Changes: []promotion.Change{{Path: "dev.yaml"}}, Verify: []promotion.Matcher{m}})}
	s.Pipeline.Stages = []*promotion.Stage{s.Stage}
	suites := []promotion.Suite{
		{ID: 1, Branch: "main", Completed: true, Conclusion: "success"},
		{ID: 2, Branch: "main", Completed: true, Conclusion: "failure"},
		{ID: 3, Branch: "main"},
		{ID: 4, Branch: "waybill/dev/api-1/1", Completed: true, Conclusion: "success"},
	}
	pushes := []promotion.Push{
		{Before: "base", After: "m", Paths: []string{"dev.yaml"}},
		{Before: "m", After: "later", Paths: []string{"README.md"}},
		{Before: "later", After: "other", Paths: []string{"dev.yaml"}},
		{Before: "other", After: "last", Paths: []string{"README.md"}},
	}
	var signals []promotion.Signal
	for i, run := range runs {
		signals = append(signals, signalOf(t, m.Kind, int64(i+1), run))
	}
	s.Deployments = []promotion.Deployment{{Commit: "m", Since: mergedAt,
		Results: []promotion.TargetResult{{Step: 1, Commit: "m", Since: mergedAt}}}}
	s.Evidence = verify.Gather(s, signals, suites, pushes)
	o, _ := judgeOf(s).Target(&s.Deployments[0], &s.Deployments[0].Results[0], nil, fixture.Noon)
	switch {
	case o.Verdict != promotion.Pending:
		return string(o.Verdict)
	case o.Seen:
		return "pending"
	}
	return "nothing"
}

func signalOf(t *testing.T, kind promotion.SignalKind, id int64, run string) promotion.Signal {
	t.Helper()
	words := strings.Fields(run)
	g := promotion.Signal{Kind: kind, ID: id, SHA: "m", App: "github-actions", Suite: 1, Name: words[0],
		State: words[1], Started: mergedAt.Add(time.Minute)}
	for _, word := range words[2:] {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "at":
			g.SHA = promotion.SHA(value)
		case "suite":
			g.Suite = int64(value[0] - '0')
		case "app":
			g.App = value
		case "start":
			d, err := time.ParseDuration(value)
			require.NoError(t, err)
			g.Started = mergedAt.Add(d)
		case "kind":
			g.Kind = promotion.SignalKind(value)
		default:
			t.Fatalf("%s: what is %s?", run, word)
		}
	}
	return g
}

func TestWhatTheSignalsOfAMatcherSay(t *testing.T) {
	check := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "smoke", App: "github-actions"}
	pattern := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "e2e*", App: "github-actions"}
	for _, c := range []struct {
		name string
		m    promotion.Matcher
		want string
		runs []string
	}{
		{"no run is no verdict", check, "nothing", nil},
		{"a run of another name says nothing", check, "nothing", []string{"unit success"}},
		{"a status of that name is no check", check, "nothing", []string{"smoke success kind=status"}},
		{"a run of another app does not count", check, "nothing", []string{"smoke success app=evil"}},
		{"a run on another commit does not count", check, "nothing", []string{"smoke success at=c1"}},
		{"a run that started before the merge does not count", check, "nothing", []string{"smoke success start=-1s"}},
		{"a run that started with the merge counts", check, "passed", []string{"smoke success start=0s"}},
		{"a run on a branch of ours does not count", check, "nothing", []string{"smoke success suite=4"}},
		{"a run on a later head counts", check, "passed", []string{"smoke success at=later"}},
		{"a run on a head with another change of the stage's files does not", check, "nothing",
			[]string{"smoke success at=other"}},
		{"nor does one on a head behind it", check, "nothing", []string{"smoke success at=last"}},
		{"nor does one on the base before", check, "nothing", []string{"smoke success at=base"}},

		{"success passes", check, "passed", []string{"smoke success"}},
		{"failure fails", check, "failed", []string{"smoke failure"}},
		{"timed_out fails", check, "failed", []string{"smoke timed_out"}},
		{"startup_failure fails", check, "failed", []string{"smoke startup_failure"}},
		{"action_required is inconclusive", check, "inconclusive", []string{"smoke action_required"}},
		{"stale is inconclusive, also with a later commit", check, "inconclusive", []string{"smoke stale"}},
		{"queued is pending", check, "pending", []string{"smoke queued"}},
		{"in_progress is pending", check, "pending", []string{"smoke in_progress"}},
		{"what GitHub thinks of next is pending", check, "pending", []string{"smoke dreaming"}},
		{"neutral alone is inconclusive", check, "inconclusive", []string{"smoke neutral"}},
		{"neutral beside success counts for nothing", check, "passed",
			[]string{"smoke neutral", "smoke success suite=2"}},

		{"skipped in a completed suite is inconclusive", check, "inconclusive", []string{"smoke skipped"}},
		{"skipped in a failed suite is failed", check, "failed", []string{"smoke skipped suite=2"}},
		{"skipped in a suite that runs may still be failed", check, "pending", []string{"smoke skipped suite=3"}},
		{"skipped in a suite that nobody told of may be failed", check, "pending", []string{"smoke skipped suite=9"}},
		{"skipped counts for nothing beside success", check, "passed",
			[]string{"smoke skipped", "smoke success suite=3"}},
		{"a suite that runs decides with its skipped job", check, "pending",
			[]string{"smoke success", "smoke skipped suite=3"}},

		{"the newest run of a suite counts", check, "passed", []string{"smoke failure", "smoke success"}},
		{"the newest run of a suite counts, also when it is worse", check, "failed",
			[]string{"smoke success", "smoke failure"}},
		{"a re-run that is not done is pending", check, "pending", []string{"smoke failure", "smoke queued"}},
		{"all suites must agree", check, "failed", []string{"smoke failure", "smoke success suite=2"}},
		{"a suite that is not done keeps the others waiting", check, "pending",
			[]string{"smoke success", "smoke in_progress suite=2"}},
		{"a failure need not wait for other suites", check, "failed",
			[]string{"smoke failure", "smoke in_progress suite=2"}},
		{"inconclusive in one suite outweighs success in another", check, "inconclusive",
			[]string{"smoke stale", "smoke success suite=2"}},
		{"runs of one name on two commits are two", check, "failed",
			[]string{"smoke failure", "smoke success at=later"}},

		{"cancelled with a later commit is pending", check, "pending",
			[]string{"smoke cancelled", "unit success at=later"}},
		{"cancelled with a later run is what that one says", check, "passed",
			[]string{"smoke cancelled", "smoke success at=later"}},
		{"cancelled on the newest commit is inconclusive", check, "inconclusive", []string{"smoke cancelled at=later"}},

		{"a pattern passes when one passed and its suites are done", pattern, "passed",
			[]string{"e2e/a success", "e2e/b neutral"}},
		{"a pattern fails when one failed", pattern, "failed", []string{"e2e/a success", "e2e/b failure"}},
		{"a pattern waits for the suites of its runs", pattern, "pending", []string{"e2e/a success suite=3"}},
		{"a pattern waits for them also with a failure", pattern, "pending", []string{"e2e/a failure suite=3"}},
		{"a pattern waits for a suite that nobody told of", pattern, "pending", []string{"e2e/a success suite=9"}},
		{"a pattern does not wait for suites without its runs", pattern, "passed",
			[]string{"e2e/a success", "unit success suite=3"}},

		{"a status passes", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, "passed",
			[]string{"ci success"}},
		{"a status fails", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, "failed",
			[]string{"ci failure"}},
		{"an error of a status is a failure", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, "failed",
			[]string{"ci error"}},
		{"a pending status is pending", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, "pending",
			[]string{"ci pending"}},
		{"a pattern of statuses knows no suites", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci*"},
			"passed", []string{"ci/a success suite=3"}},
		{"a pattern of statuses waits for what is pending",
			promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci*"}, "pending",
			[]string{"ci/a success", "ci/b pending"}},
		{"statuses have no app", promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci", App: "github-actions"},
			"passed", []string{"ci success app="}},
		{"a status on a commit of our branch's suite counts",
			promotion.Matcher{Kind: promotion.KindStatus, Pattern: "ci"}, "passed", []string{"ci success suite=4"}},

		{"a deployment passes", promotion.Matcher{Kind: promotion.KindDeployment, Pattern: "prod"}, "passed",
			[]string{"prod success"}},
		{"a deployment fails", promotion.Matcher{Kind: promotion.KindDeployment, Pattern: "prod"}, "failed",
			[]string{"prod failure"}},
		{"an error of a deployment is a failure", promotion.Matcher{Kind: promotion.KindDeployment, Pattern: "prod"},
			"failed", []string{"prod error"}},
		{"a deployment that runs is pending", promotion.Matcher{Kind: promotion.KindDeployment, Pattern: "prod"},
			"pending", []string{"prod in_progress"}},
		{"an inactive deployment says nothing", promotion.Matcher{Kind: promotion.KindDeployment, Pattern: "prod"},
			"inconclusive", []string{"prod inactive"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, judged(t, c.m, c.runs...))
		})
	}
}

func TestAllSkippedIsWhatTheFileSays(t *testing.T) {
	for lack, want := range map[promotion.Lack]string{promotion.LackHolds: "inconclusive",
		promotion.LackPasses: "passed", promotion.LackFails: "failed", "": "inconclusive"} {
		m := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "smoke", Skipped: lack}
		require.Equal(t, want, judged(t, m, "smoke skipped", "smoke neutral suite=2"), "skipped: %s", lack)
		require.Equal(t, "pending", judged(t, m, "smoke skipped suite=3"), "skipped: %s", lack)
	}
}

func judgeOf(s *promotion.Snapshot) verify.Judge { return verify.JudgeOf(s, new(verify.Sharing)) }
