package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// europe is the other repository that stages write to.
const europe = "acme/deploy-eu"

// twoPlaces is a pipeline with one stage on the main branch of another repository, and one on its branch live.
const twoPlaces = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.number}"}}, verify: [smoke]}
  eu: {from: api, after: dev, files: {repo: acme/deploy-eu}, set: {eu.yaml: {tag: "${api.number}"}}, verify: [smoke]}
  live: {from: api, after: eu, files: {repo: acme/deploy-eu, branch: live},
    set: {eu.yaml: {tag: "${api.number}"}}, verify: [smoke]}
`

// says returns the tag in a file on a branch.
func (s *site) says(repo, branch, path string) string {
	text, _ := s.github.File(repo, branch, path)
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "tag:"), " \"")
}

// TestFreightGoesThroughStagesInSeveralRepositoriesAndBranches checks that each promotion is a pull request into the
// branch of its stage, that the signals there decide its verification, and that Waybill writes nowhere else.
func TestFreightGoesThroughStagesInSeveralRepositoriesAndBranches(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 eu verifying"}, s.states("dev", "eu"))
	p := s.pull(2)
	require.Equal(t, "main merged", p.BaseBranch+" "+p.State)
	require.Equal(t, []string{"Promote api#1 to eu: merged"}, promotionPulls(s.github, europe))

	s.do("check smoke success on eu", "check smoke success on live", "wait 1m")
	require.Equal(t, []string{"p2 api#1 eu succeeded", "p3 api#1 live succeeded"}, s.states("eu", "live"))
	require.Equal(t, "live", s.pull(3).BaseBranch)
	require.Equal(t, []string{"1", "1", "1"},
		[]string{s.says(home, "main", "dev.yaml"), s.says(europe, "main", "eu.yaml"), s.says(europe, "live", "eu.yaml")})
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	require.Contains(t, s.sticky(1).Body, "live")
}

// TestWhatIsSignalledInOneRepositorySaysNothingInAnother gives both repositories checks of the same name.
func TestWhatIsSignalledInOneRepositorySaysNothingInAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann", "check smoke success on dev", "check smoke failure on dev")
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
	_, err := s.github.PushFiles(home, "main", "ann", "Elsewhere", map[string]*string{"x.md": githubsim.Text("x\n")})
	require.NoError(t, err)
	_, err = s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: "smoke", SHA: s.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "failure",
	})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
	_, err = s.github.PushFiles(europe, "main", "ann", "There", map[string]*string{"x.md": githubsim.Text("x\n")})
	require.NoError(t, err)
	s.quiet()
	s.do("check smoke success on eu")
	require.Equal(t, []string{"p2 api#1 eu succeeded"}, s.states("eu"))
}

// TestWhatPeoplePushThereIsDrift checks that the drift names the person who pushed, that a push to another branch is no
// drift, and that a resync finds a push whose webhook was lost.
func TestWhatPeoplePushThereIsDrift(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann", "check smoke success on dev", "check smoke success on eu", "check smoke success on live",
		"wait 10m")
	push := func(branch string) {
		_, err := s.github.PushFiles(europe, branch, "ann", "By hand",
			map[string]*string{"eu.yaml": githubsim.Text("tag: mine\n")})
		require.NoError(t, err)
		s.quiet()
	}
	push("live")
	require.Contains(t, s.drift("live"), "pushed by ann")
	require.Empty(t, s.drift("eu"))
	s.do("lose webhooks")
	push("main")
	require.Empty(t, s.drift("eu"))
	s.do("resync")
	require.Contains(t, s.drift("eu"), "mine")
}

// TestStagesThatWriteSideBySideAreAllPromoted has two stages write to one branch, and a third to another.
func TestStagesThatWriteSideBySideAreAllPromoted(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  a: {from: api, files: {repo: acme/deploy-eu}, set: {a.yaml: {tag: "${api.number}"}}}
  b: {from: api, files: {repo: acme/deploy-eu}, set: {b.yaml: {tag: "${api.number}"}}}
  c: {from: api, files: {repo: acme/deploy-eu, branch: live}, set: {a.yaml: {tag: "${api.number}"}}}
`)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 a succeeded", "p2 api#1 b succeeded", "p3 api#1 c succeeded"},
		s.states("a", "b", "c"))
	require.Equal(t, []string{"1", "1", "1"},
		[]string{s.says(europe, "main", "a.yaml"), s.says(europe, "main", "b.yaml"), s.says(europe, "live", "a.yaml")})
}

// TestABaseThatMovesElsewhereKeepsWhatOthersWroteF15F16 checks that Waybill makes a conflicting commit anew from the
// new head and keeps the changes of others.
func TestABaseThatMovesElsewhereKeepsWhatOthersWroteF15F16(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "merge: manual, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	first := s.pull(2).HeadSHA
	_, err := s.github.PushFiles(europe, "main", "ann", "Beside",
		map[string]*string{"eu.yaml": githubsim.Text("tag: none # by ann\nreplicas: 3\n"), "ann.md": githubsim.Text("ann\n")})
	require.NoError(t, err)
	s.quiet()
	s.do("wait 1m")
	require.NotEqual(t, first, s.pull(2).HeadSHA)
	s.do("merge p2 by bob")
	text, _ := s.github.File(europe, "main", "eu.yaml")
	require.Equal(t, "tag: \"1\" # by ann\nreplicas: 3\n", text)
	text, _ = s.github.File(europe, "main", "ann.md")
	require.Equal(t, "ann\n", text)
}

