package ongithub

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/internal/githubsim"
	"waybill/store"
)

func TestAViewThatRetentionMayHaveRemovedIsLookedForBeforeItIsMade(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	github := New(&env.Env{Clock: func() time.Time { return now }, Hub: hubAhead(t, 0)}, 90*24*time.Hour)
	now = now.Add(time.Hour)
	merged, fresh := now, &store.View{Attempts: 1}
	require.True(t, github.first(fresh, merged))
	require.False(t, github.first(&store.View{Attempts: 2}, merged))
	now = merged.Add(90 * 24 * time.Hour)
	require.False(t, github.first(fresh, merged))
}

// TestWhatIsOlderThanTheProgramIsToldByGitHubsClock has GitHub's clock be a minute off, either way. What was merged
// before the start may have a check run already, in a database of which an older copy has taken the place.
func TestWhatIsOlderThanTheProgramIsToldByGitHubsClock(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, ahead := range []time.Duration{-time.Minute, 0, time.Minute} {
		there := now.Add(ahead)
		github := New(&env.Env{Clock: func() time.Time { return now }, Hub: hubAhead(t, ahead)}, 90*24*time.Hour)
		require.False(t, github.begins(there.Add(-time.Second)), ahead)
		require.True(t, github.begins(there.Add(time.Second)), ahead)
		require.False(t, github.first(&store.View{Attempts: 1}, there.Add(-time.Second)), ahead)
		require.True(t, github.first(&store.View{Attempts: 1}, there.Add(2*time.Second)), ahead)
	}
}

// hubAhead is a hub whose GitHub has a clock that is ahead of ours.
func hubAhead(t *testing.T, ahead time.Duration) *gh.Hub {
	t.Helper()
	ours := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	github, err := githubsim.Start(githubsim.Options{Clock: func() time.Time { return ours.Add(ahead) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	hub, err := gh.New(gh.Config{
		V3URL: github.V3URL(), V4URL: github.V4URL(), WebURL: github.URL(), AppID: github.AppID(),
		PrivateKey: []byte(github.PrivateKeyPEM()), Clock: func() time.Time { return ours }, Transport: &http.Transport{},
	})
	require.NoError(t, err)
	_, err = hub.Self(t.Context())
	require.NoError(t, err)
	return hub
}
