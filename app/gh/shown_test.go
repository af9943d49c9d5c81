package gh

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestWhatIsShownIsTheNewestReportOnTheBranch(t *testing.T) {
	k := newKit(t)
	old := k.Head(repo, "main")
	_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "health", SHA: old, Conclusion: "success"})
	require.NoError(t, err)
	_, err = k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "health", SHA: old, App: "other", Conclusion: "success"})
	require.NoError(t, err)
	require.NoError(t, k.CreateStatus(repo, old, "ann", "up/eu", "success", ""))
	require.NoError(t, k.CreateStatus(repo, old, "ann", "up/us", "success", ""))
	require.NoError(t, k.CreateStatus(repo, old, "waybill[bot]", "ours", "success", ""))
	head, err := k.PushFiles(repo, "main", "ann", "more", map[string]*string{"README.md": githubsim.Text("more\n")})
	require.NoError(t, err)
	_, err = k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "health", SHA: head, Conclusion: "success"})
	require.NoError(t, err)
	_, err = k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "health", SHA: head, Status: "in_progress"})
	require.NoError(t, err)
	require.NoError(t, k.CreateStatus(repo, head, "ann", "up/us", "error", ""))
	for _, who := range []string{"ann", "waybill[bot]"} {
		for _, state := range []string{"success", "failure"} {
			id, err := k.CreateDeployment(repo, head, who, "prod-"+state)
			require.NoError(t, err)
			require.NoError(t, k.CreateDeploymentStatus(repo, id, who, state))
		}
	}
	_, err = k.CreateDeployment(repo, head, "waybill[bot]", "prod-ours")
	require.NoError(t, err)
	_, err = k.CreateDeployment(repo, head, "ann", "prod-begun")
	require.NoError(t, err)

	condition := func(kind promotion.SignalKind, name, app string) promotion.Condition {
		return promotion.Condition{Kind: kind, Name: name, App: app}
	}
	want := map[promotion.Condition]string{
		condition(promotion.KindCheck, "health", "github-actions"): "in_progress",
		condition(promotion.KindCheck, "health", "other"):          "success",
		condition(promotion.KindCheck, "health", "nobody"):         "",
		condition(promotion.KindStatus, "up/eu", ""):               "success",
		condition(promotion.KindStatus, "up/us", ""):               "error",
		condition(promotion.KindStatus, "ours", ""):                "",
		condition(promotion.KindDeployment, "prod-success", ""):    "success",
		condition(promotion.KindDeployment, "prod-failure", ""):    "failure",
		condition(promotion.KindDeployment, "prod-ours", ""):       "",
		condition(promotion.KindDeployment, "prod-begun", ""):      "pending",
		condition(promotion.KindEnvironment, "Prod-Success", ""):   "success",
		condition(promotion.KindEnvironment, "prod-nowhere", ""):   "",
	}
	var all []promotion.Condition
	for c := range want {
		all = append(all, c)
	}
	var states map[promotion.Condition]string
	require.Equal(t, 3, k.asked(func() {
		states, err = k.client.Signals.Shown(t.Context(), "main", all)
		require.NoError(t, err)
	}))
	for c, state := range want {
		require.Equal(t, state, states[c], "%s of %q", c, c.App)
	}
}

func TestHowManyTargetsAreAskedForTakesNoMoreRequests(t *testing.T) {
	k := newKit(t)
	var many []promotion.Condition
	for i := range 1000 {
		many = append(many, promotion.Condition{Kind: promotion.KindStatus, Name: fmt.Sprintf("up/%d", i)},
			promotion.Condition{Kind: promotion.KindEnvironment, Name: fmt.Sprintf("prod-%d", i)})
	}
	require.Equal(t, 2, k.asked(func() {
		states, err := k.client.Signals.Shown(t.Context(), "main", many)
		require.NoError(t, err)
		require.Empty(t, states)
	}))
}

