package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/drift"
)

// Drift (semantics 6.4): the files differ from the values that the last promotion of a warehouse wrote into the stage.
// Package drift says how they differ; here that is noted, and answered once.

// compare notes on every deployment that lasts how the files differ from the values that it wrote. Where that is not
// known, the last note stays.
func compare(d *draft) {
	for i := range d.Deployments {
		deployment := &d.Deployments[i]
		if deployment.Ended() {
			continue
		}
		says, known := drift.Compare(&d.Snapshot, deployment)
		switch {
		case d.Stage.Drift == promotion.DriftIgnore:
			agrees(d, i, time.Time{}) // it has not been drift
		case known && len(says) == 0:
			agrees(d, i, d.now)
		case known && drift.IsNew(says, deployment.Drift.Says):
			drifted(d, i, says)
		case known && len(says) < len(deployment.Drift.Says): // what is left is no new drift
			d.changeDeployment(i).Drift.Says, d.out.Ripples = says, true
		}
	}
}

// drifted notes that the files of the i-th deployment differ where they did not before.
func drifted(d *draft, i int, says []promotion.Value) {
	in := drift.FoundIn(&d.Snapshot, says, d.Deployments[i].Drift.Says)
	deployment := d.changeDeployment(i)
	deployment.Drift = promotion.Drift{
		Says: says, Commit: in.Commit, By: in.By, At: d.now, Count: deployment.Drift.Count + 1,
	}
	d.out.Ripples = true
	d.out.Log = append(d.out.Log, promotion.Entry{
		At: d.now, Stage: deployment.Stage, Event: promotion.EventDrifted, SHA: deployment.Drift.Commit,
		Reason: drift.Reason(deployment), By: deployment.Drift.By,
	})
}

// agrees notes that the files of the i-th deployment have the written values again since then, or that the pipeline
// file ignores drift.
func agrees(d *draft, i int, since time.Time) {
	if d.Deployments[i].Drift.Stands() {
		deployment := d.changeDeployment(i)
		deployment.Drift = promotion.Drift{Count: deployment.Drift.Count, Righted: since}
		d.out.Ripples = true
	}
}

// answerDrift answers every drift that stands, once: with a repair where the pipeline file wants one and automation
// may, else by telling.
func answerDrift(d *draft) {
	for i := range d.Deployments {
		deployment := &d.Deployments[i]
		switch {
		case deployment.Ended() || !deployment.Drift.Stands() || drift.OnItsWay(&d.Snapshot, deployment.Warehouse):
		case d.Stage.Drift == promotion.DriftRepair && drift.Tried(&d.Snapshot, deployment.Drift):
			// the result of the repair is reported by itself
		case d.Stage.Drift != promotion.DriftRepair || !repairable(d, deployment):
			tellDrift(d, i)
		case !drift.Underway(&d.Snapshot, deployment.Warehouse):
			repair(d, i)
		}
	}
}

// repairable reports whether automation may write the values of a deployment's promotion again: the policy lets the
// stage promote by itself, the freight is not known to be bad here, and it is the first repair of this difference: if
// the same change is made again after a repair, people decide.
func repairable(d *draft, deployment *promotion.Deployment) bool {
	if !d.Stage.Policy.Automatic || d.Stage.Strategy.External || deployment.Verdict == promotion.Bad {
		return false
	}
	i := d.FreightAt(deployment.Freight)
	return i >= 0 && !drift.RepairedBefore(&d.Snapshot, deployment) && d.Rejected(d.Stage.Name, &d.Freight[i]) == nil
}

// repair queues a promotion of the freight that the i-th deployment hosts already. It is automatic in everything:
// behind requests of people, stopped by every hold, superseded by newer freight. But it is not the automatic promotion
// of its freight, of which there is one ever, and it moves no mark.
func repair(d *draft, i int) {
	deployment := d.changeDeployment(i)
	f := &d.Freight[d.FreightAt(deployment.Freight)]
	deployment.Drift.Repair = d.add(promotion.Promotion{
		Freight: f.Ref(), Class: promotion.Automatic,
		Repairs: true, Cause: deployment.Promotion,
	})
}

// tellDrift owes a comment on the drift of the i-th deployment, once.
func tellDrift(d *draft, i int) {
	if d.Deployments[i].Drift.Told {
		return
	}
	deployment := d.changeDeployment(i)
	deployment.Drift.Told = true
	d.out.Effects = append(d.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: deployment.Stage, Promotion: deployment.Promotion, Round: int64(deployment.Drift.Count),
		Freight: deployment.Freight, Outcome: string(promotion.EventDrifted), Reason: drift.Reason(deployment),
	})
}
