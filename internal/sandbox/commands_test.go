package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// answered returns the answer to a person's newest comment on a pull request: its reactions, and the text of our
// comment after it, if there is one.
func (s *site) answered(n int) (reactions map[string]int, text string) {
	s.t.Helper()
	all := s.told(n)
	require.NotEmpty(s.t, all)
	for i := len(all) - 1; i >= 0; i-- {
		if !strings.HasSuffix(all[i].Author, "[bot]") {
			return all[i].Reactions, text
		}
		if !strings.Contains(all[i].Body, "waybill:status") {
			text = all[i].Body
		}
	}
	return nil, text
}

func TestACommandIsAnsweredWhereItWasGiven(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	for _, c := range []struct{ typed, reaction, says string }{
		{"/hold dev for 2h", "rocket", "dev is held, until 2026&#45;\u200b01&#45;\u200b05 11&#58;\u200b00 UTC"},
		{"/hold dev over lunch", "rocket", "dev is held until somebody lifts the hold"},
		{"/hold prd", "rocket", "Every stage of acme/deploy is held until somebody lifts the hold"}, // no stage is called so
		{"/unhold --all", "rocket", "The hold of every stage is lifted; some stages have holds of their own."},
		{"/unhold dev", "rocket", "The hold of dev is lifted"},
		{"/unhold dev", "+1", "Nothing to do"},
		{"/promote prod", "-1", "there is no `prod` here: the stages are dev"},
		{"/promot dev", "-1", "did you mean /promote?"},
		{"/status", "rocket", "api&#35;\u200b1 &#40;not verified yet&#41;"},
		{"/why dev", "rocket", "Merged, verifying"},
		{"/where #1", "rocket", "there now"},
		{"/history dev", "rocket", "| 1 |"},
		{"/help rollback", "rocket", "/rollback STAGE"},
		{"/help", "rocket", "/promote STAGE"},
		{"/lgtm", "", ""},
		{"`/promote dev`", "", ""},
	} {
		t.Log(c.typed)
		s.do("comment #1 by ann: " + c.typed)
		reactions, text := s.answered(1)
		if c.reaction == "" {
			require.Empty(t, reactions, c.typed)
			require.Empty(t, text, c.typed)
			continue
		}
		require.Equal(t, 1, reactions["eyes"], c.typed)
		require.Contains(t, text, c.says, c.typed)
		require.Equal(t, 1, reactions[c.reaction], "%s: %s", c.typed, text)
	}
}

func TestWhatPlanSaysIsWhatPromotingDoes(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("comment #1 by ann: /hold dev", "merge #1 by ann", "comment #1 by ann: /plan dev")
	_, text := s.answered(1)
	require.Contains(t, text, "dev.yaml")
	require.Contains(t, text, "held by ann")
	require.Contains(t, text, "It is on its way")
	require.NotContains(t, text, "/promote", "it is queued already")
	require.Empty(t, s.ours())
}

func TestWhoMayNotIsToldOnceAndStrangersNeverT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	refused := func(by string) (n int) {
		for range 5 {
			before := len(s.told(1))
			s.do(fmt.Sprintf("comment #1 by %s: /promote dev", by))
			reactions, _ := s.answered(1)
			require.Equal(t, 1, reactions["-1"])
			n += len(s.told(1)) - before - 1
		}
		return n
	}
	s.do("comment #1 by eve: hello", "comment #1 by dan: hello")
	require.NoError(t, s.github.SetPermission(home, "eve", "none"))
	require.Zero(t, refused("eve"), "a stranger")
	require.NoError(t, s.github.SetPermission(home, "dan", "read"))
	require.Equal(t, 1, refused("dan"), "a reader")
}

// TestOnlyAnswersInWordsCountAgainstTheirLimitT12 has a person ask questions after many commands.
func TestOnlyAnswersInWordsCountAgainstTheirLimitT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	for given := range 12 {
		s.do("comment #1 by ann: /verify dev")
		reactions, text := s.answered(1)
		require.Equal(t, 1, reactions["rocket"])
		require.Equal(t, given < 10, text != "", "command %d", given)
	}
	for asked := range 11 {
		before := len(s.told(1))
		s.do("comment #1 by ann: /status")
		if said := len(s.told(1)) - before - 1; asked < 10 {
			require.Equal(t, 1, said, "question %d", asked)
		} else {
			require.Zero(t, said, "that is enough for an hour")
		}
	}
}

func TestACommentThatGoesWrongDoesNothingButStopT9(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	_, err := s.github.Comment(home, 1, "ann", "/promote dev\n/hold dev\n/promot dev\n")
	require.NoError(t, err)
	s.quiet()
	var said []string
	for _, c := range s.told(1) {
		said = append(said, c.Body)
	}
	require.Contains(t, strings.Join(said, "\n"), "nothing else that was asked for with it has been begun")
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		require.Len(t, all, 1)
		return err
	})
}

func TestACancelNeedsNoStageToNameAPromotion(t *testing.T) { // semantics 3.3
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify:", "merge: manual, verify:", 1))
	s.do("merge #1 by ann", "comment #1 by ann: /cancel p1")
	_, text := s.answered(1)
	require.Contains(t, asSeen(text), "Promotion 1, api#1 to dev, is cancelled.")
	require.Contains(t, text, "/promote dev api#1")
	require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
	s.do("comment #1 by ann: /cancel p1", "comment #1 by ann: /cancel p2")
	_, text = s.answered(1)
	require.Contains(t, asSeen(text), "Refused: there is no `p2` here: the stages are dev. Asked for: `/cancel p2`.")
}
