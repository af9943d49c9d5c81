package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

func TestOneTargetAfterTheOtherIsPromotedOverTheAPIByLabelAndInComments(t *testing.T) { // semantics 5.10
	t.Parallel()
	file := strings.ReplaceAll(rolling, "[{name: canary, targets: [eu-1]}, {name: rest, at-once: 2}]", "external")
	s := newSite(t, file)
	require.NoError(t, s.meet("bob"))
	s.quiet()
	bob := s.withTokens(s.acting("bob"))[0]
	s.do("merge #1 by ann")
	require.Empty(t, s.states("prod"), "nothing starts by itself")
	require.Contains(t, s.gives(bob, "", "promote prod").Text,
		"this stage is driven target by target: /promote prod/TARGET")
	require.Contains(t, s.gives(bob, "", "promote prod/eu-9").Text, "the targets are eu-1, us-1, us-2")

	require.Equal(t, "done", s.gives(bob, "", "promote prod/us-1 api#1").Outcome)
	s.do("check e2e-us-1 success on prod", "label #1 promote/prod/us-2 by bob")
	require.NotContains(t, s.labels(1), "promote/prod/us-2", "the label is taken off when it has been obeyed")
	s.do("check e2e-us-2 success on prod", "comment #1 by bob: @waybill promote prod/eu-1",
		"check e2e-eu-1 success on prod")
	require.Equal(t, []string{"p1 api#1 prod succeeded", "p2 api#1 prod succeeded", "p3 api#1 prod succeeded"},
		s.states("prod"))
	require.Equal(t, []string{
		"Promote api#1 to prod (all: us-1): merged", "Promote api#1 to prod (all: us-2): merged",
		"Promote api#1 to prod (all: eu-1): merged",
	}, s.ours())
	require.Contains(t, s.standing("prod", "api#1"), "3/3 verified")
}

func TestATargetThatIsHeldIsToldAndCatchesUp(t *testing.T) { // semantics 5.2
	t.Parallel()
	s := newSite(t, rolling)
	require.NoError(t, s.meet("bob"))
	s.quiet()
	bob := s.withTokens(s.acting("bob"))[0]
	require.Equal(t, "done", s.gives(bob, "", "hold prod/us-1 disks are full").Outcome)
	var stage api.StageDetail
	s.get(bob, "/api/v1/pipelines/acme/deploy/stages/prod", &stage)
	require.Len(t, stage.Holds, 1)
	require.Equal(t, "us-1", stage.Holds[0].Target)
	s.do("merge #1 by ann", "check e2e-eu-1 success on prod", "check e2e-us-2 success on prod")
	require.Contains(t, s.standing("prod", "api#1"), "2/3 verified, 1 waiting")
	require.Contains(t, s.gives(bob, "", "status prod").Rows[0][3], "held for target us-1 by bob")
	require.Equal(t, "done", s.gives(bob, "", "unhold prod/us-1").Outcome)
	s.do("check e2e-us-1 success on prod")
	require.Contains(t, s.standing("prod", "api#1"), "3/3 verified")
	is, _ := s.github.File(home, "main", "clusters/us-1.yaml")
	require.Equal(t, "tag: \"1\"\n", is)
}

func TestATargetCatchesUpWhenItsFileIsPushedThoughNobodyWantsToKnowOfDrift(t *testing.T) { // semantics 5.2, 6.4
	t.Parallel()
	s := newSite(t, strings.ReplaceAll(rolling, "    from: api\n", "    from: api\n    drift: ignore\n"))
	s.push(map[string]*string{"clusters/us-1.yaml": nil})
	s.do("merge #1 by ann", "check e2e-eu-1 success on prod", "check e2e-us-2 success on prod")
	require.Contains(t, s.standing("prod", "api#1"), "2/3 verified, 1 waiting")
	s.push(map[string]*string{"clusters/us-1.yaml": githubsim.Text("tag: none\n")})
	s.do("check e2e-us-1 success on prod")
	require.Contains(t, s.standing("prod", "api#1"), "3/3 verified")
}
