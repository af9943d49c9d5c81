package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// retire ends everything in a stage that the pipeline file no longer has; its history stays (Q18).
func retire(d *draft) {
	for i := range d.Snapshot.Promotions {
		p := &d.Promotions[i]
		if p.State.Ended() {
			continue
		}
		if !writing(&d.Snapshot, p) {
			d.stop(p, promotion.Because(promotion.Removed, string(d.Stage.Name)))
		}
	}
	for _, r := range d.Requests {
		if r.Command.Verb == promotion.CmdHold && r.Command.All && command.Forbids(&d.Snapshot, r).IsZero() {
			obeyHold(d, r) // it concerns the others
			continue
		}
		d.refuse(r, promotion.Because(promotion.Removed, string(d.Stage.Name)))
	}
	d.Requests = nil
}
