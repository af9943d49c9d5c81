package decide

import (
	"waybill/promotion"
)

// expireHolds lifts the holds of this stage whose time has come, on the clock of the server. The first stage does it
// for the holds of the whole pipeline.
func expireHolds(d *draft) {
	for i := range d.Holds {
		h := &d.Holds[i]
		if !h.Lifted.IsZero() || h.Until.IsZero() || !mine(d, h.Stage) {
			continue
		}
		if h.Until.After(d.now) {
			d.wakeAt(h.Until)
			continue
		}
		d.lift(i, promotion.Actor{})
		d.released(*h, promotion.Actor{})
	}
}

// mine reports whether this decision looks after holds of that stage.
func mine(d *draft, stage promotion.StageName) bool {
	return stage == d.Stage.Name || stage == "" && d.Stage.Index == 0
}

// expireAdmissions revokes the admissions to this stage whose time has come, on the clock of the server.
func expireAdmissions(d *draft) {
	for _, a := range d.Approvals {
		if a.Kind != promotion.Admission || !a.Revoked.IsZero() || a.Expires.IsZero() {
			continue
		}
		if a.Expires.After(d.now) {
			d.wakeAt(a.Expires)
			continue
		}
		a.Revoked = d.now // it has not counted since it expired
		d.saveApproval(a)
		if f := d.FreightAt(a.Freight); f >= 0 {
			d.admission(promotion.EventRevoked, d.Freight[f].Name, promotion.Actor{})
		}
	}
}
