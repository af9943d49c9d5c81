package promotion

import (
	"cmp"
	"time"
)

// Reject is a person's word that freight is bad. It reaches later freight of the same warehouse, which contains it or
// may contain it, until a person says which freight repairs it (semantics 2.12).
type Reject struct {
	ID       int64
	Stage    StageName // that vouches for it no more; empty: no stage does, and none behind a gate takes it
	Freight  FreightRef
	From     Mark // the place of the freight in the order of its warehouse
	By       Actor
	Text     string // why
	At       time.Time
	Lifted   time.Time
	LiftedBy Actor
	FixedBy  string // the name of the freight that repairs it; empty: none is known
	Fixed    Mark   // the place of that
}

// Reaches reports whether the reject stands for a freight.
func (r *Reject) Reaches(f *Freight) bool {
	at := f.Mark()
	later := r.From == at || r.From.Before(f)
	repaired := r.FixedBy != "" && (r.Fixed == at || r.Fixed.Before(f))
	return r.Lifted.IsZero() && r.From.Warehouse == f.Warehouse && later && !repaired
}

// Because returns the reject as a reason, with the person.
func (r *Reject) Because() Reason {
	return Because(Rejected, r.Freight.Name, string(r.By.Login)).With(Clip(r.Text, ShownText))
}

// words says the same, for a sentence that begins with the name of the stage.
func (r *Reject) words() string {
	return "does not count it as verified (" + string(r.By.Login) + " rejected " + r.Freight.Name + ": " +
		Clip(r.Text, ShownText) + ")"
}

// Rejected returns the reject that reaches a freight in a stage, its own before that of older freight; nil if there is
// none.
func (s *Snapshot) Rejected(stage StageName, f *Freight) *Reject {
	if len(s.Rejects) == 0 { // almost always, and asked of each freight of a stage
		return nil
	}
	return s.reject(stage, f)
}

func (s *Snapshot) reject(stage StageName, f *Freight) (found *Reject) {
	for i := range s.Rejects {
		r := &s.Rejects[i]
		if r.Stage != "" && r.Stage != stage || !r.Reaches(f) {
			continue
		}
		if r.Freight.ID == f.ID {
			return r
		}
		found = cmp.Or(found, r)
	}
	return found
}

// RejectedWords says which reject reaches a freight in a stage, as Record.Withdrawn does; "" if none does.
func (s *Snapshot) RejectedWords(stage StageName, f *Freight) string {
	if r := s.Rejected(stage, f); r != nil {
		return r.words()
	}
	return ""
}
