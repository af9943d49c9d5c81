package decide

import (
	"slices"
	"strings"
	"waybill/promotion"
)

// Drift (semantics 6.4): the files no longer say what the last promotion of a warehouse wrote into the stage. Only the
// values that it wrote count: what people change beside them is theirs, and so is what another warehouse brought.

// compare notes on every stay that lasts how the files differ from what was written. Where nobody knows, what has been
// noted stays.
func (w *work) compare() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if stay.Ended() {
			continue
		}
		says, known := w.differing(stay)
		switch {
		case w.Stage.Drift == promotion.DriftIgnore || known && len(says) == 0:
			w.agrees(i)
		case known && !slices.Equal(says, stay.Drift.Says):
			w.drifted(i, says)
		}
	}
}

// differing returns what the files say in place of what was written, and whether that is known. It is not when a place
// could not be read, and not while a promotion is on its way that writes there again. On a branch that nobody has read it is as it
// was noted last.
func (w *work) differing(stay *promotion.Stay) (says []promotion.Value, known bool) {
	if len(w.Readings) == 0 || w.onItsWay(stay.Warehouse) {
		return nil, false
	}
	sets, reads, noted := sets(w.Stage), texts(&w.Snapshot), promotion.TextsOf(stay.Drift.Says)
	for _, wrote := range stay.Wrote {
		if !sets[wrote.Spot()] {
			continue // the pipeline file has let go of it
		}
		if !hasRead(&w.Snapshot, wrote.Files) {
			if text, differs := noted[wrote.Spot()]; differs {
				says = append(says, promotion.Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
			}
			continue
		}
		text, read := reads[wrote.Spot()]
		if !read {
			return nil, false
		}
		if text != wrote.Text {
			says = append(says, promotion.Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
		}
	}
	return says, true
}

// texts returns what the files said, of the places that could be read; nothing if nobody has read them.
func texts(s *promotion.Snapshot) map[promotion.Spot]string {
	var all []promotion.Value
	for i := range s.Readings {
		all = append(all, s.Readings[i].Values...)
	}
	return promotion.TextsOf(all)
}

// hasRead reports whether somebody has read the files on a branch that a value names.
func hasRead(s *promotion.Snapshot, named promotion.Branch) bool {
	on := s.Pipeline.FilesOn(s.Stage, named)
	return slices.ContainsFunc(s.Readings, func(r promotion.Reading) bool { return r.On == on })
}

// found returns the reading that found the first of some values that was not noted before; without one the first reading.
func found(s *promotion.Snapshot, says, noted []promotion.Value) promotion.Reading {
	for _, v := range says {
		on := s.Pipeline.FilesOn(s.Stage, v.Files)
		i := slices.IndexFunc(s.Readings, func(r promotion.Reading) bool { return r.On == on })
		if i >= 0 && !slices.Contains(noted, v) {
			return s.Readings[i]
		}
	}
	return s.Readings[0]
}

// sets returns where promotions into the stage write values.
func sets(s *promotion.Stage) map[promotion.Spot]bool {
	all := make(map[promotion.Spot]bool, len(s.Targets))
	for i := range s.Targets {
		for at := range s.Targets[i].Spots() {
			all[at] = true
		}
	}
	return all
}

// onItsWay reports whether a promotion of a warehouse's freight is between its start and its merge.
func (w *work) onItsWay(warehouse promotion.WarehouseName) bool {
	p := w.Active()
	return p != nil && p.Warehouse == warehouse && p.State != promotion.Verifying
}

// drifted notes that the files of the i-th stay differ, or differ otherwise than before.
func (w *work) drifted(i int, says []promotion.Value) {
	w.ownStays()
	stay := &w.Stays[i]
	found := found(&w.Snapshot, says, stay.Drift.Says)
	stay.Drift = promotion.Drift{
		Says: says, Commit: found.Commit, By: found.By, At: w.now, Count: stay.Drift.Count + 1,
	}
	w.keepStay(i)
	w.out.Log = append(w.out.Log, promotion.Entry{
		At: w.now, Stage: stay.Stage, Event: promotion.EventDrifted, SHA: stay.Drift.Commit, Reason: Drifted(stay), By: stay.Drift.By,
	})
}

// agrees notes that the files of the i-th stay say what was written, or that nobody wants to know.
func (w *work) agrees(i int) {
	if !w.Stays[i].Drift.Stands() {
		return
	}
	w.ownStays()
	w.Stays[i].Drift = promotion.Drift{Count: w.Stays[i].Drift.Count}
	w.keepStay(i)
}

// needless returns why a repair that waits has lost its sense; the zero reason if it has not, or if a person has asked for
// it meanwhile.
func (w *work) needless(p *promotion.Promotion) promotion.Reason {
	h := w.Hosted(p.Warehouse)
	switch {
	case !p.Repairs || p.Class != promotion.Automatic:
		return promotion.Reason{}
	case w.Stage.Drift != promotion.DriftRepair:
		return promotion.Because(promotion.Removed, "drift: repair")
	case h >= 0 && !w.Stays[h].Drift.Stands():
		return promotion.Because(promotion.NoChange)
	}
	return promotion.Reason{}
}

// mend answers every drift that stands, once: with a repair where the pipeline file wants one and automation may, else by
// telling.
func (w *work) mend() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		switch {
		case stay.Ended() || !stay.Drift.Stands() || w.onItsWay(stay.Warehouse):
		case w.Stage.Drift == promotion.DriftRepair && w.tried(stay.Drift.Repair): // what became of it is told by itself
		case w.Stage.Drift != promotion.DriftRepair || !w.repairable(stay):
			w.tellDrift(i)
		case !w.underway(stay.Warehouse):
			w.repair(i)
		}
	}
}

