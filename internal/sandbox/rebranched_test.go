package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// unnamed is a pipeline of one stage whose warehouse and files are on the default branch, whatever that is called.
const unnamed = `version: 1
warehouses:
  api: {pull-requests: {paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.number}"}}, verify: [smoke]}
`

// trunk is the new name of the default branch.
const trunk = "trunk"

// bringing is a request that brings freight to dev, with a pipeline that makes it.
type bringing struct {
	route    githubsim.Route
	pipeline string
}

var bringings = map[string]bringing{
	"open":   {routes[promotion.Open], unnamed},
	"merge":  {routes[promotion.Merge], unnamed},
	"commit": {moveBranch, strings.Replace(unnamed, "verify:", "commit: direct, verify:", 1)},
}

// renameBranch has an administrator rename the default branch.
func (s *site) renameBranch() { require.NoError(s.t, s.github.RenameBranch(home, "main", trunk)) }

// onTrunk requires that #1 is verified in dev by a check of the newest commit on the default branch, and has been
// brought there once, under the new name of the branch.
func (s *site) onTrunk() {
	s.t.Helper()
	s.do(retry)
	require.Equal(s.t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
	require.Equal(s.t, "1", s.says(home, trunk, "dev.yaml"))
	require.Equal(s.t, trunk, s.pipelineRow().Branch)
	_, err := s.github.PushFiles(home, trunk, "ann", "Beside", map[string]*string{"README.md": githubsim.Text("x\n")})
	require.NoError(s.t, err)
	s.quiet()
	_, err = s.github.CreateCheckRun(home, githubsim.CheckSpec{
		Name: "smoke", SHA: s.github.Head(home, trunk), Suite: "ci", Branch: trunk, Conclusion: "success",
	})
	require.NoError(s.t, err)
	s.quiet()
	require.Equal(s.t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	brought := 0
	for _, c := range s.github.Commits(home, trunk) {
		if strings.HasPrefix(c.Message, "Promote api#1 to dev") {
			brought++
		}
	}
	require.Equal(s.t, 1, brought)
	require.Empty(s.t, s.alerts())
}

// TestTheDefaultBranchIsRenamedInTheMiddleOfAnEffectF2 renames it before GitHub carries out each request of a
// promotion, and after that when the answer is lost, with the webhooks of that and without.
func TestTheDefaultBranchIsRenamedInTheMiddleOfAnEffectF2(t *testing.T) {
	t.Parallel()
	for name, b := range bringings {
		for when, fault := range map[string]githubsim.Fault{
			"before": {}, "before a failure": {Status: http.StatusBadGateway}, "and the answer is lost": {LoseReply: true},
		} {
			for heard, lose := range map[string]bool{"": false, " and nothing is heard of it": true} {
				t.Run(name+" "+when+heard, func(t *testing.T) {
					t.Parallel()
					s := newSite(t, b.pipeline)
					rename := func() {
						s.github.LoseWebhooks(lose)
						s.renameBranch()
						s.github.LoseWebhooks(false)
					}
					if fault.LoseReply {
						fault.After = rename
					} else {
						fault.Before = rename
					}
					s.github.Faults().FailNext(b.route, fault)
					s.do("merge #1 by ann")
					if lose {
						s.do(retry, "resync")
					}
					require.Zero(t, s.github.Faults().Pending())
					s.onTrunk()
				})
			}
		}
	}
}

// TestTheDefaultBranchIsRenamedWhilePromotionsWait for a sign-off, or for a person to merge.
func TestTheDefaultBranchIsRenamedWhilePromotionsWait(t *testing.T) {
	t.Parallel()
	for waits, goesOn := range map[string]string{
		"approvals: 1": "comment #1 by bob: /approve dev", "merge: manual": "merge p1 by bob",
	} {
		t.Run(waits, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, strings.Replace(unnamed, "verify:", waits+", verify:", 1))
			s.do("merge #1 by ann", "wait 1m")
			s.renameBranch()
			s.quiet()
			s.do("wait 1m", goesOn)
			s.onTrunk()
		})
	}
}

// TestWhatWasMergedBeforeTheDefaultBranchWasRenamedIsHeardOfLater: the pull request keeps the old name then.
func TestWhatWasMergedBeforeTheDefaultBranchWasRenamedIsHeardOfLater(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(unnamed, "verify:", "merge: manual, verify:", 1))
	s.do("merge #1 by ann", "wait 1m", "lose webhooks", "merge p1 by bob")
	s.github.LoseWebhooks(false)
	s.renameBranch()
	s.quiet()
	s.do("resync")
	require.Equal(t, "main", s.pull(1).BaseBranch)
	s.onTrunk()
}