func TestAConditionIsFoundOnACommitWithMoreChecksThanAQueryShowsF44(t *testing.T) {
	k := newKit(t)
	sha := k.Head(repo, "main")
	for i := range mostRuns + 1 {
		_, err := k.CreateCheckRun(repo,
			githubsim.CheckSpec{Name: fmt.Sprintf("health/%d", i), SHA: sha, Suite: "ci", Conclusion: "success"})
		require.NoError(t, err)
	}
	var all []promotion.Condition
	for i := range mostRuns + 1 {
		all = append(all,
			promotion.Condition{Kind: promotion.KindCheck, Name: fmt.Sprintf("health/%d", i), App: "github-actions"})
	}
	states, err := k.client.Signals.Shown(t.Context(), "main", all)
	require.NoError(t, err)
	require.Len(t, states, mostRuns+1)
}

// TestAConditionThatNothingHasMetTakesOneRequestForEachCommitWithManyChecks: a commit of a busy branch has more suites
// than a query shows, and 50 of them are looked at.
func TestAConditionThatNothingHasMetTakesOneRequestForEachCommitWithManyChecks(t *testing.T) {
	k := newKit(t)
	const commits = 6
	for n := range commits {
		sha, err := k.PushFiles(repo, "main", "ann", "more", map[string]*string{"n": githubsim.Text(fmt.Sprint(n))})
		require.NoError(t, err)
		for i := range 101 {
			_, err := k.CreateCheckRun(repo,
				githubsim.CheckSpec{Name: "lint", SHA: sha, Suite: fmt.Sprint(i), Conclusion: "success"})
			require.NoError(t, err)
		}
	}
	unmet := []promotion.Condition{{Kind: promotion.KindCheck, Name: "health", App: "github-actions"}}
	require.LessOrEqual(t, k.asked(func() {
		states, err := k.client.Signals.Shown(t.Context(), "main", unmet)
		require.NoError(t, err)
		require.Empty(t, states)
	}), 1+commits)
}

func TestABranchThatIsNotThereShowsNothing(t *testing.T) {
	k := newKit(t)
	states, err := k.client.Signals.Shown(t.Context(), "nowhere",
		[]promotion.Condition{{Kind: promotion.KindStatus, Name: "up"}})
	require.NoError(t, err)
	require.Empty(t, states)
}

// TestWhatTheAppMayNotReadShowsNothing takes each permission away: the conditions of the others are shown as before,
// and all of them once it is granted again.
func TestWhatTheAppMayNotReadShowsNothing(t *testing.T) {
	k := newKit(t)
	head := k.Head(repo, "main")
	_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "health", SHA: head, Conclusion: "success"})
	require.NoError(t, err)
	require.NoError(t, k.CreateStatus(repo, head, "ann", "up", "success", ""))
	id, err := k.CreateDeployment(repo, head, "ann", "prod")
	require.NoError(t, err)
	require.NoError(t, k.CreateDeploymentStatus(repo, id, "ann", "success"))
	by := map[string]promotion.Condition{
		"checks":      {Kind: promotion.KindCheck, Name: "health", App: "github-actions"},
		"statuses":    {Kind: promotion.KindStatus, Name: "up"},
		"deployments": {Kind: promotion.KindDeployment, Name: "prod"},
		"actions":     {Kind: promotion.KindEnvironment, Name: "prod"},
	}
	conditions := slices.Collect(maps.Values(by))
	for permission, off := range by {
		require.NoError(t, k.Permit(permission, ""))
		client := k.clientOf(k.newHub(), repo)
		states, err := client.Signals.Shown(t.Context(), "main", conditions)
		require.NoError(t, err, permission)
		for _, c := range conditions {
			require.Equal(t, c != off, states[c] == "success", "%s without %s: %q", c, permission, states[c])
		}
		require.NoError(t, k.Permit(permission, "write"))
		k.clock.Advance(lessFor + time.Second)
		states, err = client.Signals.Shown(t.Context(), "main", conditions)
		require.NoError(t, err, permission)
		require.Equal(t, "success", states[off], permission)
	}
}
