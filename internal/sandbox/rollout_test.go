package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const rolling = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [eu-1, us-1, us-2]
    set: {"clusters/${target.name}.yaml": {tag: "${api.number}"}}
    rollout: [{name: canary, targets: [eu-1]}, {name: rest, at-once: 2}]
    verify: ["e2e-${target.name}"]
`

func TestARolloutOpensAPullRequestForEachStep(t *testing.T) { // 5.3
	t.Parallel()
	s := newSite(t, rolling)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to prod (canary: eu-1): merged"}, s.ours())
	s.do("check e2e-eu-1 success on prod")
	s.do("check e2e-us-1 success on prod")
	require.Equal(t, []string{"p1 api#1 prod verifying"}, s.states("prod"))
	s.do("check e2e-us-2 success on prod/us-2")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))
	require.Equal(t, []string{"Promote api#1 to prod (canary: eu-1): merged", "Promote api#1 to prod (rest: us-1, us-2): merged"}, s.ours())
	for _, target := range []string{"eu-1", "us-1", "us-2"} {
		is, _ := s.github.File(home, "main", "clusters/"+target+".yaml")
		require.Equal(t, "tag: \"1\"\n", is)
	}
}
