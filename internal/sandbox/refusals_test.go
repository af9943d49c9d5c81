package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// folded counts the comments with this beginning: those that are folded, and those that are open.
func (s *site) folded(n int, begin string) (folded, open int) {
	for _, c := range s.github.Comments(home, n) {
		switch {
		case !strings.HasPrefix(c.Body, begin):
		case c.Minimized != "":
			folded++
		default:
			open++
		}
	}
	return folded, open
}

// TestWhatSomebodyWasRefusedIsFoldedOnceTheyHaveWhatTheyWanted carries out a later command of the same person.
func TestWhatSomebodyWasRefusedIsFoldedOnceTheyHaveWhatTheyWanted(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "comment #1 by ann: /promote nowhere", "comment #1 by bob: /promote nowhere")
	folded, open := s.folded(1, "Refused")
	require.Equal(t, []int{0, 2}, []int{folded, open})
	s.do("comment #1 by ann: /status")
	_, open = s.folded(1, "Refused")
	require.Equal(t, 2, open, "a question folds nothing")
	s.do("comment #1 by ann: /hold dev")
	folded, open = s.folded(1, "Refused")
	require.Equal(t, []int{1, 1}, []int{folded, open}, "only what was said to ann")
	before := len(s.github.Requests())
	s.do("comment #1 by ann: /unhold dev")
	for _, r := range s.github.Requests()[before:] {
		require.NotContains(t, r.Fields, "minimizeComment", "it is folded once")
	}
}

// TestOfAnswersToQuestionsTheNewestIsOpen asks several times. A person finds one open answer, or as many as their last
// comment has questions.
func TestOfAnswersToQuestionsTheNewestIsOpen(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "comment #1 by ann: /status", "comment #1 by bob: /status")
	folded, open := s.folded(1, "**")
	require.Equal(t, []int{0, 2}, []int{folded, open}, "the answer to another person stays open")
	s.do(`comment #1 by ann: /why dev\n/status dev`)
	folded, open = s.folded(1, "**")
	require.Equal(t, []int{1, 3}, []int{folded, open}, "questions of one comment fold no answer to each other")
}
