package rollout

import (
	"slices"

	"waybill/promotion"
)

// Begin returns the progress of a promotion that starts now. The batches are from then on those that the pipeline file
// has at this moment. A promotion of the same freight to some targets only inherits which targets wait or are skipped
// in the promotion that caused it: without them the stage is no less verified than before.
func Begin(s *promotion.Snapshot, p *promotion.Promotion) promotion.Rollout {
	r := promotion.Rollout{Batches: batchesOf(s, p)}
	cause := s.Promotion(p.Cause)
	if len(p.Only) == 0 || cause == nil || cause.Rollout == nil || cause.Freight.ID != p.Freight.ID {
		return r
	}
	r.Waiting = slices.DeleteFunc(slices.Clone(cause.Rollout.Waiting), p.GoesTo)
	r.Skipped = slices.DeleteFunc(slices.Clone(cause.Rollout.Skipped), p.GoesTo)
	return r
}

// LeaveOut takes those targets out of the present step that lack reports, and lists them as waiting.
func LeaveOut(r promotion.Rollout, lacks func(promotion.TargetName) bool) promotion.Rollout {
	targets := r.Targets
	r.Targets, r.Waiting = nil, slices.Clip(r.Waiting)
	for _, t := range targets {
		if lacks(t) {
			r.Waiting = append(r.Waiting, t)
		} else {
			r.Targets = append(r.Targets, t)
		}
	}
	return r
}

// passOver notes the targets that the way to the next step has passed over: those that are gone, and at the end of the
// rollout those that could not take part. It returns nil if there are no new ones.
func passOver(r, next *promotion.Rollout, more bool) *promotion.Rollout {
	waiting := next.Waiting
	if more {
		waiting = r.Waiting
	}
	if len(next.Gone) == len(r.Gone) && len(waiting) == len(r.Waiting) {
		return nil
	}
	after := *r
	after.Gone, after.Waiting = next.Gone, waiting
	return &after
}

// Skip leaves a target out. One that waited does not catch up either.
func Skip(r promotion.Rollout, t promotion.TargetName) promotion.Rollout {
	r.Skipped = append(slices.Clip(r.Skipped), t)
	r.Waiting = slices.DeleteFunc(slices.Clone(r.Waiting), func(o promotion.TargetName) bool { return o == t })
	return r
}

// Readmit takes the targets that goes reports off the lists of those that wait and those that are skipped. Who has
// signed off what is merged has signed off no further targets.
func Readmit(r promotion.Rollout, goes func(promotion.TargetName) bool) promotion.Rollout {
	r.Waiting = slices.DeleteFunc(slices.Clone(r.Waiting), goes)
	r.Skipped = slices.DeleteFunc(slices.Clone(r.Skipped), goes)
	r.Widened = r.Merged > 0
	return r
}

// StepMerged counts the merge of a step.
func StepMerged(r promotion.Rollout) promotion.Rollout {
	r.Merged++
	r.Widened = false
	if !slices.Contains(r.Entered, r.Batch) {
		r.Entered = append(slices.Clip(r.Entered), r.Batch)
	}
	return r
}

// emptied returns why no target is left to a rollout that has brought nothing.
func emptied(r *promotion.Rollout) promotion.Reason {
	if len(r.Gone) == 0 {
		return promotion.Because(promotion.Skipped, promotion.Texts(r.Skipped)...)
	}
	return promotion.Because(promotion.Removed, promotion.Texts(r.Gone)...)
}
