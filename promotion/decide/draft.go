package decide

import (
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// draft is a decision in the making: the snapshot as it would be if everything decided so far were so. The slices of
// the snapshot are copied before the first change, so that those of the caller do not change.
type draft struct {
	promotion.Snapshot
	now     time.Time
	sharing verify.Sharing
	out     promotion.Decision

	shown   string             // the hash of the plan that the stage showed when the present request came
	moved   bool               // something has changed since the phase began that asks
	probes  promotion.Number   // the promotion that would go on if the state of the targets were known; 0: none
	changed []promotion.Number // promotions that are new or differ from the snapshot
	// whose deployments are new or differ from the snapshot
	changedStays []promotion.Number

	copied, copiedStays, copiedHolds bool
}

// newDraft returns a decision over a snapshot in which nothing is decided yet.
func newDraft(s *promotion.Snapshot, now time.Time) *draft {
	return &draft{Snapshot: *s, now: now}
}

// judge and gate return the judge of the evidence and the gates, as things are now. They are made at each call, so that
// a decision in which nothing happens allocates nothing.
func (d *draft) judge() verify.Judge { return verify.JudgeOf(&d.Snapshot, &d.sharing) }

func (d *draft) gate() gate.Keeper { return gate.KeeperOf(&d.Snapshot, d.now) }

// gates returns the answers of a keeper that rollouts ask for. It is small enough to be inlined, so that its result
// allocates nothing.
func gates(k gate.Keeper) rollout.Gates {
	return rollout.Gates{
		HoldOn: k.HoldOn, Conditional: k.Conditional, Unready: k.Unready,
		Informed: k.Informed, Known: k.Known, Halted: k.Halted,
	}
}

// decision completes the decision with the promotions and deployments that have changed.
func (d *draft) decision() promotion.Decision {
	for _, n := range d.changedStays {
		d.out.Deployments = append(d.out.Deployments, d.Deployments[d.DeploymentOf(n)])
	}
	for _, n := range d.changed {
		d.out.Promotions = append(d.out.Promotions, *d.Promotion(n))
	}
	return d.out
}

// change copies the promotions once, notes that this one changes, and hands it out for writing.
func (d *draft) change(n promotion.Number) *promotion.Promotion {
	d.moved = true
	if !d.copied {
		d.Promotions, d.copied = slices.Clone(d.Promotions), true
	}
	if !slices.Contains(d.changed, n) {
		d.changed = append(d.changed, n)
	}
	return d.Promotion(n)
}

// changeDeployment copies the deployments once, notes that the i-th one changes, and hands it out for writing.
func (d *draft) changeDeployment(i int) *promotion.Deployment {
	d.moved = true
	if !d.copiedStays {
		d.Deployments, d.copiedStays = slices.Clone(d.Deployments), true
		for i := range d.Deployments {
			d.Deployments[i].Results = slices.Clone(d.Deployments[i].Results)
		}
	}
	if n := d.Deployments[i].Promotion; !slices.Contains(d.changedStays, n) {
		d.changedStays = append(d.changedStays, n)
	}
	return &d.Deployments[i]
}

func (d *draft) ownHolds() {
	if !d.copiedHolds {
		d.Holds, d.copiedHolds = slices.Clone(d.Holds), true
	}
}

// log says which state a promotion has entered, and why.
func (d *draft) log(p *promotion.Promotion, r promotion.Reason) {
	d.out.Log = append(d.out.Log, promotion.Entry{
		At: d.now, Stage: p.Stage, Promotion: p.Number, State: p.State, Reason: r, By: p.By,
	})
}
