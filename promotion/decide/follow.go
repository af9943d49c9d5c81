package decide

import (
	"slices"

	"waybill/promotion"
	"waybill/promotion/deliver"
	"waybill/promotion/rollout"
)

// follow applies the state of the active promotion on GitHub, by the rules of the way in which it is delivered.
func follow(d *draft) {
	p := d.Active()
	if p == nil || p.State == promotion.Verifying {
		return
	}
	p = leaveOut(d, p, d.Attempt(p.Number).Plan)
	way, c := wayOf(&d.Snapshot, p)
	shrinks := func() promotion.Reason { return rollout.Shrinks(&d.Snapshot, p, gates(d.gate())) }
	switch news := way.Follow(c); {
	case news.Kind == deliver.Unsure:
		return
	case news.Kind == deliver.Arrived:
		d.merged(p.Number, news.Merged, c.Attempt)
	case news.Kind == deliver.Ended && news.Clean:
		d.withdraw(p.Number, news.State, news.Reason)
	case news.Kind == deliver.Ended && news.Reason.Code == promotion.NotPlanned:
		d.holdStage(news.Reason, d.end(p.Number, news.State, news.Reason).Number)
	case news.Kind == deliver.Ended:
		d.end(p.Number, news.State, news.Reason)
	case !d.Removed && rollout.Replaced(d.Stage, p):
		d.withdraw(p.Number, promotion.Cancelled, rollout.Removed(d.Stage, p.Rollout.Targets))
	case !shrinks().IsZero():
		beginAgain(d, p.Number, c.Attempt, shrinks())
	case news.Kind == deliver.Shown && p.State == promotion.Running:
		d.opened(p.Number)
	default:
		rebuild(d, p.Number, c.Attempt, way.Spent(c))
	}
}

// rebuild reads the plan that replaces one that could not be delivered, and gives up when a new plan does not help.
func rebuild(d *draft, n promotion.Number, a promotion.Attempt, spent bool) {
	switch anew := a.Plan != nil && a.Plan.Round > a.Made.Round; {
	case anew && !a.Plan.Problem.IsZero():
		d.withdraw(n, promotion.Failed, a.Plan.Problem)
	case anew && len(a.Plan.Paths) == 0:
		if !d.Stage.Rolls() || a.Plan.Round > 1 { // before the first plan of a step nothing of it was opened
			d.close(n, promotion.Because(promotion.NoChange))
		}
		unchanged(d, n, a.Plan)
	case spent:
		d.withdraw(n, promotion.Failed, promotion.Because(promotion.Conflict, a.Paths()...))
	}
}

// moveOut ends the promotion that began where the stage's files were before. Its merges stay there, and say nothing of
// the stage any more. A step of which some targets are where it began goes on with these. What waits in the queue goes
// to the new place.
func moveOut(d *draft) {
	for i := range d.Snapshot.Promotions {
		p := &d.Promotions[i]
		began := d.Attempt(p.Number).Files
		if p.State.Ended() || writing(&d.Snapshot, p) || began == (promotion.Branch{}) {
			continue
		}
		switch now := whereTo(d, p, began); {
		case now == began:
		case p.State == promotion.Queued:
			d.moveTo(p.Number, now)
		default:
			d.stop(p, promotion.Because(promotion.Moved, now.String()))
		}
	}
}

// whereTo returns the branch on which the present step of a promotion has its files now: where it began, if one of its
// targets is there, or it has started and none of them is in the stage any more.
func whereTo(d *draft, p *promotion.Promotion, began promotion.Branch) promotion.Branch {
	if p.Rollout == nil {
		return d.Pipeline.FilesOf(d.Stage)
	}
	here := func(t promotion.TargetName) bool { return rollout.OnBranch(&d.Snapshot, p, t) }
	known := func(t promotion.TargetName) bool { return d.Target(t) != nil }
	if slices.ContainsFunc(p.Rollout.Targets, here) || !slices.ContainsFunc(p.Rollout.Targets, known) {
		return began
	}
	return d.Pipeline.FilesOfStep(d.Stage, p)
}

// moveTo has a promotion that waits go to another branch.
func (d *draft) moveTo(n promotion.Number, to promotion.Branch) {
	d.change(n)
	d.Attempts = slices.Clone(d.Attempts)
	for i := range d.Attempts {
		if d.Attempts[i].Promotion == n {
			d.Attempts[i].MoveTo(to)
		}
	}
}
