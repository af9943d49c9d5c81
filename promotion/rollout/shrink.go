package rollout

import (
	"slices"

	"waybill/promotion"
)

// Shrinks returns why the present step of a promotion cannot go on with all of its targets: the pipeline file no longer
// has one, or has its files elsewhere, a person has left it out, or holds it; the zero reason if it can.
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
	case !OnBranch(s, p, t) && slices.ContainsFunc(p.Rollout.Targets,
		func(o promotion.TargetName) bool { return OnBranch(s, p, o) }):
		return promotion.Because(promotion.Moved, s.Pipeline.FilesOn(s.Stage, s.Target(t).Files).String())
	case slices.Contains(p.Rollout.Skipped, t):
		return promotion.Because(promotion.Skipped, string(t))
	case h != nil:
		return h.Because()
	}
	return promotion.Reason{}
}

// OnBranch reports whether a target has its files on the branch where the present step of a promotion began.
func OnBranch(s *promotion.Snapshot, p *promotion.Promotion, t promotion.TargetName) bool {
	at, began := s.Target(t), s.Attempt(p.Number).Files
	return at != nil && (began == promotion.Branch{} || s.Pipeline.FilesOn(s.Stage, at.Files) == began)
}
