package promotion

import (
	"cmp"
	"slices"
)

// Withdrawal is a promotion that takes freight back in a stage: a rollback, or a promotion of older freight. The stage
// vouches no more for what it has verified before and is newer than what comes back (semantics 2.11).
type Withdrawal struct {
	Promotion Promotion
	To        Mark // the place of its freight in the order of the warehouse
}

// Withdraws reports whether the promotion takes newer freight back: a rollback from when it is asked for, a promotion
// of older freight from its merge. One that ends without having merged anything takes nothing back.
func (p *Promotion) Withdraws() bool {
	if p.Class == Rollback {
		return !p.State.Ended() || !p.Merged.IsZero()
	}
	return p.Pins && !p.Merged.IsZero()
}

// takes reports whether a deployment of a freight is taken back: the freight is newer than what comes back, and the
// deployment began before that was merged.
func (w *Withdrawal) takes(d *Deployment, f *Freight) bool {
	p := &w.Promotion
	switch {
	case !p.Withdraws() || w.To.Warehouse != f.Warehouse || !w.To.Before(f):
		return false
	case p.Merged.IsZero():
		return true
	}
	began := cmp.Or(d.Entered.Compare(p.Merged), cmp.Compare(d.Promotion, p.Number))
	return d.Ended() && began < 0
}

// words says what the stage did, for a sentence that begins with its name.
func (w *Withdrawal) words() string {
	p := &w.Promotion
	does, asked := "went back to ", ""
	if p.Merged.IsZero() {
		does = "goes back to "
	}
	if !p.By.Bot() {
		asked = ", asked for by " + string(p.By.Login)
	}
	if p.Words != "" {
		asked += ": " + Clip(p.Words, ShownText)
	}
	return does + p.Freight.Name + " (promotion " + p.Number.String() + asked + ")"
}

// withdrawn returns what takes a deployment of a freight back, in words; "" if nothing does.
func (d *Deployment) withdrawn(f *Freight, by []Withdrawal) string {
	for i := len(by) - 1; i >= 0; i-- {
		if by[i].takes(d, f) {
			return by[i].words()
		}
	}
	if !d.Drift.Stands() {
		return ""
	}
	return d.Drift.words()
}

// words says how the files of a stage differ, for a sentence that begins with its name.
func (d *Drift) words() string {
	pushed := ""
	if d.By.Login != "" {
		pushed = ", pushed by " + string(d.By.Login)
	}
	more := ""
	if len(d.Says) > 1 {
		more = " and more"
	}
	return "has something else in its files (" + d.Says[0].Place() + more + pushed + ")"
}

// TakenBack reports whether a promotion has taken freight back, so that it comes anew. The latest deployment of the
// freight decides: what came again after it had been taken back is not taken back any more.
func (s *Snapshot) TakenBack(f *Freight) bool {
	for i := range slices.Backward(s.Deployments) {
		if s.Deployments[i].Freight == f.ID {
			return s.TookBack(i)
		}
	}
	return false
}

// TookBack reports whether a promotion has taken back what the i-th deployment brought.
func (s *Snapshot) TookBack(i int) bool {
	d := &s.Deployments[i]
	f := s.FreightAt(d.Freight)
	return f >= 0 && slices.ContainsFunc(s.Withdrawals(), func(w Withdrawal) bool { return w.takes(d, &s.Freight[f]) })
}

// Withdrawals returns the promotions of the stage that take freight back, as far as the snapshot has them, in the order
// in which they were queued.
func (s *Snapshot) Withdrawals() (all []Withdrawal) {
	for i := range s.Promotions {
		p := &s.Promotions[i]
		if f := s.FreightAt(p.Freight.ID); f >= 0 && p.Withdraws() {
			all = append(all, Withdrawal{Promotion: *p, To: s.Freight[f].Mark()})
		}
	}
	return all
}
