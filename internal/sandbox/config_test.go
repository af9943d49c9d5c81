package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
)

// withQA is the pipeline oneStage with a second stage.
const withQA = oneStage + "  qa: {from: api, set: {qa.yaml: {tag: \"${api.short}\"}}}\n"

// TestAPullRequestWithPipelineFilesHasNoEffectBeforeItIsMergedT23 opens a pull request that adds a stage and gives
// every right to all. It takes effect only when it is merged.
func TestAPullRequestWithPipelineFilesHasNoEffectBeforeItIsMergedT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("eve"))
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "Mine", Head: "mine", Author: "eve",
		Files: map[string]*string{config.PipelinePath: githubsim.Text(withQA), "qa.yaml": githubsim.Text("tag: none\n")},
	})
	require.NoError(t, err)
	s.quiet()
	s.do("merge #1 by ann", "check smoke success on dev", "resync")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev", "qa"))

	_, err = s.github.MergePull(home, n, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	s.do("merge #2 by ann")
	require.Contains(t, strings.Join(s.states("qa"), "\n"), "api#2 qa succeeded")
}

// TestABadFileKeepsTheLastGoodOneAndSaysSoT23 pushes a pipeline file with a mistake, promotes under the file before it,
// and corrects the mistake.
func TestABadFileKeepsTheLastGoodOneAndSaysSoT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("bob"))
	bad := s.pushConfig(strings.Replace(oneStage, "verify:", "verfy:", 1))
	require.Equal(t, "failure", s.configCheck(bad).Conclusion)
	require.Contains(t, s.configCheck(bad).Summary, "verfy")
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))

	good := s.pushConfig(oneStage)
	require.Equal(t, "success", s.configCheck(good).Conclusion)
	s.do("merge #2 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
}

// TestAFileThatNobodyReadsIsRefusedT23 gives the policy and the pipeline file the other ending: it is proposed, pushed
// beside the files in force, and pushed to a repository that has no others.
func TestAFileThatNobodyReadsIsRefusedT23(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("bob"))
	strict := map[string]*string{
		".github/waybill.policy.yaml": githubsim.Text("version: 1\nautomatic: []\n"), "notes": githubsim.Text("x"),
	}
	const policy = "is not read, because its name ends in .yaml: rename it to .github/waybill.policy.yml"
	n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "Strict", Head: "strict", Author: "bob", Files: strict})
	require.NoError(t, err)
	s.quiet()
	proposed, _ := s.github.Pull(home, n)
	check := s.configCheck(proposed.HeadSHA)
	require.Equal(t, "failure", check.Conclusion)
	require.Contains(t, check.Summary, policy)

	sha, err := s.github.PushFiles(home, "main", "bob", "Strict", strict)
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, "failure", s.configCheck(sha).Conclusion)
	require.Contains(t, s.configCheck(sha).Summary, policy)
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"), "the last good files are in force")
	sha, err = s.github.PushFiles(home, "main", "bob", "Mend", map[string]*string{".github/waybill.policy.yaml": nil})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, "success", s.configCheck(sha).Conclusion)

	const fresh = "acme/fresh"
	require.NoError(t, s.github.CreateRepo(fresh, map[string]string{".github/waybill.yaml": oneStage}))
	require.NoError(t, s.github.ReachRepo(fresh, true))
	s.do("wait 1m")
	runs := s.github.LatestCheckRuns(fresh, s.github.Head(fresh, "main"))
	require.Len(t, runs, 1)
	require.Contains(t, runs[0].Summary, "rename it to .github/waybill.yml")
}

