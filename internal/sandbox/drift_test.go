package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// drifting is a pipeline of one stage whose value stories can predict.
const drifting = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.number}"}}}
`

func TestADriftIsToldWhereThePullRequestWasAndShownOnItsCheck(t *testing.T) {
	t.Parallel()
	s := newSite(t, drifting)
	s.do("merge #1 by ann")
	require.Equal(t, "success Verified", s.look(1))

	s.do("edit dev.yaml tag hotfix by bob", "resync", "restart", "resync")
	comments := s.told(1)
	require.Len(t, comments, 1, "once, however often somebody looks")
	for _, part := range []string{`tag says "hotfix", promotion 1 wrote "1"`, "pushed by bob", "`/promote dev api#1`"} {
		require.Contains(t, comments[0].Body, part)
	}
	require.Equal(t, "neutral Verified, drifted", s.look(1))

	s.do("edit dev.yaml tag 1 by bob")
	require.Len(t, s.told(1), 1)
	require.Equal(t, "success Verified", s.look(1))
}

func TestARepairIsAPullRequestThatSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(drifting, "}}}", "}}, drift: repair}", 1))
	s.do("merge #1 by ann", "edit dev.yaml tag hotfix by bob")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, "1", s.hosts("dev.yaml"))
	require.Contains(t, s.pull(2).Body, "It writes again what promotion 1 wrote, because the files no longer say so.")
	require.Empty(t, s.told(1))
	require.Equal(t, "success Verified", s.look(1))
}

// TestNothingIsSaidOfAFileThatCannotBeReadR6 covers R6 for files: Waybill reports nothing about a file that is gone or
// is no longer YAML.
func TestNothingIsSaidOfAFileThatCannotBeReadR6(t *testing.T) {
	t.Parallel()
	s := newSite(t, drifting)
	s.do("merge #1 by ann")
	for _, content := range []*string{githubsim.Text("tag: [\n"), githubsim.Text("other: 1\n"), nil} {
		_, err := s.github.PushFiles(home, "main", "ann", "Break it", map[string]*string{"dev.yaml": content})
		require.NoError(t, err)
		s.quiet()
		s.do("resync")
	}
	require.Empty(t, s.told(1))
	require.Equal(t, "success Verified", s.look(1))
	_, err := s.github.PushFiles(home, "main", "ann", "Make it again",
		map[string]*string{"dev.yaml": githubsim.Text("tag: hotfix\n")})
	require.NoError(t, err)
	s.quiet()
	require.Len(t, s.told(1), 1)
}

func TestFilesAreReadAgainOnlyWhenTheBranchHasMoved(t *testing.T) {
	t.Parallel()
	s := newSite(t, drifting)
	reads := func(happenings ...string) int {
		s.github.ForgetRequests()
		s.do(happenings...)
		return s.github.CountRequests(githubsim.Route{Field: "repository"})
	}
	s.do("merge #1 by ann", "resync")
	require.Zero(t, reads("push README.md by bob"), "a push that leaves the stages' files alone")
	known := reads("resync")
	require.Equal(t, 1, reads("edit dev.yaml tag hotfix by bob"))
	require.Equal(t, known, reads("resync"), "what was read then is known to be so still")
	s.do("lose webhooks", "edit dev.yaml tag better by bob")
	require.Equal(t, known+1, reads("resync"))
	require.Less(t, reads("resync"), known, "the branch is where it was")
}

// look returns the result of dev's check run on a source pull request.
func (s *site) look(n int) string {
	s.t.Helper()
	s.quiet()
	p, _ := s.github.Pull(home, n)
	shown := ""
	for _, run := range s.github.CheckRuns(home, p.MergeSHA) {
		if run.Name == "waybill / dev" {
			shown = run.Conclusion + " " + run.Title
		}
	}
	return shown
}
