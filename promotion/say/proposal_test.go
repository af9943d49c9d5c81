package say

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion/internal/fixture"
)

func TestAProposalSaysNothingThatPeopleTypedAsMarkup(t *testing.T) {
	before, after := fixture.DevPipeline(), fixture.DevPipeline()
	after.Stages[1].Targets[0].Changes[0].Path = "`@everybody` <!-- --> [x](y)\n# big"
	after.Stages[1].Name = "x\"]\n```"
	_, text := Proposal{Before: before, After: after}.Words()
	require.Contains(t, text, "changes `@everybody <!-- --> [x](y) # big`;", "in code nothing pings, links or formats")
	require.NotContains(t, text, "\n# big")
	require.Equal(t, 2, strings.Count(text, "```"), text)
}

func TestAProposalSaysIntoWhichOrderReleasesWouldCome(t *testing.T) {
	before, after := fixture.DevPipeline(), fixture.DevPipeline()
	after.Warehouses[0].Versions.ByDate = true
	_, text := Proposal{Before: before, After: after}.Words()
	require.Contains(t, text, "- warehouse `api` puts its freight **into another order**: by date\n")
	_, text = Proposal{Before: after, After: before}.Words()
	require.Contains(t, text, "- warehouse `api` puts its freight **into another order**: by version\n")
}