// TestAPolicyThatCannotBeReadIsNotTakenForNoneT23 replaces the policy by what Waybill cannot read, and then the
// pipeline file beside another, and their folder. The last good files stay in force each time, and so does the sign-off
// that they ask for; it is said why.
func TestAPolicyThatCannotBeReadIsNotTakenForNoneT23(t *testing.T) {
	t.Parallel()
	const part = ".github/waybill/web.yml"
	s := underPolicy(t, oneStage, "stages: {dev: {approvals: 1}}\n")
	sha, err := s.github.PushFiles(home, "main", "bob", "A part", map[string]*string{part: githubsim.Text(`version: 1
stages:
  web: {from: api, set: {"web.yaml": {tag: "${api.number}"}}}
`)})
	require.NoError(t, err)
	s.quiet()
	require.Empty(t, s.github.CheckRuns(home, sha), "it is in force")
	policy, _ := s.github.File(home, "main", config.PolicyPath)
	main, _ := s.github.File(home, "main", config.PipelinePath)
	for _, file := range []struct {
		path, was, mode, content, says string
	}{
		{config.PolicyPath, policy, "120000", "../policy.yml", "it is a symbolic link"},
		{config.PolicyPath, policy, "100644", "version: 1 # \xfc\n", "it is not text"},
		{config.PolicyPath, policy, "100644", "v\x00e\x00r\x00", "it is not text"},
		{config.PolicyPath, policy, "100644", "# " + strings.Repeat("x", 512<<10), "it is larger than 512 KB"},
		{config.PolicyPath, policy, "100644", "", "the file is empty"},
		{config.PipelinePath, main, "120000", "../pipeline.yml", "it is a symbolic link"},
		{config.PipelinePath, main, "100644", "", "the file is empty"},
	} {
		sha, err = s.github.PushEntry(home, "main", "bob", file.path, file.mode, file.content)
		require.NoError(t, err)
		s.quiet()
		require.Equal(t, "failure", s.configCheck(sha).Conclusion, "%v", file)
		require.Contains(t, s.configCheck(sha).Summary, file.path)
		require.Contains(t, s.configCheck(sha).Summary, file.says)
		sha, err = s.github.PushEntry(home, "main", "bob", file.path, "100644", file.was)
		require.NoError(t, err)
		s.quiet()
		require.Equal(t, "success", s.configCheck(sha).Conclusion)
	}
	_, err = s.github.PushFiles(home, "main", "bob", "No folder", map[string]*string{part: nil})
	require.NoError(t, err)
	sha, err = s.github.PushEntry(home, "main", "bob", config.PartsPath, "120000", "../parts")
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.configCheck(sha).Summary, config.PartsPath+" is no folder")
	_, err = s.github.PushEntry(home, "main", "bob", config.PolicyPath, "120000", "../policy.yml")
	require.NoError(t, err)
	s.quiet()
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p2 api#1 dev waiting-for-merge"}, s.states("dev"))
}

// pushConfig pushes a pipeline file to the default branch and returns the commit.
func (s *site) pushConfig(pipeline string) string {
	s.t.Helper()
	sha, err := s.github.PushFiles(home, "main", "bob", "Configure",
		map[string]*string{config.PipelinePath: githubsim.Text(pipeline)})
	require.NoError(s.t, err)
	s.quiet()
	return sha
}

// configCheck returns the check run of the pipeline files on a commit.
func (s *site) configCheck(sha string) githubsim.CheckRun {
	s.t.Helper()
	var found []githubsim.CheckRun
	for _, run := range s.github.LatestCheckRuns(home, sha) {
		if run.Name == "waybill / config" {
			found = append(found, run)
		}
	}
	require.Len(s.t, found, 1)
	return found[0]
}

// TestAPipelineFileThatHasNoStagesAnyMoreEndsOpenWorkF31 while it still allows others to name its repository.
func TestAPipelineFileThatHasNoStagesAnyMoreEndsOpenWorkF31(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "merge: manual", 1))
	s.do("merge #1 by ann")
	s.pushConfig("version: 1\nallow: [acme/other]\n")
	names, trouble := s.stageNames()
	require.Empty(t, names)
	require.Empty(t, trouble)
	require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: closed"}, s.ours())
	s.do("merge #2 by ann")
	require.Len(t, s.states("dev"), 1)
}

// TestAMistakeInTheFirstPartIsToldThoughNothingElseHasStages has no version to go back to.
func TestAMistakeInTheFirstPartIsToldThoughNothingElseHasStages(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	const fresh = "acme/fresh"
	require.NoError(t, s.github.CreateRepo(fresh, map[string]string{"README.md": "x\n"}))
	require.NoError(t, s.github.ReachRepo(fresh, true))
	s.quiet()
	sha, err := s.github.PushFiles(fresh, "main", "bob", "Configure", map[string]*string{
		".github/waybill/cart.yml": githubsim.Text("version: 1\nstages: {prod: {from: app}}\n"),
	})
	require.NoError(t, err)
	s.quiet()
	runs := s.github.LatestCheckRuns(fresh, sha)
	require.Len(t, runs, 1)
	require.Equal(t, "failure", runs[0].Conclusion)
	require.Contains(t, runs[0].Summary, ".github/waybill/cart.yml:")
}
