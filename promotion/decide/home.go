package decide

import (
	"time"
	"waybill/promotion"
)

// MaySignOff reports whether somebody with these rights is to be asked for their sign-off of a promotion: it lacks one,
// they may give it, and they have not yet.
func MaySignOff(s *promotion.Snapshot, n promotion.Number, who promotion.Actor, has promotion.Permission,
	teams []string, now time.Time) bool {
	w := newWork(s, now)
	p := w.Active()
	if p == nil || p.Number != n || p.State != promotion.WaitingForMerge || w.gate().Unsigned(p) == 0 ||
		w.gate().HasSigned(p, who) {
		return false
	}
	signs := promotion.Request{Command: promotion.Command{Verb: promotion.CmdApprove, Stage: p.Stage}, By: who,
		Permission: has, Teams: teams}
	return w.mayNotIn(p.Stage, signs).IsZero()
}
