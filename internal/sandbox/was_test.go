package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFreightThatWasTakenBackSaysSoEverywhere rolls dev back from one freight to the one before it.
func TestFreightThatWasTakenBackSaysSoEverywhere(t *testing.T) { // semantics 4.12
	t.Parallel()
	s := newSite(t, oneStage)
	for _, merge := range []string{"merge #1 by ann", "merge #2 by ann"} {
		s.do(merge, "check smoke success on dev", "wait 1m")
	}
	s.do("comment #2 by ann: /why dev #1")
	_, text := s.answered(2)
	require.Contains(t, asSeen(text), "api#1 in dev: Was in dev until 2026-01-05 09:01 UTC, then api#2")
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(1), "api#2 contains it")

	s.do("comment #2 by ann: /rollback dev", "wait 1m")
	require.Equal(t, []string{"stage/dev:was"}, s.labels(2))
	run := s.run(2, "dev")
	require.Contains(t, run.Summary, "Was in dev until 2026-01-05 09:02 UTC, then api#1")
	require.Equal(t, "neutral", run.Conclusion)
	require.Empty(t, run.Buttons)
	require.Contains(t, asSeen(s.sticky(2).Body), "Was in dev until 2026-01-05 09:02 UTC, then api#1")
	s.do("comment #1 by ann: /where #2")
	_, text = s.answered(1)
	require.Contains(t, asSeen(text), "Was in dev until 2026-01-05 09:02 UTC, then api#1")
}

// TestFreightOfAnEndedPromotionWasThereToo rolls dev back from freight that has no verdict yet.
func TestFreightOfAnEndedPromotionWasThereToo(t *testing.T) { // semantics 4.12
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "check smoke success on dev", "wait 1m", "merge #2 by ann", "wait 1m")
	s.do("comment #2 by ann: /rollback dev", "check smoke success on dev", "wait 1m", "comment #1 by ann: /where #2")
	_, text := s.answered(1)
	const was = "Cancelled, was in dev until 2026-01-05 09:02 UTC, then api#1"
	require.Contains(t, asSeen(text), was)
	require.Contains(t, s.run(2, "dev").Summary, was)
	require.Empty(t, s.labels(2), "it was never good")
}
