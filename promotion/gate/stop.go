package gate

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Stopped returns the hold or the freeze that stops promotions of a class, with freight of a warehouse, as a reason,
// and when it ends; the zero reason if there is none. A hold that must be lifted has no end. A rollback passes the
// bot's holds, and freezes that let it.
func (k Keeper) Stopped(c promotion.Class, w promotion.WarehouseName) (why promotion.Reason, until time.Time) {
	if h := k.Hold(k.s.Stage.Name, w); h != nil && (c != promotion.Rollback || !h.By.Bot()) {
		if until = h.Until; c != promotion.Rollback && k.botHolds(w) {
			until = time.Time{} // its end frees nothing
		}
		return h.Because(), until
	}
	if f, until := k.s.Stage.Frozen(c, k.now()); f != nil {
		return f.Because(), until
	}
	return why, until
}

// Hold returns a hold that stops freight of a warehouse in a stage of the pipeline, or nil. Without a warehouse it must
// stop all freight. A person's comes before the bot's, then the one that lasts longest, then one of the whole stage.
func (k Keeper) Hold(stage promotion.StageName, w promotion.WarehouseName) (found *promotion.Hold) {
	for i := range k.s.Holds {
		h := &k.s.Holds[i]
		if h.Stops(stage, w) && h.Stands(k.now()) && (found == nil || stronger(h, found)) {
			found = h
		}
	}
	return found
}

// stronger reports whether of two holds the first is the one to name.
func stronger(h, than *promotion.Hold) bool {
	if h.By.Bot() != than.By.Bot() {
		return than.By.Bot()
	}
	if !h.Until.Equal(than.Until) {
		return h.Outlasts(than)
	}
	return h.Warehouse == "" && than.Warehouse != ""
}

// botHolds reports whether a hold of the bot stops freight of a warehouse in the stage. It has no end.
func (k Keeper) botHolds(w promotion.WarehouseName) bool {
	return slices.ContainsFunc(k.s.Holds, func(h promotion.Hold) bool {
		return h.By.Bot() && h.Stops(k.s.Stage.Name, w) && h.Stands(k.now())
	})
}

// Holds returns the holds that stop the stage, or a part of it.
func (k Keeper) Holds() (all []promotion.Hold) {
	for _, h := range k.s.Holds {
		if (h.Stage == k.s.Stage.Name || h.Stage == "") && h.Stands(k.now()) {
			all = append(all, h)
		}
	}
	return all
}

// HeldBy returns the holds of a person that stand in the pipeline, in all stages.
func (k Keeper) HeldBy(who promotion.Actor) (all []promotion.Hold) {
	for _, h := range k.s.Holds {
		if h.By.Is(who) && h.Stands(k.now()) {
			all = append(all, h)
		}
	}
	return all
}

// HoldOn returns the hold that keeps a target of the stage from taking part in rollouts, or nil.
func (k Keeper) HoldOn(t promotion.TargetName) *promotion.Hold {
	for i := range k.s.Holds {
		if h := &k.s.Holds[i]; h.Stage == k.s.Stage.Name && h.Target == t && t != "" && h.Stands(k.now()) {
			return h
		}
	}
	return nil
}

// thaws returns when a stage lets automation pass that is frozen now; always if it is not frozen.
func (k Keeper) thaws(s *promotion.Stage) instant {
	if len(s.Policy.Freezes) == 0 {
		return always
	}
	if f, until := s.Frozen(promotion.Automatic, k.now()); f != nil {
		return instantOf(until)
	}
	return always
}

// NextFreeze returns when a freeze of the stage ends that lasts, or one begins, whichever is first; the zero time if
// none will.
func (k Keeper) NextFreeze() (next time.Time) {
	for i := range k.s.Stage.Policy.Freezes {
		window := k.s.Stage.Policy.Freezes[i].Window
		turns := window.Until(k.now())
		if turns.IsZero() {
			turns = window.Next(k.now())
		}
		if next.IsZero() || !turns.IsZero() && turns.Before(next) {
			next = turns
		}
	}
	return next
}
