package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const threeRegions = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [eu, us, ap]
    set: {"clusters/${target.name}.yaml": {tag: "${api.number}"}}
    rollout: [{name: all, at-once: 3}]
    merge: manual
`

// TestOneTargetGoesBackAlone rolls one of three regions back, and then the others.
func TestOneTargetGoesBackAlone(t *testing.T) { // semantics 5.14
	t.Parallel()
	s := newSite(t, threeRegions)
	s.do("merge #1 by ann", "merge p1 by bob", "merge #2 by ann", "merge p2 by bob", "wait 1m")
	answer := asSeen(s.below(2, "ann", `/rollback prod/us --because "us burns"`))
	require.Contains(t, answer, "prod/us goes back to api#1, by promotion 3.")
	require.Contains(t, answer, "/cancel prod p3", "that undoes it")
	require.Contains(t, s.ours(), "Roll back prod/us to api#1 (all: us): open")
	require.Contains(t, s.newestBody(), "**`prod/us`** goes back from `api#2` to **`api#1`**")
	require.Contains(t, asSeen(s.below(2, "ann", "/cancel prod p3")), "/rollback prod/us to api#1")

	s.do("comment #2 by ann: /rollback prod/us", "merge p4 by bob", "wait 1m")
	tags := func() string {
		return s.says(home, "main", "clusters/eu.yaml") + s.says(home, "main", "clusters/us.yaml") +
			s.says(home, "main", "clusters/ap.yaml")
	}
	require.Equal(t, "212", tags())
	require.Contains(t, asSeen(s.below(2, "ann", "/status prod")), "held")
	require.Contains(t, asSeen(s.below(1, "ann", "/rollback prod/mars")), "the targets are eu, us, ap")
	s.do("comment #2 by ann: /rollback prod", "merge p5 by bob", "wait 1m")
	require.Equal(t, "111", tags())
}
