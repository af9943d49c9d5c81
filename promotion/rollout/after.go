package rollout

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
)

// Sequel is the next state of a promotion that has no step under way.
type Sequel struct {
	Kind     Kind
	Progress *promotion.Rollout // the progress of the promotion from now on; nil: it stays as it is
	State    promotion.State    // of Ends: the state in which the promotion ends
	Reason   promotion.Reason   // of Rests, Halts, Asks and Ends: why
	Until    time.Time          // the answer may be another one from then on; zero: not though nothing happens
}

// Kind tells sequels apart.
type Kind int

// The kinds of sequels. The first four have a step to go on to; the last two are of promotions that have brought
// nothing.
const (
	// Begins: the next step begins, the one that Progress says.
	Begins Kind = iota + 1
	// Rests: the batch that is done rests before the next one begins.
	Rests
	// Halts: a hold, a freeze, a pause or a failure upstream keeps the next step from beginning.
	Halts
	// Asks: GitHub must be asked for the state of the targets that come next.
	Asks
	// Awaits: no further target can be updated, and the verdict on others is still to come.
	Awaits
	// Finishes: the rollout is at its end, and all targets that took part have a verdict.
	Finishes
	// Stands: the freight is already everywhere where the promotion goes.
	Stands
	// Ends: none of the targets where the promotion goes can take part.
	Ends
)

// After returns the sequel of a promotion when it starts, when a step of it is done, or when one has become empty. Only
// a promotion that has brought its freight to some targets rests, halts or asks: the gates of one that has brought
// nothing were asked when it started, and are asked again before its pull request is merged.
func After(s *promotion.Snapshot, p *promotion.Promotion, g Gates, now time.Time) (next Sequel) {
	next.Kind = Begins
	results, brought := ResultsOf(s, p), s.DeploymentOf(p.Number) >= 0
	step, more := stepBehind(s.Stage, p, p.Rollout, results, g)
	if brought && (more || p.Rolls()) {
		next = keptFrom(p, &step, more, results, g, now)
	}
	if next.Kind == Asks {
		return next
	}
	passed := passOver(p.Rollout, &step, more)
	switch {
	case !more || len(step.Targets) == 0:
		end := ending(s.Stage, p, cmp.Or(passed, p.Rollout), results, brought)
		if next.Kind == Halts {
			end.Until = next.Until
		}
		next, next.Progress = end, passed
	case next.Kind == Begins:
		next.Progress = new(step)
	default:
		next.Progress = passed
	}
	return next
}

// Stalled returns why a promotion that has brought its freight to some targets does not go on to its next step, and
// until when; the zero reason if nothing keeps it from that.
func Stalled(s *promotion.Snapshot, p *promotion.Promotion, g Gates, now time.Time) (promotion.Reason, time.Time) {
	step, more := Next(s, p, g)
	is := keptFrom(p, &step, more, ResultsOf(s, p), g, now)
	return is.Reason, is.Until
}

// keptFrom returns why a promotion does not begin its next step, or that it begins. If only targets are left that
// cannot take part, the rollout would be over: then GitHub is asked first whether that is so, whatever else stops it.
func keptFrom(
	p *promotion.Promotion, next *promotion.Rollout, more bool, results []promotion.TargetResult, g Gates, now time.Time,
) Sequel {
	asks := Sequel{Kind: Asks, Reason: promotion.Because(promotion.Waiting)} // for GitHub's answer about the targets
	informed := g.Informed(p, next.Targets, next.Waiting[len(p.Rollout.Waiting):])
	if !more && !informed {
		return asks
	}
	if until := restsUntil(p.Rollout, next, results); until.After(now) {
		return Sequel{Kind: Rests, Reason: promotion.Because(promotion.Resting, p.Rollout.BatchName()), Until: until}
	}
	if why, until := g.Halted(p); !why.IsZero() {
		return Sequel{Kind: Halts, Reason: why, Until: until}
	}
	if !informed {
		return asks
	}
	return Sequel{Kind: Begins}
}

// ending returns the sequel of a promotion with this progress that has no further step, or no place for one now.
func ending(
	s *promotion.Stage, p *promotion.Promotion, r *promotion.Rollout, results []promotion.TargetResult, brought bool,
) Sequel {
	switch {
	case brought && hasPending(results):
		return Sequel{Kind: Awaits}
	case brought:
		return Sequel{Kind: Finishes}
	case isThere(s, p, results):
		return Sequel{Kind: Stands}
	case len(r.Waiting) > 0:
		why := promotion.Because(promotion.Unready, promotion.Texts(r.Waiting)...)
		return Sequel{Kind: Ends, State: promotion.Failed, Reason: why}
	}
	return Sequel{Kind: Ends, State: promotion.Cancelled, Reason: emptied(r)}
}

// Judging reports whether a target that a rollout has updated has no verdict yet.
func Judging(s *promotion.Snapshot, p *promotion.Promotion) bool { return hasPending(ResultsOf(s, p)) }

// hasPending reports whether a target that the promotion has updated has no verdict yet.
func hasPending(results []promotion.TargetResult) bool {
	return slices.ContainsFunc(results, func(result promotion.TargetResult) bool {
		return result.Verdict == promotion.Pending && result.Step > 0
	})
}

// isThere reports whether the freight is already there where a promotion goes. Targets that could not take part catch
// up later. Where targets are driven from outside they do not, so that one that was asked for and does not have the
// freight is no success.
func isThere(s *promotion.Stage, p *promotion.Promotion, results []promotion.TargetResult) bool {
	return slices.ContainsFunc(results, func(result promotion.TargetResult) bool {
		return !s.Strategy.External || p.GoesTo(result.Target)
	})
}
