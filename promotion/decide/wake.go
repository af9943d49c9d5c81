package decide

import (
	"cmp"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"
)

// wakeAt has the stage decided again at t, if not before; the zero time is never.
func (d *draft) wakeAt(t time.Time) { d.out.Wake = promotion.Sooner(d.out.Wake, t) }

// outlook says when the answer to a question may change though nothing happens.
type outlook struct {
	until  time.Time        // the answer may be another one from then on; zero: never by itself
	probes promotion.Number // the promotion on whose behalf GitHub must be asked for the state of the targets; 0: none
}

// and returns the earlier of the two in each respect.
func (o outlook) and(p outlook) outlook {
	return outlook{promotion.Sooner(o.until, p.until), cmp.Or(p.probes, o.probes)}
}

// expect has the stage decided again when an answer may change, and GitHub asked for the state that would change it.
func (d *draft) expect(o outlook) {
	d.wakeAt(o.until)
	d.probes = cmp.Or(o.probes, d.probes)
}

// looksAgain returns when the stage is to be decided again though nothing need happen in it: when a freeze begins or
// ends for which people's changes or jobs may wait, and when images of freight are overdue, so that people are told.
func looksAgain(s *promotion.Snapshot, now time.Time) (at time.Time) {
	k := gate.KeeperOf(s, now)
	if s.Stage.Guard || s.Stage.Settled() {
		at = k.NextFreeze()
	}
	return promotion.Sooner(at, k.NextOverdue())
}
