package decide

import (
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// A stage that gets targets, or loses all of them, is another place (semantics 5.13). Its deployments have left with
// the targets that are removed, and nothing is promoted to the new ones by itself.

// leaveTargets ends the deployments to targets when the stage is another place than before.
func leaveTargets(d *draft) {
	for i := range d.Deployments {
		if deployment := &d.Deployments[i]; !deployment.Ended() && rollout.ReplacedSince(&d.Snapshot, deployment) {
			endDeployment(d, i, rollout.Removed(d.Stage, rollout.TargetsOf(deployment.Results)))
		}
	}
	for i := range d.Snapshot.Promotions {
		p := &d.Promotions[i]
		if p.State == promotion.Queued && len(p.Only) > 0 && !d.Stage.Rolls() {
			d.end(p.Number, promotion.Cancelled, rollout.Removed(d.Stage, p.Only))
		}
	}
}

// endDeployment ends the i-th deployment, and its promotion if that has not ended.
func endDeployment(d *draft, i int, why promotion.Reason) {
	p := d.Promotion(d.Deployments[i].Promotion)
	if writing(&d.Snapshot, p) {
		return // until it is known whether that is there
	}
	d.changeDeployment(i).Left = d.now
	d.Readings, d.out.Ripples = nil, true
	d.out.Log = append(d.out.Log,
		promotion.Entry{At: d.now, Stage: d.Stage.Name, Event: promotion.EventLeft, Reason: why})
	if p != nil && !p.State.Ended() {
		d.stop(p, why)
	}
}
