package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/sandbox/pages"
)

// withoutWaits starts the sandbox with an empty pipeline, clusters and CI, and open pull requests, without its waits.
func withoutWaits(t *testing.T) (*githubsim.Server, rings) {
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	_, err = found(github)
	require.NoError(t, err)
	text, _ := github.File(deployRepo, "main", config.PipelinePath)
	for _, wait := range []string{"soak: 30s", "wait: 10s"} {
		require.Contains(t, text, wait)
		text = strings.ReplaceAll(text, wait, wait[:6]+"0s")
	}
	_, err = github.PushFiles(deployRepo, "main", "ann", "Wait for nothing",
		map[string]*string{config.PipelinePath: &text})
	require.NoError(t, err)
	p, err := start(zerolog.Nop().WithContext(t.Context()), github,
		settings(github, filepath.Join(t.TempDir(), "waybill.db")), app.World{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.kill()) })
	tale, err := newTale(t.Output(), github, p)
	require.NoError(t, err)
	builds := &ci{github: github, took: glance}
	prod := rings{newFleet(github, glance, builds.Waits), p, tale.pipeline}
	go builds.run(t.Context())
	go prod.run(t.Context())
	_, err = p.Rest(t.Context())
	require.NoError(t, err)
	require.NoError(t, openPulls(github))
	return github, prod
}

// TestTheThingsToTryOfTheSandboxCanBeDoneInTheirOrder does the first three, which change what is where.
func TestTheThingsToTryOfTheSandboxCanBeDoneInTheirOrder(t *testing.T) {
	t.Parallel()
	github, prod := withoutWaits(t)
	var said []string
	for _, try := range tries {
		said = append(said, try.Text)
	}
	require.Contains(t, said[1], "comment /rollback staging-a")
	require.Contains(t, said[2], "Break one of the seven clusters of prod. Comment /rollback prod on #143")
	require.Contains(t, said[2], "comment /unhold prod and /retry prod on #142")
	labelled := func(pull int, label string) {
		t.Helper()
		require.Eventually(t, func() bool {
			p, _ := github.Pull(sourceRepo, pull)
			return slices.Contains(p.Labels, label)
		}, time.Minute, glance, "#%d never has %s", pull, label)
	}
	comment := func(pull int, command string) {
		t.Helper()
		_, err := github.Comment(sourceRepo, pull, "ann", command)
		require.NoError(t, err)
	}
	for _, pull := range []int{firstPull, goodPull} {
		_, err := github.MergePull(sourceRepo, pull, "ann", "squash")
		require.NoError(t, err)
		labelled(pull, "stage/prod:ok")
	}
	_, err := github.MergePull(sourceRepo, badPull, "ann", "squash")
	require.NoError(t, err)
	labelled(badPull, "stage/staging-a:failed")
	comment(badPull, "/rollback staging-a")

	require.NoError(t, prod.SetTemper("eu-2", pages.Broken))
	comment(goodPull, "/rollback prod")
	comes := func(title string) {
		t.Helper()
		require.Eventually(t, func() bool {
			now, err := prod.Rollout(t.Context())
			return err == nil && now.Freight == "api#142" && now.Title == title
		}, time.Minute, glance, "never %s", title)
	}
	comes("Verification failed (2/7 verified, 1 failed, 4 to come): argocd/eu-2 failed")
	require.NoError(t, prod.SetTemper("eu-2", pages.Well))
	comes("Verified in part (3/7 verified, 4 to come)")
	comment(firstPull, "/unhold prod\n/retry prod")
	comes("Verified (7/7 verified)")
}

// TestARolloutOverTheClustersOfProdStopsAtTheOneThatBreaks plays the sandbox without its waits (semantics 5.5, 5.8).
func TestARolloutOverTheClustersOfProdStopsAtTheOneThatBreaks(t *testing.T) {
	t.Parallel()
	github, prod := withoutWaits(t)
	require.Equal(t, "canary (): eu-1; europe (2 at once): eu-2, eu-3, eu-4; world (3 at once): us-1, us-2, ap-1",
		saidOf(t, prod))
	require.NoError(t, prod.SetTemper("eu-3", pages.Broken))
	_, err := github.MergePull(sourceRepo, firstPull, "ann", "squash")
	require.NoError(t, err)
	comes := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool { return saidOf(t, prod) == want }, time.Minute, glance, "never %s", want)
	}
	comes("canary (): eu-1 verified; europe (2 at once): eu-2 verified, eu-3 failed, eu-4 to come; " +
		"world (3 at once): us-1 to come, us-2 to come, ap-1 to come")
	now, err := prod.Rollout(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Verification failed (2/7 verified, 1 failed, 4 to come): argocd/eu-3 failed", now.Title)
	require.Len(t, now.Holds, 1)
	broken, left := now.Batches[1].Clusters[1], now.Batches[1].Clusters[2]
	require.Equal(t, []any{"argocd/eu-3 failed", pages.Degraded, "none"}, []any{broken.Why, broken.Health, broken.Runs})
	require.NotEqual(t, "none", broken.Wants)
	require.Equal(t, []any{pages.Healthy, "none", "none"}, []any{left.Health, left.Runs, left.Wants})

	require.NoError(t, prod.SetTemper("eu-3", pages.Well))
	require.NoError(t, prod.SetTemper("us-2", pages.Slow))
	comes("canary (): eu-1 verified; europe (2 at once): eu-2 verified, eu-3 verified, eu-4 to come; " +
		"world (3 at once): us-1 to come, us-2 to come, ap-1 to come")
	for _, command := range []string{"/unhold prod", "/retry prod"} {
		_, err = github.Comment(sourceRepo, firstPull, "ann", command)
		require.NoError(t, err)
	}
	comes("canary (): eu-1 verified; europe (2 at once): eu-2 verified, eu-3 verified, eu-4 verified; " +
		"world (3 at once): us-1 verified, us-2 updating, ap-1 verified")
	comes("canary (): eu-1 verified; europe (2 at once): eu-2 verified, eu-3 verified, eu-4 verified; " +
		"world (3 at once): us-1 verified, us-2 verified, ap-1 verified")
	require.ErrorContains(t, prod.SetTemper("mars-1", pages.Well), "there is no such cluster")
}

// saidOf returns the status of each cluster, batch by batch.
func saidOf(t *testing.T, prod rings) string {
	t.Helper()
	now, err := prod.Rollout(t.Context())
	require.NoError(t, err)
	var all []string
	for _, b := range now.Batches {
		var clusters []string
		for _, c := range b.Clusters {
			clusters = append(clusters, strings.TrimSpace(c.Name+" "+c.Standing))
		}
		all = append(all, b.Name+" ("+b.Pace+"): "+strings.Join(clusters, ", "))
	}
	return strings.Join(all, "; ")
}
