package sandbox

import (
	"testing"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// spread is a stage whose targets have their files in two repositories, and on two branches of one. Three of them have
// the same path.
const spread = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets:
      - {name: home, path: a}
      - {name: eu, path: a, files: {repo: acme/deploy-eu}}
      - {name: live, path: a, files: {repo: acme/deploy-eu, branch: live}}
      - {name: also, path: b}
    set: {"${target.path}.yaml": {tag: "${api.number}"}}
    rollout: [{name: all, at-once: 100%}]
    verify: ["e2e-${target.name}"]
`

// spreadOut returns the value in the file of each target.
func (s *site) spreadOut() (all []string) {
	for _, at := range []struct{ target, repo, branch, path string }{
		{"home", home, "main", "a.yaml"}, {"eu", europe, "main", "a.yaml"}, {"live", europe, "live", "a.yaml"},
		{"also", home, "main", "b.yaml"},
	} {
		all = append(all, at.target+" "+s.says(at.repo, at.branch, at.path))
	}
	return all
}

// TestAPromotionGoesToSeveralRepositories makes one pull request for each repository and branch, in sequence. Signals
// in each repository verify its targets.
func TestAPromotionGoesToSeveralRepositories(t *testing.T) { // semantics 5.3
	t.Parallel()
	s := newSite(t, spread)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"Promote api#1 to prod (all: home, also): merged"}, s.ours())
	require.Empty(t, promotionPulls(s.github, europe))
	s.do("check e2e-home success on prod/home", "check e2e-eu failure on prod/home", "check e2e-also success on prod/also",
		"wait 1m")
	require.Equal(t, []string{"Promote api#1 to prod (all: eu): merged"}, promotionPulls(s.github, europe))
	require.Equal(t, "Merged, verifying (2/4 verified, 1 updating, 1 to come): waiting for e2e-eu", s.run(1, "prod").Title)
	s.do("check e2e-eu success on prod/eu")
	require.Equal(t, "live merged", s.pull(1).BaseBranch+" "+s.pull(1).State)
	s.do("check e2e-live success on prod/live")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))
	require.Equal(t, []string{"home 1", "eu 1", "live 1", "also 1"}, s.spreadOut())
	require.Len(t, promotionPulls(s.github, europe), 2)
	require.Empty(t, s.drift("prod"))
}

// TestAPromotionToSeveralRepositoriesSurvivesRestartsAndLostWebhooksR1 restarts at every step.
func TestAPromotionToSeveralRepositoriesSurvivesRestartsAndLostWebhooksR1(t *testing.T) {
	t.Parallel()
	s := newSite(t, spread)
	s.do("lose webhooks", "merge #1 by ann")
	for _, target := range []string{"home", "also", "eu", "live"} {
		s.do("resync", "restart", "check e2e-"+target+" success on prod/"+target)
	}
	s.do("resync")
	require.Equal(t, []string{"p1 api#1 prod succeeded"}, s.states("prod"))
	require.Equal(t, []string{"home 1", "eu 1", "live 1", "also 1"}, s.spreadOut())
}

// TestWhatPeoplePushToOneOfSeveralRepositoriesIsDriftThere, though the file has the same name everywhere. A rollback
// changes all of them.
func TestWhatPeoplePushToOneOfSeveralRepositoriesIsDriftThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, spread)
	for _, n := range []string{"1", "2"} {
		s.do("merge #" + n + " by ann")
		for _, target := range []string{"home", "also", "eu", "live"} {
			s.do("check e2e-" + target + " success on prod/" + target)
		}
	}
	s.do("wait 10m")
	require.Equal(t, []string{"home 2", "eu 2", "live 2", "also 2"}, s.spreadOut())
	_, err := s.github.PushFiles(europe, "live", "ann", "By hand",
		map[string]*string{"a.yaml": githubsim.Text("tag: mine\n")})
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.drift("prod"), "pushed by ann")
	require.Contains(t, s.drift("prod"), `tag says "mine"`)

	s.do("comment #2 by ann: /rollback prod api#1")
	for _, target := range []string{"live", "home", "also", "eu"} { // what has drifted goes first
		s.do("check e2e-" + target + " success on prod/" + target)
	}
	require.Equal(t, []string{"home 1", "eu 1", "live 1", "also 1"}, s.spreadOut())
	require.Empty(t, s.drift("prod"))
}

// TestARepositoryOfATargetMustAllowIt withdraws the permission. No pull request is opened there (semantics 7.8).
func TestARepositoryOfATargetMustAllowIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, spread)
	_, err := s.github.PushFiles(europe, "main", "admin", "No more",
		map[string]*string{".github/waybill.yml": githubsim.Text("version: 1\n")})
	require.NoError(t, err)
	s.do("merge #1 by ann", "check e2e-home success on prod/home", "check e2e-also success on prod/also", "wait 1m")
	require.Empty(t, promotionPulls(s.github, europe))
	require.Contains(t, s.run(1, "prod").Title, "acme/deploy-eu does not allow it")
}

// drift describes how the files of a stage differ from the promoted ones; it is empty if they do not.
func (s *site) drift(stage promotion.StageName) (detail string) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		hosted, err := tx.Deployments.Hosted(pipeline)
		for _, deployment := range hosted {
			if deployment.Stage == stage {
				detail = drift.Reason(&deployment).Detail
			}
		}
		return err
	})
	return detail
}
