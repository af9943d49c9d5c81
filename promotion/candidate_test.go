package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestTheBranchOfAGroupTellsWhoseItIs(t *testing.T) {
	const sha = "0123456789012345678901234567890123456789"
	for branch, want := range map[string]promotion.Group{
		"gh-readonly-queue/main/pr-12-" + sha:                   {Branch: "main", Pull: 12, Base: sha},
		"gh-readonly-queue/release/pr-1-x/pr-12-" + sha:         {Branch: "release/pr-1-x", Pull: 12, Base: sha},
		"gh-readonly-queue/main/pr-12-abc":                      {},
		"gh-readonly-queue/main/12-" + sha:                      {},
		"mine/gh-readonly-queue/main/pr-12-" + sha:              {},
		"gh-readonly-queue/main/pr-99999999999999999999-" + sha: {},
	} {
		got, is := promotion.ParseGroup(branch)
		require.Equal(t, want != promotion.Group{}, is, branch)
		if is {
			require.Equal(t, want, got, branch)
		}
	}
}

func TestWhichFilesAreGuarded(t *testing.T) {
	p := fixture.DevPipeline()
	require.False(t, p.Guards())
	require.Empty(t, p.GuardedFiles(p.At(), promotion.Touched{Paths: []string{"dev.yaml"}}))
	p.Stages[0].Guard = true
	require.True(t, p.Guards())
	require.Equal(t, []string{"dev.yaml"},
		p.GuardedFiles(p.At(), promotion.Touched{Paths: []string{"prod.yaml", "dev.yaml"}}))
	require.Equal(t, []string{"dev.yaml"}, p.GuardedFiles(p.At(), promotion.Touched{More: true}),
		"what GitHub does not list may be any file")
	other := fixture.DevPipeline()
	require.False(t, p.SameGuards(other))
	other.Stages[0].Guard, other.Stages[0].Policy.Approvals = true, 2
	require.True(t, p.SameGuards(other))
	other.Branch = "trunk"
	require.False(t, p.SameGuards(other))
}
