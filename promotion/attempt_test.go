package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestAnAttemptComesFromStateToStateOnlyAsItsTransitionsSay tries every transition in every state.
func TestAnAttemptComesFromStateToStateOnlyAsItsTransitionsSay(t *testing.T) {
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	made := promotion.Made{Round: 1, Base: "b1", Head: "h1", At: at}
	refused := promotion.Because(promotion.Refused)
	pending := func() promotion.Attempt { return promotion.Attempt{Promotion: 1, Plan: &promotion.Plan{Round: 1}} }
	reach := map[promotion.AttemptState]func(a *promotion.Attempt){
		promotion.AttemptPending:    func(*promotion.Attempt) {},
		promotion.AttemptProposed:   func(a *promotion.Attempt) { a.Propose(made, "w/1", 7) },
		promotion.AttemptCommitting: func(a *promotion.Attempt) { a.BeginCommit(0, 1) },
		promotion.AttemptStarting:   func(a *promotion.Attempt) { a.BeginStart(at) },
		promotion.AttemptDelivered:  func(a *promotion.Attempt) { a.BeginCommit(0, 1); a.Deliver(made) },
		promotion.AttemptFailed:     func(a *promotion.Attempt) { a.Fail(refused) },
	}
	transitions := map[string]struct {
		move func(a *promotion.Attempt) bool
		to   map[promotion.AttemptState]promotion.AttemptState // the next state, from each state that it changes
	}{
		"propose": {func(a *promotion.Attempt) bool { return a.Propose(made, "w/1", 8) },
			map[promotion.AttemptState]promotion.AttemptState{
				promotion.AttemptPending: promotion.AttemptProposed, promotion.AttemptProposed: promotion.AttemptProposed,
				promotion.AttemptFailed: promotion.AttemptFailed,
			}},
		"begin the commit": {
			func(a *promotion.Attempt) bool { return a.BeginCommit(0, 1) },
			map[promotion.AttemptState]promotion.AttemptState{promotion.AttemptPending: promotion.AttemptCommitting},
		},
		"begin a commit of another round": {func(a *promotion.Attempt) bool { return a.BeginCommit(0, 2) }, nil},
		"begin a commit of another step":  {func(a *promotion.Attempt) bool { return a.BeginCommit(2, 1) }, nil},
		"begin the start": {
			func(a *promotion.Attempt) bool { return a.BeginStart(at) },
			map[promotion.AttemptState]promotion.AttemptState{promotion.AttemptPending: promotion.AttemptStarting},
		},
		"deliver": {func(a *promotion.Attempt) bool { return a.Deliver(made) },
			map[promotion.AttemptState]promotion.AttemptState{
				promotion.AttemptCommitting: promotion.AttemptDelivered, promotion.AttemptStarting: promotion.AttemptDelivered,
			}},
		"abandon": {func(a *promotion.Attempt) bool { return a.Abandon() }, map[promotion.AttemptState]promotion.AttemptState{
			promotion.AttemptCommitting: promotion.AttemptPending, promotion.AttemptStarting: promotion.AttemptPending,
		}},
		"fail": {func(a *promotion.Attempt) bool { return a.Fail(refused) },
			map[promotion.AttemptState]promotion.AttemptState{
				promotion.AttemptPending: promotion.AttemptFailed, promotion.AttemptProposed: promotion.AttemptFailed,
				promotion.AttemptCommitting: promotion.AttemptFailed, promotion.AttemptStarting: promotion.AttemptFailed,
			}},
		"refuse the merge": {
			func(a *promotion.Attempt) bool { return a.RefuseMerge(3, "reviews") },
			map[promotion.AttemptState]promotion.AttemptState{promotion.AttemptProposed: promotion.AttemptProposed},
		},
	}
	for name, transition := range transitions {
		for from, begin := range reach {
			a := pending()
			begin(&a)
			require.Equal(t, from, a.State)
			before := a
			to, changes := transition.to[from]
			require.Equal(t, changes, transition.move(&a), "%s in state %q", name, from)
			if !changes {
				require.Equal(t, before, a, "%s in state %q", name, from)
				continue
			}
			require.Equal(t, to, a.State, "%s in state %q", name, from)
			require.False(t, transition.move(&a), "%s a second time, from state %q", name, from)
			require.Equal(t, a.State == promotion.AttemptStarting, !a.Dispatched.IsZero(), name)
			require.Equal(t, a.State == promotion.AttemptDelivered, !a.Made.At.IsZero(), name)
			require.Equal(t, a.State == promotion.AttemptFailed, !a.Failure.IsZero(), name)
		}
	}
}

func TestACommitThatCameTooLateIsNotOnItsWay(t *testing.T) {
	a := promotion.Attempt{Plan: &promotion.Plan{Round: 1}}
	require.True(t, a.BeginCommit(0, 1))
	require.True(t, a.Miss(1))
	require.Equal(t, promotion.AttemptPending, a.State)
	require.False(t, a.Miss(1))
	require.Equal(t, 1, a.Late)
}
