package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// alerts lists the alerts in the audit trail.
func (s *site) alerts() (texts []string) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		events, err := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range events {
			if e.Kind == store.EventAlert {
				texts = append(texts, e.Text)
			}
		}
		return err
	})
	return texts
}

// onItsWay returns a site with freight that is verified in dev, which adds a label, and verifying in prod.
func onItsWay(t *testing.T) *site {
	s := newSite(t, deploying)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1m")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"))
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(1))
	return s
}

func TestACommentThatSomebodyDeletesComesBackWhileThePromotionLasts(t *testing.T) { // semantics 5.9
	t.Parallel()
	s := onItsWay(t)
	was := s.sticky(1)
	require.NoError(t, s.github.DeleteComment(home, was.ID, "ann"))
	s.quiet()
	require.Equal(t, was.Body, s.sticky(1).Body)
	require.NotEqual(t, was.ID, s.sticky(1).ID)
	s.do("lose webhooks")
	require.NoError(t, s.github.DeleteComment(home, s.sticky(1).ID, "ann"))
	s.do("resync")
	require.Equal(t, was.Body, s.sticky(1).Body, "nobody told of it, and a resync has found out")
	s.do("deliver webhooks", "check e2e success on prod", "wait 1m")
	require.NoError(t, s.github.DeleteComment(home, s.sticky(1).ID, "ann"))
	s.do("resync", "wait 1m")
	require.Zero(t, s.sticky(1), "it is over, and there is nothing new to say")
	require.Empty(t, s.alerts())
}

func TestALabelThatSomebodyTakesOffComesBackWhileThePromotionLasts(t *testing.T) { // semantics 5.9
	t.Parallel()
	s := onItsWay(t)
	require.NoError(t, s.github.AddLabel(home, 1, "ann", "mine"))
	require.NoError(t, s.github.RemoveLabel(home, 1, "ann", "mine"))
	require.NoError(t, s.github.RemoveLabel(home, 1, "ann", "stage/dev:ok"))
	s.quiet()
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(1), "those of other people are theirs")
	s.do("lose webhooks")
	require.NoError(t, s.github.RemoveLabel(home, 1, "ann", "stage/dev:ok"))
	s.do("resync")
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(1))
}

func TestWhatIsRemovedAgainAndAgainIsLeftAndToldOnce(t *testing.T) { // semantics 5.9
	t.Parallel()
	s := onItsWay(t)
	for range 6 {
		if len(s.labels(1)) > 0 {
			require.NoError(t, s.github.RemoveLabel(home, 1, "ann", "stage/dev:ok"))
		}
		s.do("resync", "wait 1m")
	}
	require.Empty(t, s.labels(1))
	require.Equal(t, []string{
		"somebody removes labels:acme/deploy#1 again and again; it is made again when there is something new to show",
	}, s.alerts())
	s.do("check e2e success on prod", "wait 1m")
	require.Equal(t, []string{"stage/prod:ok"}, s.labels(1),
		"what is new is shown; what was there is known to be unwanted")
}

func TestACheckRunAndADeploymentThatAreGoneComeBackAtTheNextResync(t *testing.T) { // semantics 5.9
	t.Parallel()
	s := onItsWay(t)
	run := s.run(1, "prod")
	require.NoError(t, s.github.DeleteCheckRun(home, run.ID))
	require.NoError(t, s.github.DeleteDeployment(home, s.github.Deployments(home)[1].ID))
	require.Len(t, s.deployments(), 1)
	s.do("resync")
	require.Equal(t, run.Title, s.run(1, "prod").Title)
	require.NotEqual(t, run.ID, s.run(1, "prod").ID)
	require.Equal(t, []string{"dev api#1 in dev: in_progress success", "production api#1 in prod: in_progress"},
		s.deployments())
}