// TestARepositoryThatDoesNotAllowItIsNotWrittenTo checks that a pipeline file takes effect only when the repository
// that it names allows it (semantics 7.8).
func TestARepositoryThatDoesNotAllowItIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.github.CreateRepo(europe, map[string]string{"eu.yaml": "tag: none\n"}))
	sha := s.pushConfig(twoPlaces)
	require.Contains(t, s.configCheck(sha).Summary,
		"stage eu: the App cannot reach acme/deploy-eu; install it there, too (")
	require.NoError(t, s.github.ReachRepo(europe, true))
	s.quiet()
	s.do("resync")
	require.Contains(t, s.configCheck(sha).Summary,
		"acme/deploy-eu does not allow it; its .github/waybill.yml must have `allow: [acme/deploy]`")
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Empty(t, promotionPulls(s.github, europe))

	s.allow(true)
	require.Equal(t, "success", s.configCheck(s.github.Head(home, "main")).Conclusion)
	require.Equal(t, []string{"Promote api#1 to eu: merged"}, promotionPulls(s.github, europe))
}

// allow lets the pipeline write to the other repository, or withdraws the permission.
func (s *site) allow(yes bool) {
	s.t.Helper()
	text := "version: 1\nallow: [acme/nobody]\n"
	if yes {
		text = fmt.Sprintf("version: 1\nallow: [%s]\n", home)
	}
	_, err := s.github.PushFiles(europe, "main", "ann", "Allow",
		map[string]*string{".github/waybill.yml": githubsim.Text(text)})
	require.NoError(s.t, err)
	s.quiet()
}

// TestAPermissionThatIsTakenBackEndsPromotionsThere checks that a promotion that has not begun fails and names the
// remedy, and that /retry starts it again once the repository allows it.
func TestAPermissionThatIsTakenBackEndsPromotionsThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann")
	s.allow(false)
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p2 api#1 eu failed"}, s.states("eu"))
	require.Equal(t, "acme/deploy-eu does not allow it; its .github/waybill.yml must have `allow: [acme/deploy]`",
		s.promoted(2).Reason.Detail)
	require.Empty(t, promotionPulls(s.github, europe))
	s.allow(true)
	s.do("comment #1 by ann: /retry eu")
	require.Equal(t, []string{"Promote api#1 to eu: merged"}, promotionPulls(s.github, europe))
}

// TestAnotherRepositoryThatTheAppCannotReachForAWhileIsWaitedForF34 checks that nothing fails or gets lost, and that
// the promotion continues by itself.
func TestAnotherRepositoryThatTheAppCannotReachForAWhileIsWaitedForF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann")
	require.NoError(t, s.github.ReachRepo(europe, false))
	s.quiet()
	s.do("check smoke success on dev", "wait 1h")
	require.Equal(t, []string{"p2 api#1 eu queued"}, s.states("eu"))
	require.NoError(t, s.github.ReachRepo(europe, true))
	s.quiet()
	s.do(retry)
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
}

// TestCommandsAreTakenWhereTheStageIsAndRightsAreThoseOfTheHome checks that a person's permission in the other
// repository does not count (semantics 4.6).
func TestCommandsAreTakenWhereTheStageIsAndRightsAreThoseOfTheHome(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "merge: manual, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	require.NoError(t, s.github.CreateUser("carl"))
	require.NoError(t, s.github.SetPermission(europe, "carl", "admin"))
	require.NoError(t, s.github.SetPermission(home, "carl", "read"))
	n := s.pull(2).Number
	ask := func(who, text string) {
		_, err := s.github.Comment(europe, n, who, text)
		require.NoError(t, err)
		s.quiet()
	}
	ask("carl", "/cancel eu")
	require.Equal(t, []string{"p2 api#1 eu waiting-for-merge"}, s.states("eu"))
	ask("ann", "/cancel eu")
	require.Equal(t, []string{"p2 api#1 eu cancelled"}, s.states("eu"))
	require.Equal(t, []string{"Promote api#1 to eu: closed"}, promotionPulls(s.github, europe))
}

// TestAReviewThereIsASignOff also checks that the check run for sign-offs is on the promotion's own pull request.
func TestAReviewThereIsASignOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "approvals: 1, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p2 api#1 eu waiting-for-merge"}, s.states("eu"))
	p := s.pull(2)
	var names []string
	for _, run := range s.github.CheckRuns(europe, p.HeadSHA) {
		names = append(names, run.Name+": "+run.Conclusion)
	}
	require.Equal(t, []string{"waybill / eu: neutral"}, names)
	s.do("review p2 approve by bob")
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
}

