package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestPermissionsAreOrderedAndSpeltAsGitHubDoes(t *testing.T) {
	for p := promotion.Unasked; p <= promotion.Admin; p++ {
		got, known := promotion.ParsePermission(p.String())
		require.True(t, known)
		require.Equal(t, p, got)
	}
	require.Less(t, promotion.Read, promotion.Triage)
	require.Less(t, promotion.Triage, promotion.Write)
	got, known := promotion.ParsePermission("owner")
	require.False(t, known)
	require.Equal(t, promotion.NoPermission, got)
}

func TestWhoIsWho(t *testing.T) { // T14
	require.True(t, promotion.Actor{ID: 3, Login: "ann"}.Is(promotion.Actor{ID: 3, Login: "ann-b"}))
	require.False(t, promotion.Actor{ID: 3, Login: "ann"}.Is(promotion.Actor{ID: 4, Login: "ann"}))
	require.False(t, promotion.Actor{ID: 3, Login: "ann"}.Is(promotion.Actor{Login: "ann"}))
	require.False(t, promotion.Actor{Login: "ann"}.Is(promotion.Actor{ID: 3, Login: "ann"}))
	require.True(t, promotion.Actor{Login: "ann"}.Is(promotion.Actor{Login: "ann"}))
	require.False(t, promotion.Actor{Login: "ann"}.Is(promotion.Actor{Login: "bob"}))
	require.True(t, promotion.Actor{}.Bot())
	require.False(t, promotion.Actor{ID: 3}.Bot())
	require.False(t, promotion.Actor{Login: "ann"}.Bot())
}
