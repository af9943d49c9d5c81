package gh

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

var moves = githubsim.Route{Field: "updateRefs"}

// TestAdvanceMovesABranchOnceWhateverIsLostF2F19 also covers commits that others push on top before the look-up.
func TestAdvanceMovesABranchOnceWhateverIsLostF2F19(t *testing.T) {
	for name, fault := range map[string]githubsim.Fault{"nothing": {}, "the answer": {LoseReply: true}} {
		for _, more := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				k := newKit(t)
				from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
				if more {
					fault.After = func() { k.push(map[string]string{"README.md": "on top\n"}) }
				}
				if name != "nothing" {
					k.Faults().FailNext(moves, fault)
				}
				result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
				require.NoError(t, err)
				require.Equal(t, Landed, result)
				result, err = k.client.Branches.Advanced(t.Context(), "main", from, to)
				require.NoError(t, err)
				require.Equal(t, Landed, result)
				require.Equal(t, 1, k.CountRequests(moves))
			})
		}
	}
}

func TestAdvanceLeavesABranchThatHasMovedF15(t *testing.T) {
	k := newKit(t)
	from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
	k.push(map[string]string{"README.md": "theirs\n"})
	theirs := k.Head(repo, "main")
	result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
	require.NoError(t, err)
	require.Equal(t, Outrun, result)
	require.Equal(t, theirs, k.Head(repo, "main"))
}

// TestAdvanceBringsNothingBackThatWasTakenAway checks that a branch that was set back counts as moved, although the
// commit would be a fast-forward.
func TestAdvanceBringsNothingBackThatWasTakenAway(t *testing.T) {
	k := newKit(t)
	before := k.Head(repo, "main")
	k.push(map[string]string{"README.md": "a secret\n"})
	from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
	require.NoError(t, k.client.Branches.updateRef(t.Context(), "main", from, promotion.SHA(before), true))
	result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
	require.NoError(t, err)
	require.Equal(t, Outrun, result)
	require.Equal(t, before, k.Head(repo, "main"))
}

func TestAdvanceSaysWhatCanBeDoneAboutARule(t *testing.T) {
	k := newKit(t)
	from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
	require.NoError(t, k.Protect(repo, "main", githubsim.Protection{RequiredReviews: 1}))
	result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
	require.ErrorIs(t, err, ErrRefused)
	require.Equal(t, Absent, result)
	require.Equal(t, "Changes must be made through a pull request.; let the App bypass this rule of branch main, or let "+
		"the stage be promoted by pull requests", Explain(err).Detail)
}

func TestAdvanceDoesNotKnowWhenNobodyAnswersF20(t *testing.T) {
	k := newKit(t)
	from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
	k.Faults().FailNext(moves, githubsim.Fault{Status: http.StatusBadGateway})
	result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
	require.ErrorIs(t, err, ErrTransient)
	require.Equal(t, Absent, result)
	k.Faults().FailNext(moves, githubsim.Fault{LoseReply: true})
	k.Faults().FailNext(githubsim.Route{Method: "GET", Path: "/repos/{owner}/{repo}/git/ref/{ref}"},
		githubsim.Fault{Status: http.StatusBadGateway})
	result, err = k.client.Branches.Advance(t.Context(), "main", from, to)
	require.ErrorIs(t, err, ErrTransient)
	require.Empty(t, result)
}

// TestAdvanceWaitsForACommitThatIsNotSeenYet: the same commit is asked for again, in this call and not for ever.
func TestAdvanceWaitsForACommitThatIsNotSeenYet(t *testing.T) {
	for unseen, landed := range map[int]bool{1: true, 3: true, 20: false} {
		k := newKit(t)
		from, to := promotion.SHA(k.Head(repo, "main")), k.commit()
		k.Faults().FailNext(moves, githubsim.Fault{Times: unseen,
			FieldError: &githubsim.FieldError{Field: "updateRefs", Message: "Object does not exist"}})
		result, err := k.client.Branches.Advance(t.Context(), "main", from, to)
		if !landed {
			require.ErrorIs(t, err, ErrPassing)
			require.Equal(t, []time.Duration{time.Second / 2, time.Second, 2 * time.Second}, k.naps)
			continue
		}
		require.NoError(t, err, unseen)
		require.Equal(t, Landed, result)
	}
}
