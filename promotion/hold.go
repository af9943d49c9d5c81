package promotion

import (
	"time"
)

// Hold stops a stage, or with an empty Stage the whole pipeline: nothing starts and nothing of ours is merged. With a
// Warehouse it stops only freight of that warehouse.
type Hold struct {
	ID        int64
	Stage     StageName
	Target    TargetName    // of the stage, if it stops only that; a rollout passes it over
	Warehouse WarehouseName // of the stage, if it stops only its freight
	By        Actor         // the zero actor is Waybill itself
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

// Stops reports whether the hold stops freight of a warehouse in a stage; without a warehouse: whether it stops all
// freight there. One of a target stops none: rollouts pass it over.
func (h *Hold) Stops(stage StageName, w WarehouseName) bool {
	return (h.Stage == stage || h.Stage == "") && h.Target == "" && (h.Warehouse == "" || h.Warehouse == w)
}

// Holds returns what the bot holds on behalf of freight: freight of its warehouse, or, empty, the whole stage, where
// that takes from no other.
func (s *Stage) Holds(w WarehouseName) WarehouseName {
	if len(s.From) > 1 {
		return w
	}
	return ""
}

// Because returns the hold as a reason, with the person who holds, and the warehouse if it is of one.
func (h *Hold) Because() Reason {
	who := string(h.By.Login)
	if h.By.Bot() {
		who = "bot"
	}
	why := Because(Held, who).With(Clip(h.Text, ShownText))
	if h.Warehouse != "" {
		why.Args = append(why.Args, string(h.Warehouse))
	}
	return why
}

// Asked returns the reason of a person's hold, with the target or the warehouse if it is of one.
func (h Hold) Asked() Reason {
	if part := h.Part(); part != "" {
		return Because(Asked, string(h.By.Login), part)
	}
	return Because(Asked, string(h.By.Login))
}

// Part names the target or the warehouse that the hold is of; "" if it is of the whole stage.
func (h *Hold) Part() string { return string(h.Target) + string(h.Warehouse) }

// Covers reports whether another hold of the same person and place would stop nothing that h does not stop already.
// Holds of several people stand side by side: each lifts their own.
func (h *Hold) Covers(other *Hold) bool {
	return h.SameAs(*other) && h.By.Is(other.By) && !other.Outlasts(h)
}

// Outlasts reports whether the hold ends after another one.
func (h *Hold) Outlasts(other *Hold) bool {
	return !other.Until.IsZero() && (h.Until.IsZero() || h.Until.After(other.Until))
}

// SameAs reports whether both holds are of the same place.
func (h *Hold) SameAs(other Hold) bool {
	return h.Stage == other.Stage && h.Target == other.Target && h.Warehouse == other.Warehouse
}

// Within reports whether the hold is of one warehouse of the stage that the other one is of as a whole.
func (h *Hold) Within(other Hold) bool {
	return h.Stage == other.Stage && h.Warehouse != "" && other.Part() == ""
}
