package promotion

import "time"

// Freeze is a time that comes again and again, in which nothing starts and nothing of ours is merged. It undoes
// nothing.
type Freeze struct {
	Reason    string        // the reason in the pipeline file
	Rollbacks bool          // rollbacks pass
	Begins    string        // when, as the file has it: the schedule and whose clocks show it
	Lasts     time.Duration // as the file has it
	Window    Window
}

// String says when the freeze is, and whether it stops rollbacks too.
func (f Freeze) String() string {
	text := f.Begins
	if f.Lasts > 0 {
		text += " for " + Brief(f.Lasts)
	}
	if !f.Rollbacks {
		text += ", rollbacks too"
	}
	return text
}

// Window says when a freeze is. The implementation knows calendars and time zones.
type Window interface {
	// Until returns when the window ends that a time lies in; the zero time if it lies in none. A window includes the
	// moment it begins, not the moment it ends.
	Until(now time.Time) time.Time
	// Next returns when the next window begins after a time; the zero time if none does.
	Next(now time.Time) time.Time
}

// Frozen returns the freeze that keeps a promotion of this class from starting and from being merged in a stage, the
// one that lasts longest, and when it ends; nil if there is none.
func (s *Stage) Frozen(c Class, now time.Time) (*Freeze, time.Time) {
	var longest *Freeze
	var until time.Time
	for i := range s.Policy.Freezes {
		f := &s.Policy.Freezes[i]
		if c == Rollback && f.Rollbacks {
			continue
		}
		if end := f.Window.Until(now); end.After(until) {
			longest, until = f, end
		}
	}
	return longest, until
}

// Because returns the freeze as a reason.
func (f *Freeze) Because() Reason {
	if f.Reason == "" {
		return Because(Frozen)
	}
	return Because(Frozen, f.Reason)
}
