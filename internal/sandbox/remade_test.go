package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// homes returns the ids of the pipelines by their repositories.
func (s *site) homes() map[promotion.Repo]int64 {
	s.t.Helper()
	all := map[promotion.Repo]int64{}
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		rows, err := tx.Pipelines.All()
		for _, row := range rows {
			all[row.Repo] = row.ID
		}
		return err
	}))
	return all
}

// remade has the home repository made anew, with the same files, once another has left its name. If nobody hears of
// it, a resync finds it.
func (s *site) remade(hears bool, leave func() error) {
	s.t.Helper()
	s.github.LoseWebhooks(!hears)
	require.NoError(s.t, leave())
	s.quiet()
	require.NoError(s.t, s.github.CreateRepo(home, map[string]string{
		".github/waybill.yml": mergedByHand, ".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
		"dev.yaml": "tag: none\n", "prod.yaml": "tag: none\n",
	}))
	require.NoError(s.t, s.github.ReachRepo(home, true))
	s.quiet()
	require.NoError(s.t, s.restart(s.ctx)) // the tokens for the old one end
	s.quiet()
	s.github.LoseWebhooks(false)
	s.github.ForgetLost()
	if !hears {
		require.NoError(s.t, s.program.Resync(s.ctx))
	} else {
		_, err := s.github.PushFiles(home, "main", "admin", "Touch", map[string]*string{
			".github/waybill.yml": githubsim.Text(mergedByHand + "# anew\n"),
		})
		require.NoError(s.t, err)
	}
	s.quiet()
}

// promotionsOf lists the promotions of a pipeline by their states.
func (s *site) promotionsOf(id int64) (states []promotion.State) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		all, err := tx.Promotions.Latest(store.StageKey{Pipeline: id}, 0, 100)
		for _, p := range all {
			states = append(states, p.State)
		}
		return err
	}))
	return states
}

// TestAHomeThatIsDeletedAndMadeAnewBeginsAnew: the pipeline of the old repository has no name and no work any more, and
// that of the new one has no past.
func TestAHomeThatIsDeletedAndMadeAnewBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, hears := range map[string]bool{"told by webhooks": true, "found by a resync": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, mergedByHand)
			s.do("merge #1 by ann")
			old := s.homes()[promotion.Repo(home)]
			require.Len(t, s.promotionsOf(old), 2)
			s.remade(hears, func() error { return s.github.DeleteRepo(home) })

			now := s.homes()
			require.Len(t, now, 2)
			made := now[promotion.Repo(home)]
			require.NotEqual(t, old, made)
			require.Equal(t, old, now[promotion.Repo(home).Left(old)])
			for _, state := range s.promotionsOf(old) {
				require.True(t, state.Ended(), "nothing of the old one is still open: %s", state)
			}
			require.Empty(t, s.promotionsOf(made))
			s.mergedIn(home)
			require.Equal(t, []promotion.State{promotion.WaitingForMerge, promotion.Succeeded}, s.promotionsOf(made))
			require.NoError(t, s.program.Resync(s.ctx), "the old one is not looked for any more")
			require.Empty(t, s.deliveries(store.DeliveryParked))
		})
	}
}

// TestAHomeThatLeftItsNameToAnotherGoesOn under its new name, of which no webhook has told, and the other one has a
// pipeline of its own.
func TestAHomeThatLeftItsNameToAnotherGoesOn(t *testing.T) {
	t.Parallel()
	for name, hears := range map[string]bool{"told by the push of the other": true, "found by a resync": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, mergedByHand)
			s.do("merge #1 by ann")
			old := s.homes()[promotion.Repo(home)]
			before := s.promotionsOf(old)
			const renamed = "acme/rollouts"
			s.remade(hears, func() error {
				s.github.LoseWebhooks(true)
				err := s.github.RenameRepo(home, renamed)
				s.quiet()
				s.github.LoseWebhooks(!hears)
				s.github.ForgetLost()
				return err
			})
			now := s.homes()
			require.Len(t, now, 2)
			require.Equal(t, old, now[renamed])
			require.Equal(t, before, s.promotionsOf(old), "its open work stays")
			s.mergedIn(renamed)
			require.Greater(t, len(s.promotionsOf(old)), len(before))
			require.Empty(t, s.promotionsOf(now[promotion.Repo(home)]))
			s.mergedIn(home)
			require.NotEmpty(t, s.promotionsOf(now[promotion.Repo(home)]))
		})
	}
}

// TestAResyncOfAHomeIsOfTheRepositoryThatItIs has another repository, which has no pipeline, take the name.
func TestAResyncOfAHomeIsOfTheRepositoryThatItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, mergedByHand)
	s.do("merge #1 by ann")
	old := s.homes()[promotion.Repo(home)]
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.DeleteRepo(home))
	require.NoError(t, s.github.CreateRepo(home, map[string]string{"README.md": "x\n"}))
	require.NoError(t, s.github.ReachRepo(home, true))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	require.NoError(t, s.program.Resync(s.ctx))
	require.Equal(t, map[promotion.Repo]int64{promotion.Repo(home).Left(old): old}, s.homes())
	require.NoError(t, s.program.Resync(s.ctx))
}
