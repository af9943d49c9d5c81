package promotion

import "time"

// Rejection is an effect that GitHub refuses at the moment, for a reason that may pass. It is tried again, and given up
// only if GitHub has refused it for too long without a break.
type Rejection struct {
	Promotion Number
	Verb      Verb
	Words     string    // GitHub's, of the latest refusal
	Since     time.Time // when GitHub refused it first
	Again     time.Time // when it is tried again
	Until     time.Time // when it is given up if GitHub still refuses it; zero: never
}

// Patience is how long GitHub may refuse an effect without a break before it is given up; 0: for ever.
type Patience time.Duration

// With returns the patience with an effect. One that is wanted until there is an answer is never given up, unless a
// person waits for it: they are told then.
func (p Patience) With(e Effect) Patience {
	if e.Verb.Is(Repeated) && e.Request == 0 {
		return 0
	}
	return p
}

// After returns the rejection of an effect that GitHub has just refused once more, and whether the effect is given up.
// before is the rejection until now; the zero value if there was none. The effect was due at a time, and is tried again
// after a delay. Time in which nobody tried, because the program stood still, does not count.
func (p Patience) After(
	before Rejection, words string, due, now time.Time, delay time.Duration,
) (r Rejection, spent bool) {
	r = before
	switch {
	case r.Since.IsZero():
		r.Since = now
		if p > 0 {
			r.Until = now.Add(time.Duration(p))
		}
	case !r.Until.IsZero():
		r.Until = r.Until.Add(max(0, now.Sub(due)))
	}
	r.Words, r.Again = words, Sooner(now.Add(delay), r.Until)
	return r, !r.Until.IsZero() && !now.Before(r.Until)
}

// Reason returns why the promotion waits, with GitHub's words.
func (r *Rejection) Reason() Reason { return Because(Refusing).With(r.Words) }

// Rejection returns the effect of a promotion that GitHub refuses at the moment; nil if there is none.
func (s *Snapshot) Rejection(n Number) *Rejection {
	for i := range s.Rejections {
		if s.Rejections[i].Promotion == n {
			return &s.Rejections[i]
		}
	}
	return nil
}
