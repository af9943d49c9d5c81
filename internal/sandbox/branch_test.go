package sandbox

import (
	"strings"
	"testing"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// environments is a pipeline whose stages are branches of the home repository.
const environments = `version: 1
warehouses:
  app: {pull-requests: {}}
stages:
  staging: {from: app, branch: env/staging, verify: [smoke]}
  prod: {from: app, after: staging, branch: env/prod, verify: [smoke]}
`

// tree returns the Git tree of a branch.
func (s *site) tree(branch string) string {
	s.t.Helper()
	c, found := s.github.Commit(home, s.github.Head(home, branch))
	require.True(s.t, found, branch)
	return c.Tree
}

// TestABranchBecomesWhatTheFreightIs checks that the branch has the freight's tree, links and executables included, and
// follows from the freight's commit.
func TestABranchBecomesWhatTheFreightIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, environments)
	require.NoError(t, s.meet("bob"))
	for path, mode := range map[string]string{"run.sh": "100755", "link": "120000"} {
		_, err := s.github.PushEntry(home, "main", "bob", path, mode, "src/1")
		require.NoError(t, err)
	}
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 app#1 staging verifying"}, s.states("staging"))
	require.Equal(t, s.tree("main"), s.tree("env/staging"))
	require.NotEqual(t, s.tree("main"), s.tree("env/prod"))
	require.Equal(t, "env/staging", s.pull(1).BaseBranch)
	require.Equal(t, s.promoted(1).MergeSHA, promotion.SHA(s.github.Head(home, "env/staging")))
	freight, _ := s.github.Pull(home, 1)
	var shas []string
	for _, c := range s.github.Commits(home, "env/staging") {
		shas = append(shas, c.SHA)
	}
	require.Contains(t, shas, freight.MergeSHA, "the branch follows from the freight's commit")

	s.do("check smoke success on staging", "check smoke success on prod")
	require.Equal(t, []string{"p1 app#1 staging succeeded", "p2 app#1 prod succeeded"}, s.states("staging", "prod"))
	require.Equal(t, s.tree("main"), s.tree("env/prod"))
}

// TestABranchGoesBackToWhatItWas checks that a rollback restores the tree of older freight and rewrites no history.
func TestABranchGoesBackToWhatItWas(t *testing.T) {
	t.Parallel()
	s := newSite(t, environments)
	s.do("merge #1 by ann", "check smoke success on staging")
	first, before := s.tree("env/staging"), s.github.Head(home, "env/staging")
	s.do("merge #2 by ann", "check smoke success on staging")
	require.NotEqual(t, first, s.tree("env/staging"))
	s.do("comment #2 by ann: /rollback staging")
	require.Equal(t, first, s.tree("env/staging"))
	var shas []string
	for _, c := range s.github.Commits(home, "env/staging") {
		shas = append(shas, c.SHA)
	}
	require.Contains(t, shas, before)
	s.do("check smoke success on staging", "comment #2 by ann: /unhold staging", "merge #3 by ann")
	require.Equal(t, s.tree("main"), s.tree("env/staging"), "and forward again")
}

// TestWhatPeoplePushToAnEnvironmentIsDriftAndGoesWithTheNextPromotion checks the report of the drift and its repair.
func TestWhatPeoplePushToAnEnvironmentIsDriftAndGoesWithTheNextPromotion(t *testing.T) {
	t.Parallel()
	s := newSite(t, environments)
	s.do("merge #1 by ann", "check smoke success on staging", "wait 10m")
	_, err := s.github.PushFiles(home, "env/staging", "ann", "Hotfix", map[string]*string{"hotfix": githubsim.Text("x\n")})
	require.NoError(t, err)
	s.quiet()
	s.view(func(tx *store.Tx, pipeline int64) error {
		hosted, err := tx.Deployments.Hosted(pipeline)
		for _, deployment := range hosted {
			if deployment.Stage == "staging" {
				require.Equal(t, "the branch is not what promotion 1 copied; pushed by ann", drift.Reason(&deployment).Detail)
			}
		}
		return err
	})
	s.do("merge #2 by ann")
	require.Equal(t, s.tree("main"), s.tree("env/staging"))
}

// TestWhatIsPushedWhileThePullRequestIsOpenIsNotLostF16 checks that a push without a conflict stays and is drift after
// the merge, and that Waybill makes the commit anew after a push with a conflict.
func TestWhatIsPushedWhileThePullRequestIsOpenIsNotLostF16(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(environments, "branch: env/staging,", "branch: env/staging, merge: manual,", 1))
	s.do("merge #1 by ann")
	_, err := s.github.PushFiles(home, "env/staging", "ann", "Hotfix", map[string]*string{"hotfix": githubsim.Text("x\n")})
	require.NoError(t, err)
	s.quiet()
	s.do("merge p1 by bob")
	text, _ := s.github.File(home, "env/staging", "hotfix")
	require.Equal(t, "x\n", text)
	s.do("wait 10m", "resync")
	s.view(func(tx *store.Tx, pipeline int64) error {
		hosted, err := tx.Deployments.Hosted(pipeline)
		require.Len(t, hosted, 1)
		require.Contains(t, drift.Reason(&hosted[0]).Detail, "the branch is not what promotion 1 copied")
		return err
	})
}

// TestWhatIsThereAlreadyOpensNoPullRequest promotes freight whose tree the branch already has.
func TestWhatIsThereAlreadyOpensNoPullRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, environments)
	s.do("merge #1 by ann", "check smoke success on staging")
	s.do("comment #1 by ann: /plan staging")
	require.Contains(t, s.told(1)[len(s.told(1))-1].Body, "Nothing would change")
	require.Len(t, s.ours(), 2)
}

// TestABranchIsMovedWithoutAPullRequestWhereTheStageWantsNone checks that the branch gets the freight's tree.
func TestABranchIsMovedWithoutAPullRequestWhereTheStageWantsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(environments, "branch: env/staging,", "branch: env/staging, commit: direct,", 1))
	s.do("merge #1 by ann", "check smoke success on staging")
	require.Equal(t, s.tree("main"), s.tree("env/staging"))
	require.Equal(t, []string{"Promote app#1 to prod: merged"}, s.ours())
}
