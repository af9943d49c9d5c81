package decide

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/say"
)

// left is a snapshot of dev, whose api#1 is good, and has made room for other freight an hour later.
func left(then promotion.Freight) *promotion.Snapshot {
	s := inState(promotion.Succeeded)
	s.Deployments[0].Left = noon.Add(time.Hour)
	then.Warehouse, then.Repo = s.Freight[0].Warehouse, s.Freight[0].Repo
	s.Freight = append(s.Freight, then)
	s.Deployments = append(s.Deployments, promotion.Deployment{
		Promotion: 2, Stage: "dev", Warehouse: then.Warehouse, Freight: then.ID, Entered: noon.Add(time.Hour),
		Verdict: promotion.Passed,
	})
	return s
}

func TestFreightThatHasLeftSaysUntilWhenItWasThere(t *testing.T) { // semantics 4.12
	newer := promotion.Freight{ID: "b", Name: "api#9", Number: 9, Merged: noon.Add(time.Hour)}
	older := promotion.Freight{ID: "b", Name: "api#0", Merged: noon.Add(-24 * time.Hour)}
	until := noon.Add(time.Hour).UTC().Format("2006-01-02 15:04 UTC")
	at := func(s *promotion.Snapshot) promotion.FreightStatus {
		return Why(s, s.Freight[0].ID, noon.Add(2*time.Hour))
	}

	s := inState(promotion.Succeeded)
	require.Zero(t, at(s).Was, "it is there")
	require.Equal(t, "ok", say.Label(at(s)))

	s = left(newer)
	require.Equal(t, "Was in dev until "+until+", then api#9", say.Title(at(s)))
	require.Equal(t, "ok", say.Label(at(s)), "newer freight contains it")

	s = left(older)
	require.Equal(t, "Was in dev until "+until+", then api#0", say.Title(at(s)))
	require.Equal(t, "was", say.Label(at(s)), "it was taken away")
	require.Equal(t, "↩️", say.LineOf(s.Freight[0], at(s)).Mark)
	require.Empty(t, say.Buttons(at(s)), "there is nothing to take back")
	s.Deployments = s.Deployments[1:]
	require.Equal(t, "Was in dev, then api#0", say.Title(at(s)), "its time is forgotten")

	s = left(older)
	s.Promotions[0].State, s.Promotions[0].Reason = promotion.VerificationFailed,
		promotion.Because(promotion.FailedCheck, "smoke")
	require.Equal(t, "Verified after it had failed, was in dev until "+until+", then api#0", say.Title(at(s)))
	require.Equal(t, "was", say.Label(at(s)))
	i := s.DeploymentOf(s.Promotions[0].Number)
	s.Deployments[i].Verdict = promotion.Bad
	require.Equal(t, "Verification failed, was in dev until "+until+", then api#0: smoke failed", say.Title(at(s)))
	require.Equal(t, "failed", say.Label(at(s)))
}

func TestFreightOfAPromotionThatEndedHalfwayWasThereToo(t *testing.T) { // semantics 4.12
	newer := promotion.Freight{ID: "b", Name: "api#9", Number: 9, Merged: noon.Add(time.Hour)}
	older := promotion.Freight{ID: "b", Name: "api#0", Merged: noon.Add(-24 * time.Hour)}
	until := noon.Add(time.Hour).UTC().Format("2006-01-02 15:04 UTC")
	for state, word := range map[promotion.State]string{
		promotion.Cancelled: "Cancelled", promotion.Superseded: "Superseded", promotion.Failed: "Failed",
	} {
		ended := func(then promotion.Freight) *promotion.Snapshot {
			s := left(then)
			s.Promotions[0].State, s.Deployments[0].Verdict = state, promotion.Undecided
			return s
		}
		at := func(s *promotion.Snapshot) promotion.FreightStatus {
			return Why(s, s.Freight[0].ID, noon.Add(2*time.Hour))
		}
		require.Equal(t, word+", was in dev until "+until+", then api#9", say.Title(at(ended(newer))))
		s := ended(older)
		require.Equal(t, word+", was in dev until "+until+", then api#0", say.Title(at(s)))
		require.NotEqual(t, "was", say.Label(at(s)), "it was not good")
		s.Deployments = s.Deployments[1:]
		require.Equal(t, word+", was in dev, then api#0", say.Title(at(s)), "its time is forgotten")
		s.Promotions[0].Merged = time.Time{}
		require.Equal(t, word, say.Title(at(s)), "it had merged nothing")
	}
}

func TestAPromotionThatBroughtNothingLeavesTheVerdict(t *testing.T) { // semantics 4.12, 4.14
	newer := promotion.Freight{ID: "b", Name: "api#9", Number: 9, Merged: noon.Add(time.Hour)}
	older := promotion.Freight{ID: "b", Name: "api#0", Merged: noon.Add(-24 * time.Hour)}
	until := noon.Add(time.Hour).UTC().Format("2006-01-02 15:04 UTC")
	again := func(then promotion.Freight, state promotion.State) (*promotion.Snapshot, promotion.FreightStatus) {
		s := left(then)
		s.Promotions = append(s.Promotions, promotion.Promotion{Number: 3, Stage: "dev", Freight: s.Freight[0].Ref(),
			Class: promotion.Manual, State: state, Queued: noon.Add(2 * time.Hour)})
		return s, Why(s, s.Freight[0].ID, noon.Add(3*time.Hour))
	}
	for _, state := range []promotion.State{promotion.Cancelled, promotion.Declined, promotion.Superseded} {
		_, at := again(newer, state)
		require.Equal(t, "ok", say.Label(at), "newer freight contains it")
		require.Contains(t, say.Title(at), "was in dev until "+until+", then api#9")
		_, at = again(older, state)
		require.Equal(t, "was", say.Label(at), "it was taken away")
	}
	_, at := again(newer, promotion.Queued)
	require.Empty(t, say.Label(at), "it is on its way")

	s, _ := again(newer, promotion.Cancelled)
	s.Deployments[0].Verdict, s.Promotions[0].State = promotion.Bad, promotion.VerificationFailed
	require.Equal(t, "failed", say.Label(Why(s, s.Freight[0].ID, noon.Add(3*time.Hour))))
}

func TestNoVerdictOfBeforeFreightWasTakenBackIsInherited(t *testing.T) { // semantics 1.5, 2.11
	s := left(promotion.Freight{ID: "b", Name: "api#9", Number: 9, Merged: noon.Add(time.Hour)})
	again := s.Deployments[1]
	s.Promotions = append(s.Promotions, promotion.Promotion{
		Number: 3, Freight: s.Freight[0].Ref(), Class: promotion.Rollback, Merged: noon.Add(2 * time.Hour),
		State: promotion.Succeeded,
	})
	p := &promotion.Promotion{Number: 5, Freight: s.Freight[1].Ref()}
	s.Deployments[1].Left = noon.Add(2 * time.Hour)
	require.True(t, cameAnew(s, p, -1))
	again.Promotion, again.Entered = 4, noon.Add(3*time.Hour)
	s.Deployments = append(s.Deployments, again)
	require.False(t, cameAnew(s, p, 2))
	require.False(t, cameAnew(s, p, -1))
	require.True(t, cameAnew(s, p, 1), "its verdict is of before, though the freight came again")
}
