package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/store"
)

// TestTheRunningProgramForgetsWhatIsOldAndGoesOnT40 lets a month pass after a promotion, until the program has deleted
// old deliveries. The next promotion succeeds, and the audit trail remains.
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
	s.program.WakeAll()
	s.quiet()
	for old() > 0 { // pruning runs by the site's clock, which the test has to move
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

// deployingOne is a pipeline of one stage with an environment.
var deployingOne = strings.Replace(oneStage, "verify: [smoke]", "verify: [smoke], environment: dev", 1)

// TestWhatShowsOldPromotionsIsForgottenAndNotMadeAgain makes more promotions than a decision reads, prunes, and goes
// on.
func TestWhatShowsOldPromotionsIsForgottenAndNotMadeAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, deployingOne)
	const promotions, kept = 25, 20
	for i := 1; i <= promotions; i++ {
		s.do(fmt.Sprintf("merge #%d by ann", i), "check smoke success on dev", "wait 1m")
	}
	shown := func() (views []store.View) {
		s.view(func(tx *store.Tx, id int64) error {
			views = nil
			owner, _, _ := strings.Cut(string(home), "/")
			prefixes := []string{fmt.Sprint("deployment:", id), fmt.Sprint("check:", id), "comment:" + owner, "labels:" + owner}
			for _, under := range prefixes {
				some, err := tx.Views.ViewsUnder(under)
				require.NotEmpty(t, some, under)
				require.NoError(t, err)
				views = append(views, some...)
			}
			return nil
		})
		return views
	}
	before := shown()
	for _, v := range before {
		switch {
		case v.Kind == "deployment":
			require.NotZero(t, v.Promotion, v.Surface)
		case v.Stage != "" || v.Kind != "check":
			require.NotEmpty(t, v.Freight, v.Surface)
		}
	}
	made := s.deployments()
	require.Len(t, made, promotions)
	s.clock.set(s.Now().Add(100 * 24 * time.Hour))
	require.NoError(t, s.program.store.Update(t.Context(), func(tx *store.Tx) (err error) {
		for p := (store.Pruning{}); !p.Done && err == nil; {
			p, err = tx.Upkeep.Prune(store.Retention{Deliveries: time.Hour, Facts: time.Hour}.Horizon(tx.Now), p, 200)
		}
		return err
	}))
	require.Len(t, before, len(shown())+promotions-kept, "the deployments of the oldest promotions are forgotten")
	s.do(fmt.Sprintf("merge #%d by ann", promotions+1), "check smoke success on dev")
	require.Len(t, s.deployments(), promotions+1)
}
