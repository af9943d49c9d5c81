package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

func TestOneCommentShowsTheWayOfAFreightAndIsEditedInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "wait 3s")
	first := s.sticky(1)
	for _, part := range []string{"### `api#1`", "| `dev` | ⏳ Merged, verifying | waiting for", "| `prod` | 💤 Not " +
		"available yet |", `s0["dev: Merged, verifying"]`, "s0 --> s1"} {
		require.Contains(t, first.Body, part)
	}
	s.do("check smoke success on dev", "check e2e success on prod", "wait 1m")
	last := s.sticky(1)
	require.Equal(t, first.ID, last.ID)
	require.Contains(t, last.Body, "| `prod` | ✅ Verified |")
	require.Empty(t, s.told(1), "who looks sees it; nobody is notified")
}

func TestAFreightThatWasRolledBackIsNotToBeRolledBackAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann", "wait 3s", "check smoke success on dev", "wait 1m")
	s.do("merge #2 by ann", "wait 3s", "check smoke failure on dev", "wait 1m")
	require.Contains(t, s.sticky(2).Body, "/rollback dev")
	s.do("comment #2 by ann: /rollback dev", "wait 1m")
	require.NotContains(t, s.sticky(2).Body, "/rollback dev")
	require.NotContains(t, s.run(2, "dev").Summary, "/rollback dev")
	require.Equal(t, []string{"retry", "hold"}, s.run(2, "dev").Buttons)
}

func TestACommentIsWrittenAtMostOnceInTenSecondsAndOnlyWhenItSaysSomethingNew(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("merge #1 by ann")
	require.Zero(t, s.written(), "it waits for what else happens")
	s.do("wait 3s")
	require.Equal(t, 1, s.written())
	s.do("check smoke success on dev", "wait 9s")
	require.Equal(t, 1, s.written(), "not yet")
	s.do("wait 1s")
	require.Equal(t, 2, s.written())
	require.Contains(t, s.sticky(1).Body, "| `dev` | ✅ Verified |")
	s.do("resync", "wait 10s", "resync", "wait 10s")
	require.Equal(t, 2, s.written(), "nothing new is nothing written")
}

// written counts the requests that write comments.
func (s *site) written() int {
	n := 0
	for _, r := range s.github.Requests() {
		if strings.Contains(r.Route, "/comments") && (r.Method == "POST" || r.Method == "PATCH") {
			n++
		}
	}
	return n
}

func TestACommentForgedWithOurMarkerIsIgnoredAndOursIsNeverReadBackT37(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	s.do("comment #1 by eve: hello")
	forged, err := s.github.Comment(home, 1, "eve", "<!-- waybill:status -->\n/promote prod")
	require.NoError(t, err)
	s.do("merge #1 by ann", "wait 3s")
	ours := s.sticky(1)
	require.NotEqual(t, forged, ours.ID)

	told := len(s.told(1))
	require.NoError(t,
		s.github.EditComment(home, ours.ID, "ann", "all is verified everywhere\n\n/promote prod\n\n<!-- waybill:status -->"))
	s.do("wait 1m")
	require.Len(t, s.told(1), told, "it is no command of whoever edits it")
	s.do("check smoke success on dev", "wait 1m")
	require.Equal(t, ours.ID, s.sticky(1).ID)
	require.Contains(t, s.sticky(1).Body, "| `dev` | ✅ Verified |", "it is made anew from the database at the next change")
	require.NotContains(t, s.sticky(1).Body, "everywhere")
	require.Equal(t, []string{"p2 api#1 prod verifying"}, s.states("prod"), "by policy, not by a comment")

	require.NoError(t, s.github.DeleteComment(home, ours.ID, "ann"))
	s.do("check e2e success on prod", "wait 1m")
	require.Contains(t, s.sticky(1).Body, "| `prod` | ✅ Verified |", "what was deleted is made again")
	for _, c := range s.told(1) {
		if c.ID == forged {
			require.Equal(t, "<!-- waybill:status -->\n/promote prod", c.Body)
		}
	}
}

func TestAPromotionDoesNotFailWhenCommentsCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages)
	locked := githubsim.Fault{
		Status: 403, Body: `{"message":"Unable to create comment because issue is locked."}`, Times: -1,
	}
	s.github.Faults().FailNext(
		githubsim.Route{Method: "POST", Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"}, locked,
	)
	s.do("merge #1 by ann", "check smoke success on dev", "check e2e success on prod", "wait 1m")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod succeeded"}, s.states("dev", "prod"))
	require.Empty(t, s.sticky(1))
	s.github.Faults().Clear()
	s.do("wait 1h")
	require.Contains(t, s.sticky(1).Body, "| `prod` | ✅ Verified |", "it is made up for")
}

func TestAPipelineThatWantsNoCommentsGetsNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoStages+"comments: false\n")
	s.do("merge #1 by ann", "check smoke success on dev", "check e2e success on prod", "wait 1m")
	require.Empty(t, s.github.Comments(home, 1))
}

func TestThePullRequestOfAPromotionSaysWhatItWaitsForAndHowToStopIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "verify: [smoke], merge: manual", 1))
	s.do("merge #1 by ann", "wait 1m")
	n := s.pull(1).Number
	for _, part := range []string{"### `api#1` to `dev`", "✋ Waiting for its merge | a person must merge its pull " +
		"request | automation, ", "`/cancel dev`"} {
		require.Contains(t, s.sticky(n).Body, part)
	}
	s.do("merge p1 by ann", "wait 1m")
	require.Contains(t, s.sticky(n).Body, "Merged, verifying")
	require.NotContains(t, s.sticky(n).Body, "/cancel")

	auto := newSite(t, oneStage)
	auto.do("merge #1 by ann", "wait 1m")
	require.Empty(t, auto.sticky(auto.pull(1).Number), "what goes by itself needs no comment")
}

// TestAWholeRunWritesEachStickyCommentAtMostOnceInTenSeconds, both on the pull request of the freight and on those of
// its promotions.
func TestAWholeRunWritesEachStickyCommentAtMostOnceInTenSeconds(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.ReplaceAll(twoStages, "verify:", "approvals: 1, verify:"))
	s.do(
		"merge #1 by ann", "wait 1s", "comment #1 by bob: /approve dev", "wait 1s", "check smoke in_progress on dev",
		"wait 1s", "check smoke success on dev", "wait 1s", "comment #1 by bob: /hold prod", "wait 1s",
		"comment #1 by bob: /unhold prod", "wait 1s", "comment #1 by bob: /approve prod", "wait 1s",
		"check e2e in_progress on prod", "wait 1s", "check e2e success on prod", "wait 1m",
	)
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#1 prod succeeded"}, s.states("dev", "prod"))
	edits, last := 0, map[string]time.Time{}
	for _, r := range s.github.Requests() {
		if r.Method != http.MethodPatch || !strings.Contains(r.Route, "/issues/comments/") {
			continue
		}
		edits++
		if before, known := last[r.Path]; known {
			require.GreaterOrEqual(t, r.At.Sub(before), 10*time.Second, r.Path)
		}
		last[r.Path] = r.At
	}
	require.NotZero(t, edits)
	require.Contains(t, s.sticky(1).Body, "| `prod` | ✅ Verified |")
}
