package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
)

// A target that could not take part when freight was rolled out, or was not there yet, catches up by itself (semantics
// 5.1, 5.2): the hosted freight is promoted once more, for such targets only, as soon as they may take part
// (promotion/rollout/late.go). That is as good as the promotion before: stopped by the same holds, asked for by the
// same person, and attempted once for each target.

// catchUp queues promotions for targets that can take part by now.
func catchUp(d *draft) {
	for i := range d.Deployments {
		late, o := latecomers(&d.Snapshot, &d.Deployments[i], d.now)
		d.expect(o)
		if len(late.Ready) == 0 {
			continue
		}
		p := d.Promotion(d.Deployments[i].Promotion)
		again := promotion.Promotion{Freight: p.Freight,
			Class: p.Class, By: p.By, Cause: p.Number, Only: late.Ready}
		if again.Class == promotion.Rollback {
			again.Class = promotion.Manual // nothing is gone back from any more
		}
		d.add(again)
	}
}

// latecomers looks for targets that may catch up with a deployment.
func latecomers(
	s *promotion.Snapshot, deployment *promotion.Deployment, now time.Time,
) (late rollout.Latecomers, o outlook) {
	late = rollout.Late(s, deployment, gates(gate.KeeperOf(s, now)))
	o.until = late.Until
	if late.Asks {
		o.probes = deployment.Promotion
	}
	return late, o
}
