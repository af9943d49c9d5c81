package rollout

import (
	"slices"

	"waybill/promotion"
)

// Shrinks returns why the present step of a promotion cannot go on with all of its targets: the pipeline file no longer
// has one, a person has left it out, or holds it; the zero reason if it can.
func Shrinks(s *promotion.Snapshot, p *promotion.Promotion, g Gates) (why promotion.Reason) {
	for _, t := range p.Rollout.Targets {
		switch leaves := mustLeave(s, p, t, g); {
		case leaves.IsZero():
		case why.IsZero():
			why = leaves
		case why.Code == leaves.Code && why.Code != promotion.Held:
			why.Args = append(why.Args, leaves.Args...)
		}
	}
	return why
}

// mustLeave returns why a target must not be updated by a step that has it; the zero reason if it may.
func mustLeave(s *promotion.Snapshot, p *promotion.Promotion, t promotion.TargetName, g Gates) promotion.Reason {
	switch h := g.HoldOn(t); {
	case s.Target(t) == nil:
		return promotion.Because(promotion.Removed, string(t))
	case slices.Contains(p.Rollout.Skipped, t):
		return promotion.Because(promotion.Skipped, string(t))
	case h != nil:
		return h.Because()
	}
	return promotion.Reason{}
}
