package decide

import (
	"time"

	"waybill/promotion"
)

// planLasts is how long a plan may be used before the base is read again. A promotion normally starts in the moment its
// plan is there; when a hold came in between, the base has moved on.
const planLasts = time.Minute

// start starts the next promotion of the queue, once its plan is known (semantics 1.1: every fact needed to decide is
// at hand).
func start(d *draft) {
	p, o := next(&d.Snapshot, d.now)
	d.expect(o)
	if p == nil {
		return
	}
	a := d.Attempt(p.Number)
	plan := a.Plan
	lost, _ := d.gate().Disowned(p)
	switch {
	case !lost.IsZero():
		d.disown(p, lost)
	case a.State == promotion.AttemptFailed:
		d.end(p.Number, promotion.Failed, a.Failure) // GitHub does not even let us look
	case d.Stage.Rolls():
		begin(d, p.Number) // each step has its own plan
	case !recent(plan, d.now), a.Replaced(d.Stage.During(p)), plan.Unreadable():
		return // wanted asks for it
	case !plan.Problem.IsZero():
		d.end(p.Number, promotion.Failed, plan.Problem)
	default:
		begin(d, p.Number)
	}
}

// recent reports whether the plan is there and recent.
func recent(plan *promotion.Plan, now time.Time) bool {
	return plan != nil && now.Sub(plan.At) < planLasts
}
