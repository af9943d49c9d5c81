package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/internal/fixture"
)

// starting is p1 of a stage that starts a workflow.
func starting() *promotion.Snapshot {
	s := fixture.InState(promotion.Running)
	s.Stage.Delivery, s.Stage.Targets[0].Changes = promotion.DeliveryWorkflow, nil
	s.Stage.Dispatch = &promotion.Dispatch{Workflow: "deploy.yml"}
	s.Stage.Targets[0].Verify = []promotion.Matcher{{
		Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev"), Appear: time.Minute, Timeout: time.Hour,
		Missing: promotion.LackHolds,
	}}
	return s
}

func TestWhatAStageWithAWorkflowSays(t *testing.T) {
	s := starting()
	at := decide.Waits(s, fixture.Noon)[0]
	require.Equal(t, "Starting its workflow", Title(at))
	require.Contains(t, planReport(s, s.Freight[0].ID, nil, promotion.Plan{}).Notes,
		"It starts the workflow deploy.yml, and changes no file.")
	require.Equal(t, "no file, it starts `deploy.yml`", filesOf(s.Stage))
}
