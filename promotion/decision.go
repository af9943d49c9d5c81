package promotion

import "time"

// Decision is what Decide wants written down, in one transaction. All of it or nothing.
type Decision struct {
	Promotions []Promotion // new or changed, whole
	Stays      []Stay
	Holds      []Hold
	Approvals  []Approval
	Answered   []int64  // requests that need no more attention
	Effects    []Effect // owed: they happen once
	Wanted     []Effect // the complete list of what is wanted now: others that have not begun are withdrawn
	Log        []Entry
	// Ripples says that what stages downstream look at has changed.
	Ripples bool
	// Wake is when somebody must look again even if nothing happens; the zero time is never.
	Wake time.Time
}

// Nothing reports whether nothing is to be written but the wake time and what is wanted.
func (d Decision) Nothing() bool {
	return len(d.Promotions) == 0 && len(d.Stays) == 0 && len(d.Holds) == 0 && len(d.Approvals) == 0 &&
		len(d.Answered) == 0 && len(d.Effects) == 0 && len(d.Log) == 0
}
