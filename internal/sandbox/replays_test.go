package sandbox

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/store"
)

// heard returns the last delivery of an event whose body has a text.
func (s *site) heard(event, action, text string) githubsim.Delivery {
	s.t.Helper()
	var found githubsim.Delivery
	for _, d := range s.github.Deliveries() {
		if d.Event == event && d.Action == action && bytes.Contains(d.Payload, []byte(text)) {
			found = d
		}
	}
	require.NotEmpty(s.t, found.Payload, "%s %s with %q", event, action, text)
	return found
}

// replays counts them, so that each has an id of its own.
var replays atomic.Int64

// replayed sends a body again under an id of its own, as anybody can who has seen it with its signature.
func (s *site) replayed(d githubsim.Delivery) {
	s.t.Helper()
	guid := fmt.Sprintf("11111111-2222-3333-4444-%012d", replays.Add(1))
	code := s.postEvent(d.Event, guid, d.Payload, "X-Hub-Signature-256", signed(s.github.WebhookSecret(), d.Payload))
	require.Equal(s.t, http.StatusAccepted, code)
	s.quiet()
}

// forgotten removes all that retention ever removes.
func (s *site) forgotten() {
	s.t.Helper()
	require.NoError(s.t, s.program.store.Update(s.ctx, func(tx *store.Tx) (err error) {
		old := tx.Now.Add(time.Hour)
		for p := (store.Pruning{}); !p.Done && err == nil; {
			p, err = tx.Upkeep.Prune(store.Horizon{Deliveries: old, Facts: old}, p, 200)
		}
		return err
	}))
}

// TestACommandIsCarriedOutOnceUnderWhateverIdItComesT20 replays the comments that lifted a hold, a moment, an hour and
// a day later, before and after everything has been forgotten that retention forgets.
func TestACommandIsCarriedOutOnceUnderWhateverIdItComesT20(t *testing.T) {
	t.Parallel()
	for _, later := range []string{"wait 1s", "wait 1h", "wait 23h", "wait 25h"} {
		s := newSite(t, oneStage)
		s.do("merge #1 by ann", "check smoke success on dev", "comment #1 by ann: /hold dev one",
			"comment #1 by ann: /unhold dev")
		lifts := s.heard("issue_comment", "created", "/unhold dev")
		s.do(later, "comment #1 by ann: /hold dev incident", "merge #2 by ann")
		s.replayed(lifts)
		require.Equal(t, 1, s.holds(), later)
		s.forgotten()
		s.replayed(lifts)
		require.Equal(t, 1, s.holds(), later)
		require.Equal(t, "p2 api#2 dev queued", s.states("dev")[1], later)
	}
}

// TestABodyOfOneEventSaysNothingUnderTheNameOfAnotherT20 replays what GitHub has signed under the name of each other
// event, which it does not sign: comments, reviews, labels, buttons, and reports whose type anybody with write access
// chooses, such as the name of what a repository or an installation may do.
func TestABodyOfOneEventSaysNothingUnderTheNameOfAnotherT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke success on dev", "comment #1 by ann: /hold dev one",
		"comment #1 by ann: /unhold dev", "label #1 waybill/hold by ann", "unlabel #1 waybill/hold by ann",
		"check e2e failure on prod", "wait 1m")
	s.press(s.run(1, "prod").ID, "bob", "hold")
	s.do("comment #1 by bob: /unhold prod")
	require.NoError(t, s.github.Review(home, 1, "bob", "APPROVE", "/unhold dev"))
	for _, action := range []string{
		"deleted", "suspend", "archived", "renamed", "transferred", "labeled", "closed", "created", "removed",
	} {
		require.NoError(t, s.github.Dispatch(home, "ann", action, map[string]any{}))
	}
	s.quiet()
	s.do("comment #1 by ann: /hold dev incident", "comment #1 by ann: /hold prod incident", "merge #2 by ann")
	before := append(s.states("dev"), s.states("prod")...)
	require.Equal(t, 2, s.holds())

	bodies := map[string]githubsim.Delivery{}
	for _, d := range s.github.Deliveries() {
		bodies[d.Event+" "+d.Action] = d
	}
	gone := s.heard("issue_comment", "created", "/unhold dev")
	gone.Payload = bytes.Replace(gone.Payload, []byte(`"action":"created"`), []byte(`"action":"deleted"`), 1)
	bodies["issue_comment deleted"] = gone
	require.Contains(t, bodies, "pull_request labeled")
	require.Contains(t, bodies, "check_run requested_action")
	require.Contains(t, bodies, "repository_dispatch deleted")
	for _, key := range slices.Sorted(maps.Keys(bodies)) {
		for _, event := range handlers.Events() {
			if d := bodies[key]; d.Event != event {
				d.Event = event
				s.replayed(d)
				require.Equal(t, 2, s.holds(), "%s as %s", key, event)
				require.Equal(t, before, append(s.states("dev"), s.states("prod")...), "%s as %s", key, event)
			}
		}
	}
	s.do("comment #1 by ann: /unhold dev")
	require.Contains(t, s.states("dev")[1], "verifying", "the pipeline goes on")
}

