package gate

import (
	"strings"

	"waybill/promotion"
)

// MergeWaits returns the obstacles of a candidate (semantics 4.8). One that changes a file of the stage waits while the
// stage verifies its last promotion, is held, or is frozen: merged now it would be judged together with that, or slip
// through. No other waits. The hold of a target that the stage does not have any more stops nothing.
func (k Keeper) MergeWaits(c promotion.Candidate) (all []promotion.Obstacle) {
	if len(k.s.Pipeline.On(k.s.Stage, c.Into).ChangedBy(c)) == 0 {
		return nil
	}
	for _, h := range k.Holds() {
		if h.Target == "" || k.s.Target(h.Target) != nil {
			all = append(all, promotion.Obstacle{Hold: &h})
		}
	}
	all = append(all, k.frozen(promotion.Automatic)...)
	for i := range k.s.Promotions {
		if p := &k.s.Promotions[i]; p.State == promotion.Verifying {
			all = append(all, promotion.Obstacle{Promotion: p, Link: k.s.Link(p.Number)})
		}
	}
	return all
}

// JobWaits returns the obstacles of a job that GitHub holds back before it deploys a commit into the stage's
// environment, or into that of one of its targets: a person's hold of the stage, of that target, or of the warehouse
// whose freight the commit has brought, and a freeze for the class of the commit. A hold of Waybill's own stops
// promotions, and no job: the one that waits may be the one that would show that everything is well.
func (k Keeper) JobWaits(environment string, commit promotion.SHA) (all []promotion.Obstacle) {
	for _, h := range k.Holds() {
		if !h.By.Bot() && heldIn(k.s.Stage, h, environment) && k.concerns(h, commit) {
			all = append(all, promotion.Obstacle{Hold: &h})
		}
	}
	return append(all, k.frozen(k.classOf(commit))...)
}

// heldIn reports whether a hold concerns an environment: that of a target concerns the environment of no other.
func heldIn(s *promotion.Stage, h promotion.Hold, environment string) bool {
	if h.Target == "" {
		return true
	}
	t := s.Target(h.Target)
	return t != nil && (t.Environment == "" || strings.EqualFold(t.Environment, environment))
}

// concerns reports whether a hold concerns a commit: that of a warehouse does not concern what brought the freight of
// another one.
func (k Keeper) concerns(h promotion.Hold, commit promotion.SHA) bool {
	p := k.broughtBy(commit)
	return h.Warehouse == "" || p == nil || p.Freight.Warehouse == h.Warehouse
}

// frozen returns the freeze that stops a class of promotions; none if there is none.
func (k Keeper) frozen(c promotion.Class) []promotion.Obstacle {
	f, until := k.s.Stage.Frozen(c, k.now())
	if f == nil {
		return nil
	}
	return []promotion.Obstacle{{Freeze: f, Until: until}}
}

// classOf returns the class of the promotion that brought a commit; that of requests of people if none did.
func (k Keeper) classOf(commit promotion.SHA) promotion.Class {
	if p := k.broughtBy(commit); p != nil {
		return p.Class
	}
	return promotion.Manual
}

// broughtBy returns the promotion that brought a commit; nil if none did.
func (k Keeper) broughtBy(commit promotion.SHA) *promotion.Promotion {
	for i := range k.s.Promotions {
		if p := &k.s.Promotions[i]; p.MergeSHA == commit {
			return p
		}
	}
	return nil
}
