package ongithub

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/store"
)

func TestAViewThatRetentionMayHaveRemovedIsLookedForBeforeItIsMade(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	github := New(&env.Env{Clock: func() time.Time { return now }}, 90*24*time.Hour)
	now = now.Add(time.Hour)
	merged, fresh := now, &store.View{Attempts: 1}
	require.True(t, github.first(fresh, merged))
	require.False(t, github.first(&store.View{Attempts: 2}, merged))
	now = merged.Add(90 * 24 * time.Hour)
	require.False(t, github.first(fresh, merged))
}
