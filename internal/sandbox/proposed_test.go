package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

// propose opens a pull request with a pipeline file and returns its number and its head.
func (s *site) propose(pipeline string, spec githubsim.PullSpec) (int, string) {
	s.t.Helper()
	require.NoError(s.t, s.meet("eve"))
	spec.Title, spec.Author = "Configure", "eve"
	if spec.Files == nil {
		spec.Files = map[string]*string{config.PipelinePath: githubsim.Text(pipeline)}
	}
	n, err := s.github.OpenPull(home, spec)
	require.NoError(s.t, err)
	s.quiet()
	p, _ := s.github.Pull(home, n)
	return n, p.HeadSHA
}

// TestABadFileIsToldOnItsLinesBeforeItIsMergedT23 proposes a file with two mistakes, from a fork and from a branch.
func TestABadFileIsToldOnItsLinesBeforeItIsMergedT23(t *testing.T) {
	t.Parallel()
	for name, fork := range map[string]bool{"of a branch": false, "of a fork": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			bad := strings.Replace(oneStage, "verify:", "verfy:", 1) + "  qa: {from: nowhere, set: {qa.yaml: {tag: x}}}\n"
			_, head := s.propose(bad, githubsim.PullSpec{Head: "mine", Fork: fork})
			check := s.configCheck(head)
			require.Equal(t, "failure", check.Conclusion)
			require.Contains(t, check.Summary, "verfy")
			var lines []int
			for _, a := range check.Annotations {
				require.Equal(t, config.PipelinePath, a.Path)
				require.Equal(t, "failure", a.Level)
				lines = append(lines, a.Start)
			}
			require.Equal(t, []int{5, 6}, lines, check.Summary)

			s.do("merge #1 by ann", "check smoke success on dev", "resync")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"), "it is not in force")
			require.Len(t, s.github.CheckRuns(home, head), 1)
		})
	}
}

// TestAProposedFileTellsWhatItWouldDoT23 proposes a new stage and removes another one that has an active promotion.
func TestAProposedFileTellsWhatItWouldDoT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"))
	next := twoStages[:strings.Index(twoStages, "  prod:")] +
		"  qa: {from: api, after: {any: [dev], soak: 1m}, set: {qa.yaml: {tag: \"${api.short}\"}}}\n"
	n, head := s.propose("", githubsim.PullSpec{Head: "mine", Fork: true, Files: map[string]*string{
		config.PipelinePath: githubsim.Text(next), "qa.yaml": githubsim.Text("tag: none\n"),
	}})
	check := s.configCheck(head)
	require.Equal(t, "success", check.Conclusion, check.Summary)
	require.Equal(t, "Good; of the stages, 1 would be new, 0 changed, 1 removed", check.Title)
	for _, line := range []string{
		"- `qa` is **new**: takes `api` after `dev` for 1m0s; changes `qa.yaml`; verified by nothing",
		"- `prod` is **removed**",
		"- `prod`: promotion 2 of `api#1` would be **cancelled**",
		"  s1[\"qa, new\"]\n  s0 --> s1\n",
	} {
		require.Contains(t, check.Summary, line)
	}
	require.NotContains(t, check.Summary, "available")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"), "nothing of it is in force")

	s.do("wait 2m")
	_, err := s.github.PushFiles("eve/"+strings.SplitN(home, "/", 2)[1], "mine", "eve", "Again",
		map[string]*string{"README.md": githubsim.Text("more\n")})
	require.NoError(t, err)
	s.quiet()
	p, _ := s.github.Pull(home, n)
	require.NotEqual(t, head, p.HeadSHA)
	require.Contains(t, s.configCheck(p.HeadSHA).Summary, "- freight would become available to `qa`: `api#1`")
}

// TestAPullRequestThatLeavesThePipelineFilesAloneHasNoConfigCheck even if main's files have changed since.
func TestAPullRequestThatLeavesThePipelineFilesAloneHasNoConfigCheck(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("bob"))
	old := map[string]*string{"src/a.go": githubsim.Text("package a\n")}
	n, head := s.propose("", githubsim.PullSpec{Head: "mine", Files: old})
	s.pushConfig(oneStage + "comments: false\n")
	require.NoError(t, s.github.ClosePull(home, n, "eve"))
	require.NoError(t, s.github.ReopenPull(home, n, "eve"))
	s.quiet()
	require.Empty(t, s.github.CheckRuns(home, head))
}

// TestAPolicyThatGoesAwayIsToldT23 proposes to delete the policy file.
func TestAPolicyThatGoesAwayIsToldT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	_, head := s.propose("", githubsim.PullSpec{Head: "mine", Files: map[string]*string{config.PolicyPath: nil}})
	check := s.configCheck(head)
	require.Equal(t, "success", check.Conclusion, check.Summary)
	require.Contains(t, check.Summary, "`dev`: promotion: promotes by itself → **people promote**")
}

// withStages is a pipeline with n more stages, each with so many values.
func withStages(n, values int) string {
	var b strings.Builder
	b.WriteString(oneStage)
	for i := range n {
		fmt.Fprintf(&b, "  s%d: {from: api, after: {any: [dev]}, set: {", i)
		for v := range values {
			fmt.Fprintf(&b, "q%d.yaml: {tag: \"${api.short}\"}, ", v)
		}
		b.WriteString("}}\n")
	}
	return b.String()
}

// TestALargeProposalIsComparedAndNothingIsForeseenT23 proposes so many stages that a trial would keep others from the
// database for long.
func TestALargeProposalIsComparedAndNothingIsForeseenT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	_, head := s.propose(withStages(499, 1), githubsim.PullSpec{Head: "many"})
	check := s.configCheck(head)
	require.Equal(t, "Good; of the stages, 499 would be new, 0 changed, 0 removed", check.Title)
	require.NotContains(t, check.Summary, "not worked out", "that is still foreseen")

	for i := range 150 {
		s.do(fmt.Sprintf("merge #%d by ann", i+10))
	}
	_, head = s.propose(withStages(40, 1), githubsim.PullSpec{Head: "much"})
	check = s.configCheck(head)
	require.Equal(t, "Good; of the stages, 40 would be new, 0 changed, 0 removed", check.Title)
	require.Contains(t, check.Summary, "What becomes of promotions is **not worked out**: there are too many stages, "+
		"targets, files or freight.")
}

// TestAProposalThatCostsMuchIsWorkedOutBesideOthersT23 proposes more values than anybody may, which a person with write
// may.
func TestAProposalThatCostsMuchIsWorkedOutBesideOthersT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	_, head := s.propose(withStages(70, 150), githubsim.PullSpec{Head: "mine"})
	check := s.configCheck(head)
	require.Equal(t, "Good; of the stages, 70 would be new, 0 changed, 0 removed", check.Title, check.Summary)
	require.Contains(t, check.Summary, "not worked out", "a trial would write a row for each of 10,500 files")
}
