package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// devAndSignedOff is a pipeline of a stage that is verified and of one that waits for a sign-off.
const devAndSignedOff = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  prod: {from: api, set: {prod.yaml: {tag: "${api.short}"}}, approvals: 1}
`

// below writes a comment below a pull request, and returns the answer in words.
func (s *site) below(number int, by, text string) string {
	s.t.Helper()
	_, err := s.github.Comment(home, number, by, text)
	require.NoError(s.t, err)
	s.quiet()
	_, answer := s.answered(number)
	return answer
}

func TestBelowAPullRequestThatIsNotMergedNothingOfOthersIsPromoted(t *testing.T) {
	t.Parallel()
	s := newSite(t, devAndSignedOff)
	s.do("comment #1 by ann: /hold prod", "merge #1 by ann")
	before := s.states("prod")
	s.do("comment #2 by bob: /promote prod")
	_, text := s.answered(2)
	require.Contains(t, text, "is not merged yet, so it is no freight")
	require.Equal(t, before, s.states("prod"), "api#1 is somebody else's")
	require.Contains(t, s.below(2, "bob", "/why prod"), "not merged yet")
	require.Contains(t, s.below(2, "bob", "/plan prod"), "not merged yet")
	require.Contains(t, s.below(2, "bob", "/where"), "not merged yet")
	require.Contains(t, s.below(2, "bob", "/where api#1"), "1 Change 1", "a name counts everywhere")
	s.do("comment #1 by ann: /unhold prod")
	require.Contains(t, s.below(2, "carl", "/approve prod"), "not merged yet", "what is open is api#1")

	s.do("merge #2 by bob", "comment #2 by bob: /promote dev")
	require.Contains(t, s.below(1, "ann", "/where api#2"), "2 Change 2", "whoever says so")
}

func TestBelowThePullRequestOfAPromotionItsFreightIsMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t, devAndSignedOff)
	s.do("merge #1 by ann")
	open := s.openPull(t, "prod")
	s.do("merge #2 by bob")
	require.Contains(t, s.below(open.Number, "carl", "/why dev"), "1 in dev")
	require.Contains(t, s.below(open.Number, "carl", "/where"), "1 Change 1")
}

func TestARollbackSaysWhereTheStageGoesAndThatItStaysHeld(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke failure on dev")
	answer := s.below(2, "bob", "/rollback dev")
	require.Contains(t, answer, "1, by promotion 3")
	require.Contains(t, answer, "the stage is held")
	s.do("check smoke success on dev")
	require.Contains(t, s.below(2, "bob", "/rollback dev"), "is not there. To go back further")
	require.Len(t, s.ours(), 3, "it is not done twice")
}
