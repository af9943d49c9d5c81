package promotion

import (
	"time"
)

// Hold stops a stage, or with an empty Stage the whole pipeline: nothing starts and nothing of ours is merged.
type Hold struct {
	ID        int64
	Stage     StageName
	Target    TargetName // of the stage, if it stops only that; a rollout passes it over
	By        Actor      // the zero actor is Waybill itself
	Reason    Reason
	Text      string // the reason of the person who holds
	Promotion Number // for the bot's own: the promotion that made it necessary
	At        time.Time
	Until     time.Time // zero: until it is lifted
	Lifted    time.Time
	LiftedBy  Actor
}

// Stands reports whether the hold stops anything at that time.
func (h Hold) Stands(now time.Time) bool {
	return h.Lifted.IsZero() && (h.Until.IsZero() || now.Before(h.Until))
}

// Because returns the hold as a reason, with the person who holds.
func (h *Hold) Because() Reason {
	if h.By.Bot() {
		return Because(Held, "bot")
	}
	return Because(Held, string(h.By.Login))
}

// Asked returns the reason of a person's hold, with the target if it is of one.
func (h Hold) Asked() Reason {
	if h.Target == "" {
		return Because(Asked, string(h.By.Login))
	}
	return Because(Asked, string(h.By.Login), string(h.Target))
}

// Covers reports whether another hold of the same place would stop nothing that h, a person's, does not stop already.
func (h *Hold) Covers(other *Hold) bool {
	longer := h.Until.IsZero() || !other.Until.IsZero() && !h.Until.Before(other.Until)
	return h.SameAs(*other) && !h.By.Bot() && longer
}

// SameAs reports whether both holds are of the same place.
func (h *Hold) SameAs(other Hold) bool { return h.Stage == other.Stage && h.Target == other.Target }
