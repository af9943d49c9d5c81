package rollout

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Latecomers are the targets of a stage that do not have the freight that it hosts everywhere else, and may take part
// by now.
type Latecomers struct {
	Ready  []promotion.TargetName // those that may catch up
	Unread []promotion.TargetName // those of which it is not known whether their files exist
	Asks   bool                   // GitHub must be asked for the state of some others
	Until  time.Time              // GitHub need not be asked again before; zero: none of them must show anything
}

// Late returns the targets that could not take part when freight was rolled out, or were not there yet, and may catch
// up (semantics 5.1, 5.2): their files are there, they meet their conditions, and no person holds them or has left them
// out. Each catches up once. None does while a promotion to the stage waits or runs, in a stage that is driven from
// outside, or when the freight is not verified or its files have drifted.
func Late(s *promotion.Snapshot, deployment *promotion.Deployment, g Gates) (late Latecomers) {
	p := s.Promotion(deployment.Promotion)
	if p == nil || !p.Rolls() || !settled(s, deployment) {
		return late
	}
	all := missing(s, deployment)
	if len(all) == 0 {
		return late
	}
	read := s.TextsRead()
	sure, until := g.Known()
	for _, t := range all {
		if slices.Contains(p.Rollout.Skipped, t) || g.HoldOn(t) != nil || tried(s, deployment, t) {
			continue
		}
		conditional := g.Conditional(t)
		if conditional {
			late.Until = until
		}
		switch {
		case conditional && !sure:
			late.Asks = true
		case conditional && !s.Lacks(t).IsZero():
		case readIn(s.Target(t), read):
			late.Ready = append(late.Ready, t)
		default:
			late.Unread = append(late.Unread, t)
		}
	}
	return late
}

// settled reports whether the stage has come to rest with the freight of a deployment, so that targets may catch up
// with it.
func settled(s *promotion.Snapshot, deployment *promotion.Deployment) bool {
	return s.Stage.Rolls() && !s.Stage.Strategy.External && !deployment.Ended() &&
		deployment.Verdict == promotion.Passed && !deployment.Drift.Stands() && !s.Busy()
}

// readIn reports whether everything that a target sets has been read.
func readIn(t *promotion.Target, read map[promotion.Spot]string) bool {
	for at := range t.Spots() {
		if _, known := read[at]; !known {
			return false
		}
	}
	return true
}

// missing returns the targets of the stage's batches that do not have the freight of a deployment.
func missing(s *promotion.Snapshot, deployment *promotion.Deployment) (names []promotion.TargetName) {
	has := make(map[promotion.TargetName]bool, len(deployment.Results))
	for k := range deployment.Results {
		has[deployment.Results[k].Target] = true
	}
	for _, b := range s.Stage.Strategy.Batches {
		for _, t := range b.Targets {
			if !has[t] && s.Target(t) != nil {
				names = append(names, t)
			}
		}
	}
	return names
}

// tried reports whether another promotion was to bring the freight of a deployment to a target since the promotion that
// began it, in any outcome. A promotion that caught up for some targets began nothing: its cause did.
func tried(s *promotion.Snapshot, deployment *promotion.Deployment, t promotion.TargetName) bool {
	began := beganBy(s, deployment)
	return slices.ContainsFunc(s.Promotions, func(p promotion.Promotion) bool {
		return p.Freight.ID == deployment.Freight && p.Number > began && p.GoesTo(t)
	})
}

// beganBy returns the promotion that some targets of a deployment have been catching up with.
func beganBy(s *promotion.Snapshot, deployment *promotion.Deployment) promotion.Number {
	n := deployment.Promotion
	for p := s.Promotion(n); p != nil && len(p.Only) > 0; p = s.Promotion(n) {
		cause := s.Promotion(p.Cause)
		if cause == nil || cause.Freight.ID != deployment.Freight {
			break
		}
		n = cause.Number
	}
	return n
}
