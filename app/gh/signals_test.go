package gh

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestSignalsAreWhatWebhooksWouldHaveTold(t *testing.T) {
	k := newKit(t)
	sha := promotion.SHA(k.Head(repo, "main"))
	_, err := k.CreateCheckRun(repo,
		githubsim.CheckSpec{Name: "smoke", SHA: string(sha), Suite: "ci", Conclusion: "success"})
	require.NoError(t, err)
	_, err = k.CreateCheckRun(repo,
		githubsim.CheckSpec{Name: "e2e", SHA: string(sha), Suite: "e2e", Status: "in_progress"})
	require.NoError(t, err)
	require.NoError(t, k.CreateStatus(repo, string(sha), "ann", "argocd/dev", "pending", ""))
	require.NoError(t, k.CreateStatus(repo, string(sha), "ann", "argocd/dev", "success", ""))
	deployment, err := k.CreateDeployment(repo, string(sha), "ann", "prod-eu")
	require.NoError(t, err)
	require.NoError(t, k.CreateDeploymentStatus(repo, deployment, "ann", "in_progress"))
	require.NoError(t, k.CreateDeploymentStatus(repo, deployment, "ann", "failure"))
	replaced, err := k.CreateDeployment(repo, string(sha), "ann", "prod-us")
	require.NoError(t, err)
	require.NoError(t, k.CreateDeploymentStatus(repo, replaced, "ann", "success"))
	require.NoError(t, k.CreateDeploymentStatus(repo, replaced, "ann", "inactive"))
	_, err = saveRun(t, k.client,
		CheckRun{SHA: sha, Name: "waybill / dev", Status: "completed", Conclusion: "neutral", Title: "t", Summary: "s"})
	require.NoError(t, err)

	require.NoError(t, k.CreateStatus(repo, string(sha), "waybill[bot]", "ours", "success", ""))
	ours, err := k.CreateDeployment(repo, string(sha), "waybill[bot]", "production")
	require.NoError(t, err)
	require.NoError(t, k.CreateDeploymentStatus(repo, ours, "waybill[bot]", "success"))

	signals, suites, err := k.client.Signals.On(t.Context(), []promotion.SHA{sha})
	require.NoError(t, err)
	seen := map[string]string{}
	ids := map[int64]bool{}
	for _, s := range signals {
		key := fmt.Sprintf("%s %s %s", s.Kind, s.Name, s.State)
		seen[key] = s.App
		require.False(t, ids[s.ID], "every signal has an id of its own")
		ids[s.ID] = true
		require.Equal(t, sha, s.SHA)
		require.Equal(t, noon, s.Started, key)
		require.Equal(t, noon, s.Observed, key)
	}
	require.Equal(t, map[string]string{
		"check smoke success": "github-actions", "check e2e in_progress": "github-actions",
		"status argocd/dev pending": "", "status argocd/dev success": "", "deployment prod-eu failure": "",
		"deployment prod-us success": "",
	}, seen, "our own are not among them")
	completed := map[bool]int{}
	for _, s := range suites {
		require.Equal(t, "github-actions", s.App)
		require.Equal(t, "main", s.Branch)
		completed[s.Completed]++
	}
	require.Equal(t, map[bool]int{true: 1, false: 1}, completed)
}

func TestOnlyTheKindsThatMatterAreAskedFor(t *testing.T) {
	k := newKit(t)
	sha := promotion.SHA(k.Head(repo, "main"))
	require.Equal(t, 1, k.asked(func() {
		_, _, err := k.client.Signals.On(t.Context(), []promotion.SHA{sha}, promotion.KindStatus)
		require.NoError(t, err)
	}))
}

func TestEvery101stCheckRunIsSeenF44(t *testing.T) {
	k := newKit(t)
	sha := k.Head(repo, "main")
	for i := range 101 {
		_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{
			Name: fmt.Sprintf("job %d", i), SHA: sha, Suite: fmt.Sprintf("suite %d", i), Conclusion: "success",
		})
		require.NoError(t, err)
	}
	signals, suites, err := k.client.Signals.On(t.Context(), []promotion.SHA{promotion.SHA(sha)}, promotion.KindCheck)
	require.NoError(t, err)
	require.Len(t, signals, 101)
	require.Len(t, suites, 101)
}

func TestSignalsThatCannotAllBeReadAreNone(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(githubsim.Route{Path: path("/commits/{ref}/statuses")}, githubsim.Fault{Status: 500})
	signals, suites, err := k.client.Signals.On(t.Context(), []promotion.SHA{promotion.SHA(k.Head(repo, "main"))})
	require.ErrorIs(t, err, ErrTransient)
	require.Empty(t, signals)
	require.Empty(t, suites)
}

func TestBothRunsOfANameAreToldSoThatTheNewerCountsF7(t *testing.T) {
	k := newKit(t)
	sha := k.Head(repo, "main")
	first, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "smoke", SHA: sha, Suite: "ci", Conclusion: "success"})
	require.NoError(t, err)
	k.clock.Advance(time.Minute)
	second, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "smoke", SHA: sha, Suite: "ci", Status: "in_progress"})
	require.NoError(t, err)
	signals, _, err := k.client.Signals.On(t.Context(), []promotion.SHA{promotion.SHA(sha)}, promotion.KindCheck)
	require.NoError(t, err)
	states := map[int64]string{}
	for _, s := range signals {
		states[s.ID] = s.State
	}
	require.Equal(t, map[int64]string{first: "success", second: "in_progress"}, states)
}
