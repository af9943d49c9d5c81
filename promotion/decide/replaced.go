package decide

import "waybill/promotion"

// A stage that gets targets, or loses all of them, is another place (semantics 5.13). What it hosted has left with the
// targets that are removed, and nothing is brought to the new ones by itself.

// leaveTargets ends what is said of targets when the stage is another place than before.
func (w *work) leaveTargets() {
	for i := range w.Stays {
		if stay := &w.Stays[i]; !stay.Ended() && w.replacedSince(stay) {
			w.leaveStay(i, w.removedTargets(targetsOfParts(stay.Parts)))
		}
	}
	for i := range w.Snapshot.Promotions {
		p := &w.Promotions[i]
		if p.State == promotion.Queued && len(p.Only) > 0 && !w.Stage.Rolls() {
			w.end(p.Number, promotion.Cancelled, w.removedTargets(p.Only))
		}
	}
}

// leaveStay ends the i-th stay, and its promotion if that has not ended.
func (w *work) leaveStay(i int, why promotion.Reason) {
	p := w.Promotion(w.Stays[i].Promotion)
	if w.writing(p) {
		return // until it is known whether that is there
	}
	w.ownStays()
	w.Stays[i].Left, w.Readings = w.now, nil
	w.saveStay(i)
	w.out.Log = append(w.out.Log,
		promotion.Entry{At: w.now, Stage: w.Stage.Name, Event: promotion.EventLeft, Reason: why})
	if p != nil && !p.State.Ended() {
		w.stop(p, why)
	}
}

// replaced reports whether the stage had targets when a promotion started and has none now, or the other way round.
func (w *work) replaced(p *promotion.Promotion) bool { return p.Rolls() != w.Stage.Rolls() }

// replacedSince reports whether the stage had targets when a stay began and has none now, or the other way round.
func (w *work) replacedSince(stay *promotion.Stay) bool {
	if p := w.Promotion(stay.Promotion); p != nil && p.Rollout != nil {
		return w.replaced(p)
	}
	return len(stay.Parts) > 0 && (stay.Parts[0].Target != "") != w.Stage.Rolls()
}

// removedTargets is the reason that targets are no longer in the pipeline file.
func (w *work) removedTargets(names []promotion.TargetName) promotion.Reason {
	if w.Stage.Rolls() { // the one that is removed had no name
		return promotion.Because(promotion.Removed, string(w.Stage.Name)+" without targets")
	}
	return promotion.Because(promotion.Removed, promotion.Texts(names)...)
}

func targetsOfParts(parts []promotion.Part) []promotion.TargetName {
	names := make([]promotion.TargetName, len(parts))
	for i := range parts {
		names[i] = parts[i].Target
	}
	return names
}