// TestAnEditedCommentIsNoNewOneT5T20 replays a comment that was changed since, as it was and as it is.
func TestAnEditedCommentIsNoNewOneT5T20(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev")
	id, err := s.github.Comment(home, 1, "ann", "/hold dev")
	require.NoError(t, err)
	s.quiet()
	given := s.heard("issue_comment", "created", "/hold dev")
	require.NoError(t, s.github.EditComment(home, id, "ann", "/unhold dev"))
	s.do("wait 1m", "comment #1 by ann: /unhold dev")
	s.forgotten()
	s.replayed(given)
	s.replayed(s.heard("issue_comment", "edited", "/unhold dev"))
	require.Zero(t, s.holds())
	s.do("comment #1 by ann: /hold dev")
	require.Equal(t, 1, s.holds(), "a new comment of the same words counts")
	s.replayed(s.heard("issue_comment", "edited", "/unhold dev"))
	require.Equal(t, 1, s.holds())
}

// TestALabelIsPutOnOnceT17T20 replays labels that were put on and taken off.
func TestALabelIsPutOnOnceT17T20(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("comment #2 by ann: hello", "label #2 promote/dev by ann")
	wish := s.heard("pull_request", "labeled", "promote/dev")
	s.do("wait 1m", "unlabel #2 promote/dev by ann", "wait 1m")
	unwished := s.heard("pull_request", "unlabeled", "promote/dev")
	s.replayed(wish)
	s.do("merge #2 by ann")
	require.Empty(t, s.promoted(1).By.Login, "the wish was taken back: it was policy")

	s.do("check smoke success on dev", "wait 1m", "comment #3 by ann: hello", "label #3 promote/dev by ann", "wait 1m")
	s.replayed(unwished)
	s.do("merge #3 by bob")
	require.Equal(t, "ann", string(s.promoted(2).By.Login), "the wish stands")

	s.do("check smoke success on dev", "wait 1m", "label #3 promote/prod by bob", "check e2e failure on prod", "wait 1m")
	asked := s.heard("pull_request", "labeled", "promote/prod")
	require.Len(t, s.states("prod"), 1)
	s.replayed(asked)
	s.forgotten()
	s.replayed(asked)
	require.Len(t, s.states("prod"), 1)

	s.do("label #1 waybill/hold by ann", "wait 1m", "unlabel #1 waybill/hold by ann", "wait 1m",
		"label #1 waybill/hold by ann", "wait 1m")
	require.Equal(t, 1, s.holds())
	s.replayed(s.heard("pull_request", "unlabeled", "waybill/hold"))
	require.Equal(t, 1, s.holds())
}

// TestALabelThatIsToldOfTooLateIsTakenOffWithTheReasonT20: nobody can tell by it whether it was meant to wait.
func TestALabelThatIsToldOfTooLateIsTakenOffWithTheReasonT20(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "comment #2 by ann: hello", "wait 1m")
	s.github.HoldWebhooks()
	require.NoError(t, s.github.AddLabel(home, 1, "ann", "promote/prod"))
	require.NoError(t, s.github.AddLabel(home, 2, "ann", "promote/dev"))
	s.clock.set(s.clock.Now().Add(25 * time.Hour))
	s.github.ReleaseWebhooks()
	s.quiet()
	require.Empty(t, s.states("prod"))
	for _, pull := range []int{1, 2} {
		require.Contains(t, s.said(pull), "Refused: a command counts for a day")
		require.NotContains(t, strings.Join(s.labels(pull), " "), "promote/")
	}
	s.do("merge #2 by ann")
	require.Empty(t, s.promoted(2).By.Login, "it was policy")
}

