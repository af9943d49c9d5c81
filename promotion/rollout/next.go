package rollout

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Next returns the step that follows the present one of a promotion: the first batch that is not done, and as many of
// its targets as may be updated at once, or one of them where each target has a pull request of its own.
//
// A target that is being verified takes one of the places of its batch; so does one that has failed, unless failures
// stop nothing. A target that is not ready when its batch comes is listed as waiting. more is false at the end of the
// rollout. A step without targets means that no place is free now.
func Next(s *promotion.Snapshot, p *promotion.Promotion, g Gates) (step promotion.Rollout, more bool) {
	return stepBehind(s.Stage, p, p.Rollout, ResultsOf(s, p), g)
}

// First returns the step that a promotion would begin with if it started now, as Next does.
func First(s *promotion.Snapshot, p *promotion.Promotion, g Gates) (step promotion.Rollout, more bool) {
	return stepBehind(s.Stage, p, &promotion.Rollout{Batches: batchesOf(s, p)}, kept(s, p), g)
}

// HasPlace reports whether a further target of a promotion may be updated while others are verified.
func HasPlace(s *promotion.Snapshot, p *promotion.Promotion, g Gates) bool {
	step, _ := Next(s, p, g)
	return len(step.Targets) > 0
}

// stepBehind returns the step that follows some progress of a promotion, which has reached the targets of parts.
func stepBehind(
	s *promotion.Stage, p *promotion.Promotion, r *promotion.Rollout, results []promotion.TargetResult, g Gates,
) (step promotion.Rollout, more bool) {
	step = *r
	step.Waiting, step.Gone = slices.Clone(step.Waiting), slices.Clone(step.Gone)
	reached, known := reachedBy(r, results), namesOf(s)
	failed, verifying := occupied(s, results)
	for i, b := range r.Batches {
		places, waits := b.AtOnce, false
		var left []promotion.TargetName
		for _, t := range b.Targets {
			switch {
			case failed[t]:
				places--
			case verifying[t]:
				places--
				waits = true
			case reached[t] || !p.GoesTo(t):
			case !known[t]:
				step.Gone = append(step.Gone, t)
			case g.Unready(p, t):
				step.Waiting = append(step.Waiting, t)
			default:
				left = append(left, t)
			}
		}
		if s.Strategy.PerTarget {
			places = min(places, 1)
		}
		if len(left) > 0 || waits {
			left = onOneBranch(s, left)
			step.Step, step.LeftOut = step.Step+step.LeftOut+1, 0
			step.Batch, step.Targets = i, left[:min(max(places, 0), len(left))]
			return step, true
		}
	}
	return step, false
}

// occupied returns the targets that take places of their batches: those that have failed, where a failure stops
// anything, and those that are being verified. A target that had the freight before the promotion takes none.
func occupied(s *promotion.Stage, results []promotion.TargetResult) (failed, verifying map[promotion.TargetName]bool) {
	failed, verifying = make(map[promotion.TargetName]bool), make(map[promotion.TargetName]bool)
	for i := range results {
		switch p := &results[i]; {
		case p.Verdict == promotion.Bad && s.Strategy.Beyond != promotion.BeyondContinues:
			failed[p.Target] = true
		case p.Verdict == promotion.Pending && p.Step > 0:
			verifying[p.Target] = true
		}
	}
	return failed, verifying
}

// onOneBranch returns those of some targets that have their files on the same branch as the first: one pull request
// updates them.
func onOneBranch(s *promotion.Stage, names []promotion.TargetName) (some []promotion.TargetName) {
	if !s.Spread() || len(names) == 0 {
		return names
	}
	files := make(map[promotion.TargetName]promotion.Branch, len(s.Targets))
	for i := range s.Targets {
		files[s.Targets[i].Name] = s.Targets[i].Files
	}
	for _, name := range names {
		if files[name] == files[names[0]] {
			some = append(some, name)
		}
	}
	return some
}

// reachedBy returns the targets whose turn has come, in any outcome.
func reachedBy(r *promotion.Rollout, results []promotion.TargetResult) map[promotion.TargetName]bool {
	reached := make(map[promotion.TargetName]bool, len(results))
	for i := range results {
		reached[results[i].Target] = true
	}
	for _, passed := range [][]promotion.TargetName{r.Waiting, r.Gone, r.Skipped} {
		for _, t := range passed {
			reached[t] = true
		}
	}
	return reached
}

// Short reports whether some target that could take part has not been reached. A promotion that did not go there, or
// broke off before, does not verify the stage.
func Short(r *promotion.Rollout, s *promotion.Stage, results []promotion.TargetResult) bool {
	reached, known := reachedBy(r, results), namesOf(s)
	for _, b := range r.Batches {
		for _, t := range b.Targets {
			if !reached[t] && known[t] {
				return true
			}
		}
	}
	return false
}

// restsUntil returns until when the batch of the present step rests before the batch of the next step begins; the zero
// time if it does not rest, or no target of it took part.
func restsUntil(r, next *promotion.Rollout, results []promotion.TargetResult) time.Time {
	wait := r.Batches[r.Batch].Wait
	if next.Batch == r.Batch || wait == 0 {
		return time.Time{}
	}
	var done time.Time
	batch := setOf(r.Batches[r.Batch].Targets)
	for _, result := range results {
		if result.Step > 0 && batch[result.Target] && result.Judged.After(done) {
			done = result.Judged
		}
	}
	if done.IsZero() {
		return done
	}
	return done.Add(wait)
}
