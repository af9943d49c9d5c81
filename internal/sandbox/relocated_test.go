package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// mergedByHand is a pipeline whose second stage has people merge its pull requests.
const mergedByHand = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.number}"}}}
  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.number}"}}, merge: manual}
`

// known returns the repository of the only pipeline, and its promotions in the database: "p1 api#1 dev succeeded".
func (s *site) known() (repo promotion.Repo, all []string) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		rows, err := tx.Pipelines.All()
		require.NoError(s.t, err)
		require.Len(s.t, rows, 1)
		repo = rows[0].Repo
		some, err := tx.Promotions.Latest(store.StageKey{Pipeline: rows[0].ID}, 0, 100)
		for i := len(some) - 1; i >= 0; i-- {
			all = append(all, fmt.Sprintf("p%d %s %s %s", some[i].Number, some[i].Freight.Name, some[i].Stage, some[i].State))
		}
		return err
	}))
	return repo, all
}

// mergedIn has ann merge a pull request that makes freight in a repository.
func (s *site) mergedIn(repo string) int {
	s.t.Helper()
	require.NoError(s.t, s.meet("ann"))
	file := fmt.Sprintf("src/%d", len(s.github.Requests()))
	n, err := s.github.OpenPull(repo, githubsim.PullSpec{
		Title: "Change", Head: file, Author: "ann", Files: map[string]*string{file: githubsim.Text("x\n")},
	})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(repo, n, "ann", "squash")
	require.NoError(s.t, err)
	s.quiet()
	return n
}

// TestARepositoryThatIsRenamedTakesEverythingAlong: the open pull request is merged under the new name, history and
// holds stay, and new freight is promoted, with or without a webhook about the new name.
func TestARepositoryThatIsRenamedTakesEverythingAlong(t *testing.T) {
	t.Parallel()
	for name, hears := range map[string]bool{"told by a webhook": true, "found by a resync": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, mergedByHand)
			s.do("merge #1 by ann", "comment #1 by bob: /hold dev", "wait 1m")
			if !hears {
				s.do("lose webhooks")
			}
			const renamed = "acme/rollouts"
			require.NoError(t, s.github.RenameRepo(home, renamed))
			s.quiet()
			if !hears {
				s.github.LoseWebhooks(false)
				require.NoError(t, s.program.Resync(s.ctx))
				s.quiet()
			}
			repo, all := s.known()
			require.EqualValues(t, renamed, repo)
			require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod waiting-for-merge"}, all)
			require.Len(t, promotionPulls(s.github, renamed), 2)

			pulls := s.github.Pulls(renamed)
			for _, p := range pulls {
				if p.Title == "Promote api#1 to prod" {
					_, err := s.github.MergePull(renamed, p.Number, "ann", "squash")
					require.NoError(t, err)
				}
			}
			s.quiet()
			_, all = s.known()
			require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod succeeded"}, all)

			n := s.mergedIn(renamed)
			_, all = s.known()
			require.Equal(t, fmt.Sprintf("p3 api#%d dev queued", n), all[len(all)-1], "the hold stands")
			_, err := s.github.Comment(renamed, n, "bob", "/unhold dev")
			require.NoError(t, err)
			s.quiet()
			_, all = s.known()
			require.Contains(t, all, fmt.Sprintf("p3 api#%d dev succeeded", n))
			require.Len(t, promotionPulls(s.github, renamed), 4)
			s.do("wait 1m")
			for _, p := range s.github.Pulls(renamed) {
				ours := slices.DeleteFunc(s.github.Comments(renamed, p.Number),
					func(c githubsim.Comment) bool { return !isSticky(c) })
				require.LessOrEqual(t, len(ours), 1, p.Title)
			}
		})
	}
}

// TestWhatIsToldOfARepositoryUnderTheNameFromBeforeIsLearned though GitHub knows nothing of that name any more.
func TestWhatIsToldOfARepositoryUnderTheNameFromBeforeIsLearned(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("lose webhooks", "merge #1 by ann")
	s.pushConfig(strings.Replace(mergedByHand, "merge: manual", "merge: auto", 1))
	s.github.LoseWebhooks(false)
	require.NoError(t, s.github.RenameRepo(home, "acme/rollouts"))
	s.quiet()
	s.github.DeliverLost()
	s.quiet()
	s.do("wait 3h")
	require.NoError(t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		parked, err := tx.Inbox.DeliveriesBefore(store.DeliveryParked, 0, 10)
		require.Empty(t, parked)
		return err
	}))
	_, all := s.known()
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod succeeded"}, all)
}

// TestAResyncOfAHomeThatIsNotFoundLooksForItsNewName: it need not wait until pipelines are looked for anyway.
func TestAResyncOfAHomeThatIsNotFoundLooksForItsNewName(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("merge #1 by ann", "lose webhooks")
	const renamed = "acme/rollouts"
	require.NoError(t, s.github.RenameRepo(home, renamed))
	s.quiet()
	s.github.LoseWebhooks(false)
	s.do("wait 3m")
	repo, _ := s.known()
	require.EqualValues(t, home, repo)
	s.view(func(_ *store.Tx, id int64) error {
		require.Error(t, s.program.ResyncPipeline(s.ctx, id))
		return nil
	})
	s.do("wait 3m")
	repo, _ = s.known()
	require.EqualValues(t, renamed, repo)
	n := s.mergedIn(renamed)
	_, all := s.known()
	require.Contains(t, all, fmt.Sprintf("p3 api#%d dev succeeded", n))
}

// TestAnOwnerThatIsRenamedTakesEverythingAlong: GitHub tells of the organization, and not of its repositories. The
// first delivery with the new name is understood, also where nobody has told of that.
func TestAnOwnerThatIsRenamedTakesEverythingAlong(t *testing.T) {
	t.Parallel()
	for name, hears := range map[string]bool{"told by a webhook": true, "seen in a comment": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, mergedByHand)
			s.do("merge #1 by ann", "grant bob write")
			s.github.LoseWebhooks(!hears)
			require.NoError(t, s.github.RenameOrg("acme", "acme-corp"))
			s.quiet()
			s.github.LoseWebhooks(false)
			const renamed = "acme-corp/deploy"
			repo, _ := s.known()
			require.Equal(t, hears, repo == renamed)
			_, err := s.github.Comment(renamed, 1, "bob", "/hold dev")
			require.NoError(t, err)
			s.quiet()
			repo, _ = s.known()
			require.EqualValues(t, renamed, repo)
			n := s.mergedIn(renamed)
			_, all := s.known()
			require.Equal(t, fmt.Sprintf("p3 api#%d dev queued", n), all[len(all)-1], "it is held")
		})
	}
}

// TestARepositoryThatIsTransferredGoesOnUnderItsNewOwner once the App is installed there; until then it waits.
func TestARepositoryThatIsTransferredGoesOnUnderItsNewOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("merge #1 by ann")
	const transferred = "other/deploy"
	require.NoError(t, s.github.CreateOrg("other"))
	require.NoError(t, s.github.RenameRepo(home, transferred))
	s.quiet()
	s.do("wait 1h")
	_, all := s.known()
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod waiting-for-merge"}, all)

	_, err := s.github.InstallApp("other", transferred)
	require.NoError(t, err)
	s.quiet()
	repo, _ := s.known()
	require.EqualValues(t, transferred, repo)
	n := s.mergedIn(transferred)
	s.do(retry)
	_, all = s.known()
	require.Contains(t, all, fmt.Sprintf("p3 api#%d dev succeeded", n))
}

// TestAnArchivedRepositoryIsWaitedForAndGoesOnWhenItIsNot: the promotion does not fail meanwhile.
func TestAnArchivedRepositoryIsWaitedForAndGoesOnWhenItIsNot(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann")
	require.NoError(t, s.github.ArchiveRepo(europe, true))
	s.quiet()
	s.do("check smoke success on dev", "wait 2h")
	require.Contains(t, []string{"p2 api#1 eu queued", "p2 api#1 eu running"}, s.states("eu")[0])
	require.NoError(t, s.github.ArchiveRepo(europe, false))
	s.quiet()
	s.do(retry)
	require.Equal(t, []string{"p2 api#1 eu verifying"}, s.states("eu"))
}

// TestAnAppThatIsUninstalledAndInstalledAgainGoesOnWhereItWasF34: holds and history stay, and Waybill finds the pull
// request that was merged meanwhile.
func TestAnAppThatIsUninstalledAndInstalledAgainGoesOnWhereItWasF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("merge #1 by ann", "comment #1 by bob: /hold prod")
	require.NoError(t, s.github.UninstallApp("acme"))
	s.quiet()
	n := s.mergedIn(home)
	s.do("wait 3h")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod waiting-for-merge"}, s.states("dev", "prod"))
	_, err := s.github.InstallApp("acme", home)
	require.NoError(t, err)
	s.quiet()
	s.do(retry)
	require.Equal(t, []string{"p1 api#1 dev succeeded", fmt.Sprintf("p3 api#%d dev succeeded", n)}, s.states("dev"))
	require.Equal(t, 1, s.holds())
	require.Len(t, s.ours(), 3)
}

// TestARepositoryThatIsTakenFromTheInstallationAndGivenBackGoesOnF34 checks the same for one repository.
func TestARepositoryThatIsTakenFromTheInstallationAndGivenBackGoesOnF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("merge #1 by ann")
	require.NoError(t, s.github.ReachRepo(home, false))
	s.quiet()
	n := s.mergedIn(home)
	s.do("wait 3h")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod waiting-for-merge"}, s.states("dev", "prod"))
	require.NoError(t, s.github.ReachRepo(home, true))
	s.quiet()
	s.do(retry)
	require.Equal(t, []string{"p1 api#1 dev succeeded", fmt.Sprintf("p3 api#%d dev succeeded", n)}, s.states("dev"))
	require.Equal(t, []string{
		"Promote api#1 to dev: merged", "Promote api#1 to prod: closed", fmt.Sprintf("Promote api#%d to dev: merged", n),
		fmt.Sprintf("Promote api#%d to prod: open", n),
	}, s.ours(), "newer freight has taken the place of what nobody had merged")
}

// TestAnotherRepositoryThatIsRenamedIsNotFollowedT22: the pipeline file has the old name, which another repository may
// get later. Waybill writes nothing until the file has the new name.
func TestAnotherRepositoryThatIsRenamedIsNotFollowedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoPlaces)
	s.do("merge #1 by ann")
	require.NoError(t, s.github.RenameRepo(europe, "acme/eu"))
	s.quiet()
	s.do("check smoke success on dev", "wait 1h")
	require.Equal(t, []string{"p2 api#1 eu queued"}, s.states("eu"))
	require.Empty(t, promotionPulls(s.github, "acme/eu"))
	sha := s.pushConfig(twoPlaces + "# the same\n")
	require.Contains(t, s.configCheck(sha).Summary, "stage eu: the App cannot reach acme/deploy-eu; install it there, "+
		"too (the repository is called acme/eu by now: name it so)")
	s.pushConfig(strings.ReplaceAll(twoPlaces, europe, "acme/eu"))
	s.do("wait 5m") // what waits goes to the new name with the next try
	require.Equal(t, []string{"Promote api#1 to eu: merged"}, promotionPulls(s.github, "acme/eu"))
}
