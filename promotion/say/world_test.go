package say

import (
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/internal/fixture"
)

// planReport is the report on a plan for a freight.
func planReport(s *promotion.Snapshot, f promotion.FreightID, was []promotion.Value, plan promotion.Plan) Report {
	return PlanReport(decide.Why(s, f, fixture.Noon), decide.Explain(s, fixture.Noon), was, plan)
}
