package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/internal/fixture"
)

// committing is p1 of a stage without pull requests, with a plan.
func committing() *promotion.Snapshot {
	s := fixture.InState(promotion.Running)
	s.Stage.Delivery = promotion.DeliveryCommit
	return s
}

func TestWhatAStageWithoutPullRequestsSays(t *testing.T) {
	s := committing()
	at := decide.Waits(s, fixture.Noon)[0]
	require.Equal(t, "Committing", Title(at))
	s.Attempts[0].Made.URL, s.Attempts[0].Made.Head = "https://x", "c1"
	require.Equal(t, promotion.Link{What: promotion.OnCommit, URL: "https://x"}, s.Link(1))
	at = decide.Waits(s, fixture.Noon)[0]
	require.Contains(t, Summary(at, "dev"), "\nCommit: https://x\n")
	require.Equal(t, "[commit](https://x)", new(LineOf(s.Freight[0], at)).links())
	require.Contains(t, CardOf(s.Pipeline, at).Small, "<https://x|commit>")
	require.Contains(t, planReport(s, s.Freight[0].ID, nil, promotion.Plan{}).Notes,
		"It is committed to main without a pull request.")
	verifying := fixture.InState(promotion.Verifying)
	verifying.Stage.Delivery = promotion.DeliveryCommit
	require.Contains(t, Title(decide.Waits(verifying, fixture.Noon)[0]), "Committed, verifying")
	require.Equal(t, "Committed, verifying", HistoryReport("dev", verifying.Stage, verifying.Promotions).Rows[0][2])
	require.Equal(t, []contrast{{What: "merge", Before: "auto", After: "none, it is committed directly"}},
		contrasts(&promotion.Stage{Merge: promotion.Merging{By: promotion.MergeAuto}},
			&promotion.Stage{Merge: promotion.Merging{By: promotion.MergeAuto}, Delivery: promotion.DeliveryCommit}))
}
