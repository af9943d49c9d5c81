package sandbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// TestTheRunningProgramForgetsWhatIsOldAndGoesOnT40 lets a month go by after a promotion, and the next one happen as if
// nothing had been forgotten.
func TestTheRunningProgramForgetsWhatIsOldAndGoesOnT40(t *testing.T) {
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	month := s.Now().Add(30 * 24 * time.Hour)
	old := func() (n int) {
		var page api.Deliveries
		s.get(token, "/api/v1/deliveries?state=handled", &page)
		for _, d := range page.Deliveries {
			if d.Received.Before(month) {
				n++
			}
		}
		return n
	}
	require.NotZero(t, old())
	s.clock.set(month)
	s.program.Poke()
	s.quiet()
	for old() > 0 { // it goes on a few times a second by our clock, which has to be moved
		require.True(t, s.Now().Before(month.Add(10*time.Hour)), "nothing is forgotten")
		s.clock.set(s.Now().Add(time.Minute))
		s.quiet()
		time.Sleep(10 * time.Millisecond)
	}

	s.do("merge #2 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
	s.view(func(tx *store.Tx, _ int64) error {
		lines, err := tx.Audit.CheckTrail()
		require.NotZero(t, lines, "the trail is kept for ever")
		return err
	})
	require.Equal(t, promotion.Succeeded, s.promoted(1).State, "and so are promotions")
}
