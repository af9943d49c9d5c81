package torture

import (
	"slices"
)

// Shrink makes a plan as small as it gets while it breaks the same rule: acts are left out, what is left is followed by
// rest, and the end is left out.
func Shrink(plan Plan, breaks func(Plan) bool) Plan {
	for smaller := true; smaller; {
		smaller = false
		for i := len(plan.Acts) - 1; i >= 0; i-- {
			less := plan
			less.Acts = slices.Delete(slices.Clone(plan.Acts), i, i+1)
			if breaks(less) {
				plan, smaller = less, true
			}
		}
	}
	for i := range plan.Acts {
		calm := plan
		calm.Acts = slices.Clone(plan.Acts)
		calm.Acts[i].Steps = toRest
		if plan.Acts[i].Steps != toRest && breaks(calm) {
			plan = calm
		}
	}
	if open := plan; plan.End {
		open.End = false
		if breaks(open) {
			plan = open
		}
	}
	return plan
}
