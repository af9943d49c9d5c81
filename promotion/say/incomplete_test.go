package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestWhatTheFileHasGainedIsSaidOfTheStageAndOfAProposal(t *testing.T) { // S515
	h := promotion.Host{Freight: promotion.Freight{Name: "api#1"}, Unwritten: []string{"dev.yaml digest"},
		Deployment: promotion.Deployment{Stage: "dev", Verdict: promotion.Passed}}
	require.Equal(t, "verified, but incomplete: the pipeline file now also sets, or no longer sets, "+
		"dev.yaml digest; /promote dev api#1 writes it", judged(h))
	lines := prospectLines(promotion.Prospect{Stage: "dev",
		Partial: []promotion.Partial{{Freight: "api#1", Places: h.Unwritten}}})
	require.Equal(t, []string{"`dev` would host `api#1` **incompletely**: the file changes what is " +
		"written at `dev.yaml digest`; " +
		"`/promote dev api#1` brings it in line"}, lines)
}
