package promotion

import "time"

// Passage is a promotion that has brought freight into a stage, with the times of its way there: what the numbers about
// delivery are made of.
type Passage struct {
	Number    Number
	Stage     StageName
	Warehouse WarehouseName
	Freight   FreightID
	Class     Class
	Repairs   bool // it wrote values again that had drifted
	Pins      bool // it went back, so that automation must not undo it
	Partly    bool // it went to some targets only

	Made    time.Time // when the freight was merged or published
	Queued  time.Time
	Started time.Time
	Signed  time.Time // when the last sign-off was given that counted for it; zero: there was none
	Entered time.Time // when it was merged or committed; of a rollout, its first step
	Verdict Verdict   // the latest
	Judged  time.Time // when that was given; zero: there is none
}

// GoesBack reports whether the promotion brought back what the stage had before: it is a rollback, or a person promoted
// older freight.
func (p *Passage) GoesBack() bool { return p.Class == Rollback || p.Pins }

// BringsChange reports whether the promotion brought the whole stage forward. A repair writes what was there before. A
// promotion to some targets only brings them what others have.
func (p *Passage) BringsChange() bool { return !p.GoesBack() && !p.Repairs && !p.Partly }

// Verified returns when the stage had the freight and it was verified; the zero time if it was not. A verdict that the
// freight brought along is older than its arrival.
func (p *Passage) Verified() time.Time {
	if p.Verdict != Passed {
		return time.Time{}
	}
	return Later(p.Entered, p.Judged)
}
