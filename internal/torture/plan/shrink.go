package plan

import (
	"slices"
)

// Shrink makes a plan as small as possible while it breaks the same rule: it drops acts, lets the program rest after
// the acts left, and drops the end.
func Shrink(p Plan, breaks func(Plan) bool) Plan {
	for smaller := true; smaller; {
		smaller = false
		for i := len(p.Acts) - 1; i >= 0; i-- {
			less := p
			less.Acts = slices.Delete(slices.Clone(p.Acts), i, i+1)
			if breaks(less) {
				p, smaller = less, true
			}
		}
	}
	for i := range p.Acts {
		calm := p
		calm.Acts = slices.Clone(p.Acts)
		calm.Acts[i].Steps = ToRest
		if p.Acts[i].Steps != ToRest && breaks(calm) {
			p = calm
		}
	}
	if open := p; p.End {
		open.End = false
		if breaks(open) {
			p = open
		}
	}
	return p
}
