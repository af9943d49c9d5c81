package decide

import (
	"cmp"
	"time"

	"waybill/promotion"
)

// wakeAt has the stage decided again at t, if not before; the zero time is never.
func (w *work) wakeAt(t time.Time) { w.out.Wake = sooner(w.out.Wake, t) }

// note has the stage decided again when the answer to a question may be another one, and returns the answer.
func (w *work) note(why promotion.Reason, until time.Time) promotion.Reason {
	w.wakeAt(until)
	return why
}

// outlook is what may change the answer to a question though nothing happens.
type outlook struct {
	until  time.Time        // the answer may be another one from then on; zero: never by itself
	probes promotion.Number // the promotion on whose behalf GitHub must be asked what the targets show; 0: none
}

// and returns what may change one of two answers.
func (o outlook) and(p outlook) outlook {
	return outlook{sooner(o.until, p.until), cmp.Or(p.probes, o.probes)}
}

// expect has the stage decided again when an answer may be another one, and GitHub asked for what would change it.
func (w *work) expect(o outlook) {
	w.wakeAt(o.until)
	w.probes = cmp.Or(o.probes, w.probes)
}

// sooner returns the earlier of two times, of which the zero time is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// watch has the stage decided again when a freeze begins or ends, if people's changes or jobs may wait for that:
// nothing else need happen then.
func (w *work) watch() {
	if w.Stage.Guard || w.Stage.Settled() {
		w.wakeAt(w.gate().NextFreeze())
	}
}

// await has the stage decided again when images of freight are overdue, so that people are told.
func (w *work) await() { w.wakeAt(w.gate().NextOverdue()) }