// tried reports whether a drift has had its repair. One that newer freight took the place of does not count.
func (w *work) tried(repair promotion.Number) bool {
	p := w.Promotion(repair)
	return repair != 0 && (p == nil || p.State != promotion.Superseded)
}

// repairable reports whether automation may write again what a stay's promotion wrote: the policy lets the stage promote
// by itself, the freight is available as for any promotion and not known to be bad, and nobody insists: what was put back
// once and is changed to the same again is for people to settle.
func (w *work) repairable(stay *promotion.Stay) bool {
	i := w.FreightAt(stay.Freight)
	return w.Stage.Automatic && !w.Stage.External && stay.Verdict != promotion.Bad && i >= 0 && w.gate().Available(i) && !w.repairedBefore(stay)
}

// repairedBefore reports whether a drift of the same freight to the same values has been repaired already.
func (w *work) repairedBefore(stay *promotion.Stay) bool {
	return slices.ContainsFunc(w.Stays, func(past promotion.Stay) bool {
		return past.Ended() && past.Freight == stay.Freight && past.Drift.Repair != 0 && slices.Equal(past.Drift.Says, stay.Drift.Says)
	})
}

// underway reports whether a promotion of a warehouse's freight has not ended: it writes what a repair would, or newer.
func (w *work) underway(warehouse promotion.WarehouseName) bool {
	return slices.ContainsFunc(w.Promotions, func(p promotion.Promotion) bool { return p.Warehouse == warehouse && !p.State.Ended() })
}

// repair queues a promotion of the freight that the i-th stay hosts already. It is automatic in everything: behind what
// people asked for, stopped by every hold, superseded by newer freight. But it is not the automatic promotion of its
// freight, of which there is one ever, and it moves no mark.
func (w *work) repair(i int) {
	w.ownStays()
	stay := &w.Stays[i]
	f := &w.Freight[w.FreightAt(stay.Freight)]
	stay.Drift.Repair = w.add(promotion.Promotion{
		Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: promotion.Automatic, Repairs: true, Cause: stay.Promotion,
	})
	w.keepStay(i)
}

// tellDrift owes a comment on the drift of the i-th stay, once.
func (w *work) tellDrift(i int) {
	if w.Stays[i].Drift.Told {
		return
	}
	w.ownStays()
	stay := &w.Stays[i]
	stay.Drift.Told = true
	w.keepStay(i)
	w.out.Effects = append(w.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: stay.Stage, Promotion: stay.Promotion, Round: int64(stay.Drift.Count), Freight: stay.Freight,
		Outcome: string(promotion.EventDrifted), Reason: Drifted(stay),
	})
}

// Drifted returns how the files differ from what was written when the stay began; the zero reason if they do not.
func Drifted(s *promotion.Stay) promotion.Reason {
	if !s.Drift.Stands() {
		return promotion.Reason{}
	}
	r := promotion.Because(promotion.Drifted)
	var is []string
	for _, v := range s.Drift.Says {
		r.Args = append(r.Args, v.Place())
		is = append(is, valueDiffers(v, s.Promotion, wrote(s, v.Spot())))
	}
	if s.Drift.By.Login != "" {
		is = append(is, "pushed by "+string(s.Drift.By.Login))
	}
	return r.With(strings.Join(is, "; "))
}

// wrote returns what was written at a place when the stay began.
func wrote(s *promotion.Stay, at promotion.Spot) string {
	for _, v := range s.Wrote {
		if v.Spot() == at {
			return v.Text
		}
	}
	return ""
}