// TestAButtonIsPressedOnceT18T20 replays the press of a button; a person can press it again.
func TestAButtonIsPressedOnceT18T20(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke failure on dev")
	s.press(s.run(1, "dev").ID, "bob", "hold")
	pressed := s.heard("check_run", "requested_action", `"hold"`)
	require.Equal(t, 1, s.holds())
	s.do("comment #1 by bob: /unhold dev")
	for range 2 {
		s.replayed(pressed)
		require.Zero(t, s.holds())
		s.forgotten()
		s.do("wait 1m")
	}
	s.press(s.run(1, "dev").ID, "bob", "hold")
	require.Equal(t, 1, s.holds(), "it is another press")
}

// TestAReviewIsGivenOnceT20 replays the approving review of a commit of which it was dismissed, after its sign-off has
// ended: at once, and when it is too old.
func TestAReviewIsGivenOnceT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoSignOffs, "approvals: 2", "approvals: 2, merge: manual", 1))
	s.do("merge #1 by ann", "review p1 approve by bob")
	approves := s.heard("pull_request_review", "submitted", "bob")
	signs := func() (n int) {
		s.view(func(tx *store.Tx, pipeline int64) error {
			all, err := tx.Ledger.StandingApprovals(pipeline)
			n = len(all)
			return err
		})
		return n
	}
	require.Equal(t, 1, signs())
	review := bytes.SplitN(bytes.SplitN(approves.Payload, []byte(`"review":{`), 2)[1], []byte(`"id":`), 2)[1]
	id, _, _ := bytes.Cut(review, []byte(","))
	s.v3("admin", http.MethodPut, fmt.Sprintf("/pulls/%d/reviews/%s/dismissals", s.pull(1).Number, id), `{"message":"no"}`)
	s.quiet()
	require.Equal(t, 1, signs(), "a sign-off is not taken back by that")
	s.do("wait 25h")
	require.Zero(t, signs())
	s.replayed(approves)
	s.forgotten()
	s.replayed(approves)
	require.Zero(t, signs())
}

// TestACommandThatIsToldOfTooLateIsRefusedWithTheReasonT20 has a comment delivered a day late. What is said anew
// counts.
func TestACommandThatIsToldOfTooLateIsRefusedWithTheReasonT20(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "check smoke failure on dev", "wait 1m")
	s.github.HoldWebhooks()
	_, err := s.github.Comment(home, 1, "ann", "/retry dev")
	require.NoError(t, err)
	s.clock.set(s.clock.Now().Add(25 * time.Hour))
	s.github.ReleaseWebhooks()
	s.quiet()
	require.Len(t, s.states("dev"), 1)
	require.Contains(t, s.said(1), "Refused: a command counts for a day, and this one arrived later; if it is still "+
		"meant, give it again: it was given at ")
	s.do("comment #1 by ann: /retry dev")
	require.Len(t, s.states("dev"), 2)
}

// TestAHoldOutlivesAnOutageOfTwoDays: a resync asks for it again, whatever GitHub redelivers before or after (6.8).
func TestAHoldOutlivesAnOutageOfTwoDays(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("comment #1 by ann: hello")
	s.away()
	s.github.FailWebhooks(1000, http.StatusBadGateway)
	_, err := s.github.Comment(home, 1, "ann", "/hold dev until monday")
	require.NoError(t, err)
	_, err = s.github.Comment(home, 1, "ann", "/retry dev")
	require.NoError(t, err)
	require.NoError(t, s.merge(1)())
	require.Error(t, s.github.Settle(s.ctx))
	s.github.HearWebhooks()
	s.clock.set(s.clock.Now().Add(48 * time.Hour))
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.do("wait 1h")
	require.True(t, s.held("dev"))
	require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
	require.Empty(t, s.missed())
	require.Contains(t, s.said(1), "a command counts for a day", "the other command was refused, and that was said")
}

// TestAHoldThatIsToldOfLateIsLeftToTheResyncThatIsDue has GitHub redeliver a hold of two days ago while resyncs fail.
func TestAHoldThatIsToldOfLateIsLeftToTheResyncThatIsDue(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("comment #1 by ann: hello")
	s.away()
	s.unheard(func() error {
		_, err := s.github.Comment(home, 1, "ann", "/hold dev until monday")
		return err
	})
	s.github.Faults().FailNext(githubsim.Route{Path: "/repos/{owner}/{repo}/issues/comments"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	s.back(48 * time.Hour)
	s.do("wait 10m")
	require.Empty(t, s.missed(), "it was redelivered")
	require.False(t, s.held("dev"))
	require.Len(t, s.told(1), 2, "and not refused")
	s.github.Faults().Clear()
	s.do("wait 1h")
	require.True(t, s.held("dev"))
}
