package gh

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refused makes GitHub send n webhooks, one after the other, that no server accepts.
func (k *kit) refused(n int) {
	k.Helper()
	k.SetWebhookURL(k.URL())
	for i := range n {
		k.FailWebhooks(1, http.StatusBadGateway)
		require.NoError(k, k.CreateStatus(repo, "main", "ann", fmt.Sprint(i), "success", ""))
	}
	require.Error(k, k.Settle(k.Context()))
}

func TestAttemptsAreListedNewestFirstUntilATimeF4(t *testing.T) {
	k := newKit(t)
	k.refused(1)
	k.clock.Advance(time.Hour)
	since := k.clock.Now()
	k.refused(2)
	all, complete, err := k.hub.Attempts(t.Context(), since, 10)
	require.NoError(t, err)
	require.True(t, complete)
	require.Len(t, all, 2)
	require.Greater(t, all[0].ID, all[1].ID)
	newest := all[0]
	require.Equal(t, "status", newest.Event)
	require.Equal(t, http.StatusBadGateway, newest.Code)
	require.False(t, newest.Accepted())
	require.Equal(t, k.install, newest.Installation)
	require.NotZero(t, newest.Repository)
	require.Equal(t, since, newest.At)
}

func TestAttemptsAreListedFromSoManyPagesF4F44(t *testing.T) {
	k := newKit(t)
	k.refused(101)
	all, complete, err := k.hub.Attempts(t.Context(), noon, 1)
	require.NoError(t, err)
	require.False(t, complete)
	require.Len(t, all, 100)
	all, complete, err = k.hub.Attempts(t.Context(), noon, 2)
	require.NoError(t, err)
	require.True(t, complete)
	require.Len(t, all, 101)
}

func TestAttemptsThatAreTheSameAsBeforeCostNothingF4(t *testing.T) {
	k := newKit(t)
	k.refused(1)
	for range 2 {
		_, _, err := k.hub.Attempts(t.Context(), noon, 10)
		require.NoError(t, err)
	}
	requests := k.Requests()
	require.Equal(t, http.StatusNotModified, requests[len(requests)-1].Status)
}

func TestARedeliveryIsAnotherAttemptUnderTheSameGUIDF4(t *testing.T) {
	k := newKit(t)
	k.refused(1)
	before, _, err := k.hub.Attempts(t.Context(), noon, 1)
	require.NoError(t, err)
	k.FailWebhooks(1, http.StatusBadGateway)
	require.NoError(t, k.hub.Redeliver(t.Context(), before[0].ID))
	require.Error(t, k.Settle(t.Context()), "it is refused again")
	after, _, err := k.hub.Attempts(t.Context(), noon, 1)
	require.NoError(t, err)
	require.Len(t, after, 2)
	require.Equal(t, before[0].GUID, after[0].GUID)
	require.NotEqual(t, before[0].ID, after[0].ID)
	require.True(t, after[0].Redelivery)
	require.False(t, after[1].Redelivery)
}

func TestWhatGitHubHasForgottenIsNotRedeliveredF4(t *testing.T) {
	k := newKit(t)
	k.refused(1)
	all, _, err := k.hub.Attempts(t.Context(), noon, 1)
	require.NoError(t, err)
	k.clock.Advance(DeliveryWindow + time.Hour)
	require.ErrorIs(t, k.hub.Redeliver(t.Context(), all[0].ID), ErrRefused)
}