// TestANewNameOfTheDefaultBranchIsFoundByTheFirstPlanThere when no webhook has told of it.
func TestANewNameOfTheDefaultBranchIsFoundByTheFirstPlanThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, unnamed)
	s.do("lose webhooks")
	s.renameBranch()
	s.github.LoseWebhooks(false)
	s.mergedIn(home)
	require.Len(t, s.states("dev"), 1)
	require.Contains(t, s.states("dev")[0], "dev verifying")
	require.Equal(t, trunk, s.pipelineRow().Branch)
}

// TestTheDefaultBranchIsRenamedWhileThePipelineFileHasAMistake: the last good file counts on the new branch.
func TestTheDefaultBranchIsRenamedWhileThePipelineFileHasAMistake(t *testing.T) {
	t.Parallel()
	s := newSite(t, unnamed)
	require.NoError(t, s.meet("bob"))
	s.pushConfig(strings.Replace(unnamed, "verify:", "verfy:", 1))
	s.renameBranch()
	s.quiet()
	require.NotEmpty(t, s.pipelineRow().ConfigError)
	s.do("wait 1m")
	s.mergedIn(home)
	require.Len(t, s.states("dev"), 1)
	require.Contains(t, s.states("dev")[0], "dev verifying")
	_, err := s.github.PushFiles(home, trunk, "bob", "Configure",
		map[string]*string{config.PipelinePath: githubsim.Text(unnamed)})
	require.NoError(t, err)
	s.quiet()
	require.Empty(t, s.pipelineRow().ConfigError)
}

// TestANewNameOfTheDefaultBranchIsNoPush: GitHub tells of a push that makes the new branch, and not what it changes.
// Only what was pushed before, and nobody has told of, is freight.
func TestANewNameOfTheDefaultBranchIsNoPush(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"all was told": false, "a push was not told": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, strings.NewReplacer("pull-requests: {", "pushes: {", ".number}", ".short}").Replace(unnamed))
			push := func(branch, path string) string {
				sha, err := s.github.PushFiles(home, branch, "admin", path, map[string]*string{path: githubsim.Text("x\n")})
				require.NoError(t, err)
				return sha
			}
			var expected []string
			if lost {
				s.do("lose webhooks")
				expected = append(expected, push("main", "src/a"))
				s.github.LoseWebhooks(false)
			}
			push("main", "beside")
			s.quiet()
			s.do("lose webhooks")
			s.renameBranch()
			s.github.LoseWebhooks(false)
			s.do("wait 1m", "resync")
			s.github.DeliverLost()
			s.quiet()
			s.do("wait 1m", "resync")
			expected = append(expected, push(trunk, "src/b"))
			s.quiet()
			s.do("wait 1m")
			var freight []string
			s.view(func(tx *store.Tx, id int64) error {
				all, err := tx.Freight.Before(id, "api", store.FreightPlace{}, 10)
				for i := len(all) - 1; i >= 0; i-- {
					freight = append(freight, string(all[i].SHA))
				}
				return err
			})
			require.Equal(t, expected, freight)
		})
	}
}

// TestAnotherBranchBecomesTheDefaultBranch: what was begun on the old one is cancelled, as when a pipeline file moves
// the files of a stage, and goes to the new one when it is promoted again.
func TestAnotherBranchBecomesTheDefaultBranch(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(unnamed, "verify:", "merge: manual, verify:", 1))
	s.do("merge #1 by ann", "wait 1m")
	require.NoError(t, s.github.CreateBranch(home, trunk, "admin", "main"))
	require.NoError(t, s.github.SetDefaultBranch(home, trunk))
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: closed"}, s.ours())
	s.do("comment #1 by ann: /promote dev")
	require.Equal(t, trunk, s.pull(2).BaseBranch)
}

// TestFreightThatWasMergedBeforeTheDefaultBranchWasRenamedIsFound though nobody hears of the merge before the branch
// has its new name: the pull request keeps the old name, by which nothing is looked for later.
func TestFreightThatWasMergedBeforeTheDefaultBranchWasRenamedIsFound(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{"the merge is told of late": true, "nobody tells of the merge": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, unnamed)
			s.do("lose webhooks", "merge #1 by ann")
			s.github.LoseWebhooks(false)
			s.renameBranch()
			s.quiet()
			if told {
				s.github.DeliverLost()
				s.quiet()
			}
			s.onTrunk()
		})
	}
}
