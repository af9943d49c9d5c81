package promotion

import "time"

// Asker is whether the person who asked for a promotion may still do so, as GitHub has said (semantics 4.6).
type Asker struct {
	Person int64     // by the numeric id; 0: GitHub was not asked
	Lost   Reason    // Forbidden PERMISSION, if the person may not any more
	Again  time.Time // GitHub could not say, and is asked again then; zero: it has said
}

// Asker returns what is known of the right of the person who asked for a promotion; nothing of automation, and nothing
// of somebody else who had asked for it before.
func (s *Snapshot) Asker(p *Promotion) Asker {
	if p.By.Bot() {
		return Asker{}
	}
	a := s.Attempt(p.Number).Asker
	if a.Person != p.By.ID {
		return Asker{}
	}
	return a
}