// TestAStageThatMovesTakesNothingAlong checks that the promotion under way ends, and that the next one writes to the
// new place.
func TestAStageThatMovesTakesNothingAlong(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "merge: manual, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p2 api#1 eu waiting-for-merge"}, s.states("eu"))
	s.pushConfig(strings.Replace(twoPlaces, "files: {repo: acme/deploy-eu},",
		"files: {repo: acme/deploy-eu, branch: live},", 1))
	require.Equal(t, []string{"p2 api#1 eu cancelled"}, s.states("eu"))
	require.Equal(t, "moved acme/deploy-eu@live", s.promoted(2).Reason.String())
	require.Equal(t, []string{"Promote api#1 to eu: closed"}, promotionPulls(s.github, europe))
	s.do("comment #1 by ann: /promote eu")
	require.Equal(t, "1", s.says(europe, "live", "eu.yaml"))
	require.Equal(t, "none", s.says(europe, "main", "eu.yaml"))
}

// TestADeploymentIsMadeWhereTheStageIs checks that the deployment is on the commit that was merged there.
func TestADeploymentIsMadeWhereTheStageIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "environment: europe, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev", "check smoke success on eu")
	all := s.github.Deployments(europe)
	require.Len(t, all, 1)
	require.Equal(t, "europe "+s.pull(2).MergeSHA, all[0].Environment+" "+all[0].SHA)
	require.Empty(t, s.github.Deployments(home))
}

// TestAGuardLooksAfterTheFilesWhereTheyAre checks that only pull requests into the stage's branch get the guard check.
func TestAGuardLooksAfterTheFilesWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "guard: true, set: {eu.yaml", 1))
	s.do("merge #1 by ann", "check smoke success on dev")
	there, here, live := s.byHand(europe, "main"), s.byHand(home, "main"), s.byHand(europe, "live")
	require.Equal(t, []string{"in_progress "}, s.rulingsOfEurope(europe, there))
	require.Empty(t, s.rulingsOfEurope(home, here))
	require.Empty(t, s.rulingsOfEurope(europe, live))
	s.do("check smoke success on eu")
	require.Equal(t, []string{"completed success"}, s.rulingsOfEurope(europe, there))
}

// byHand opens a pull request by ann that changes eu.yaml, and returns its head.
func (s *site) byHand(repo, base string) string {
	s.t.Helper()
	n, err := s.github.OpenPull(repo, githubsim.PullSpec{
		Title: "By hand", Head: "by-hand-" + base, Base: base, Author: "ann",
		Files: map[string]*string{"eu.yaml": githubsim.Text("tag: mine\n")},
	})
	require.NoError(s.t, err)
	s.quiet()
	p, _ := s.github.Pull(repo, n)
	return p.HeadSHA
}

// rulingsOfEurope lists the guard checks of the stage eu on a commit.
func (s *site) rulingsOfEurope(repo, sha string) (all []string) {
	for _, run := range s.github.LatestCheckRuns(repo, sha) {
		if run.Name == "waybill / eu" {
			all = append(all, run.Status+" "+run.Conclusion)
		}
	}
	return all
}

// TestTwoPipelinesWriteToOneBranchAndLoseNothing has each pipeline write to one file of the other repository. When one
// merges, the other starts anew from the new head.
func TestTwoPipelinesWriteToOneBranchAndLoseNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoPlaces, "set: {eu.yaml", "merge: manual, set: {eu.yaml", 1))
	const second = "acme/deploy-2"
	require.NoError(t, s.github.CreateRepo(second, map[string]string{
		".github/waybill.yml": `version: 1
warehouses:
  web: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  web-eu: {from: web, files: {repo: acme/deploy-eu}, set: {eu.yaml: {web: "${web.number}"}}}
`, ".github/waybill.policy.yml": "version: 1\nautomatic: [web-eu]\n",
	}))
	_, err := s.github.PushFiles(europe, "main", "admin", "Both", map[string]*string{
		".github/waybill.yml": githubsim.Text("version: 1\nallow: [acme/deploy, acme/deploy-2]\n"),
		"eu.yaml":             githubsim.Text("tag: none\nweb: none\n"),
	})
	require.NoError(t, err)
	require.NoError(t, s.github.ReachRepo(second, true))
	s.quiet()
	s.do("merge #1 by ann", "check smoke success on dev")
	n, err := s.github.OpenPull(second, githubsim.PullSpec{
		Title: "Web", Head: "web", Author: "ann", Files: map[string]*string{"src/1": githubsim.Text("x\n")},
	})
	require.NoError(t, err)
	_, err = s.github.MergePull(second, n, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"Promote api#1 to eu: open", "Promote web#1 to web-eu: merged"},
		promotionPulls(s.github, europe))
	s.do("wait 1m", "merge p2 by bob")
	text, _ := s.github.File(europe, "main", "eu.yaml")
	require.Equal(t, "tag: \"1\"\nweb: \"1\"\n", text)
}
