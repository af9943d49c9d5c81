package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/say"
)

// TestWhoOpensAPullRequestAgainIsOfferedWhatWouldBeCarriedOut checks what the comment says with which the pull request
// of a promotion that has ended is closed again.
func TestWhoOpensAPullRequestAgainIsOfferedWhatWouldBeCarriedOut(t *testing.T) { // semantics 4.11, 5.9
	said := func(s *promotion.Snapshot) string {
		s.Reopened = []promotion.Reopened{{Promotion: 1, State: s.Promotions[0].State, Freight: "api#1", Times: 1}}
		for _, e := range Decide(s, noon).Effects {
			if e.Verb == promotion.Close {
				return say.Sentence(e.Reason)
			}
		}
		return ""
	}
	over := "its promotion is over (cancelled), and opening it again promotes nothing"
	s := inState(promotion.Cancelled)
	require.Equal(t, over+"; to promote anew, say `/promote dev api#1`", said(s))

	pipeline := *s.Pipeline
	pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdPromote: {}}
	s.Pipeline = &pipeline
	require.Equal(t, over+"; `/why dev api#1` says how that freight stands", said(s), "nobody may promote it")

	s.Removed = true
	require.Equal(t, over, said(s))
}
