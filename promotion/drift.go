package promotion

import (
	"slices"
	"strings"
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
		case w.Stage.Drift == DriftIgnore || known && len(says) == 0:
			w.agrees(i)
		case known && !slices.Equal(says, stay.Drift.Says):
			w.drifted(i, says)
		}
	}
}

// differing returns what the files say in place of what was written, and whether that is known. It is not when a place
// could not be read, and not while a promotion is on its way that writes there again. On a branch that nobody has read it is as it
// was noted last.
func (w *work) differing(stay *Stay) (says []Value, known bool) {
	if len(w.Readings) == 0 || w.onItsWay(stay.Warehouse) {
		return nil, false
	}
	sets, reads, noted := w.Stage.sets(), w.texts(), textsOf(stay.Drift.Says)
	for _, wrote := range stay.Wrote {
		if !sets[wrote.spot()] {
			continue // the pipeline file has let go of it
		}
		if !w.hasRead(wrote.Files) {
			if text, differs := noted[wrote.spot()]; differs {
				says = append(says, Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
			}
			continue
		}
		text, read := reads[wrote.spot()]
		if !read {
			return nil, false
		}
		if text != wrote.Text {
			says = append(says, Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
		}
	}
	return says, true
}

// spot is where a value stands: a file and the key in it.
type spot struct {
	files     Branch
	path, key string
}

func (v Value) spot() spot { return spot{v.Files, v.Path, v.Key} }

func (c *Change) spot(key string) spot { return spot{c.Files, c.Path, key} }

func (c *Copy) spot() spot { return spot{c.Files, c.Path, EveryFile} }

// spots are where promotions write values of the target.
func (t *Target) spots() (all []spot) {
	for i := range t.Changes {
		for _, a := range t.Changes[i].Set {
			all = append(all, t.Changes[i].spot(a.Key))
		}
	}
	for i := range t.Copies {
		all = append(all, t.Copies[i].spot())
	}
	return all
}

// texts returns what the files said, of the places that could be read; nothing if nobody has read them.
func (s *Snapshot) texts() map[spot]string {
	var all []Value
	for i := range s.Readings {
		all = append(all, s.Readings[i].Values...)
	}
	return textsOf(all)
}

func textsOf(values []Value) map[spot]string {
	all := make(map[spot]string, len(values))
	for _, v := range values {
		all[v.spot()] = v.Text
	}
	return all
}

// hasRead reports whether somebody has read the files on a branch that a value names.
func (s *Snapshot) hasRead(named Branch) bool {
	on := s.Pipeline.FilesOn(s.Stage, named)
	return slices.ContainsFunc(s.Readings, func(r Reading) bool { return r.On == on })
}

// found returns the reading that found the first of some values that was not noted before; without one the first reading.
func (s *Snapshot) found(says, noted []Value) Reading {
	for _, v := range says {
		on := s.Pipeline.FilesOn(s.Stage, v.Files)
		i := slices.IndexFunc(s.Readings, func(r Reading) bool { return r.On == on })
		if i >= 0 && !slices.Contains(noted, v) {
			return s.Readings[i]
		}
	}
	return s.Readings[0]
}

// sets returns where promotions into the stage write values.
func (s *Stage) sets() map[spot]bool {
	all := make(map[spot]bool, len(s.Changes))
	for _, c := range s.Changes {
		for _, a := range c.Set {
			all[c.spot(a.Key)] = true
		}
	}
	for _, c := range s.Copies {
		all[c.spot()] = true
	}
	return all
}

// onItsWay reports whether a promotion of a warehouse's freight is between its start and its merge.
func (w *work) onItsWay(warehouse WarehouseName) bool {
	p := w.active()
	return p != nil && p.Warehouse == warehouse && p.State != Verifying
}

// drifted notes that the files of the i-th stay differ, or differ otherwise than before.
func (w *work) drifted(i int, says []Value) {
	w.ownStays()
	stay := &w.Stays[i]
	found := w.found(says, stay.Drift.Says)
	stay.Drift = Drift{
		Says: says, Commit: found.Commit, By: found.By, At: w.now, Count: stay.Drift.Count + 1,
	}
	w.keepStay(i)
	w.out.Log = append(w.out.Log, Entry{
		At: w.now, Stage: stay.Stage, Event: EventDrifted, SHA: stay.Drift.Commit, Reason: stay.Drifted(), By: stay.Drift.By,
	})
}

// agrees notes that the files of the i-th stay say what was written, or that nobody wants to know.
func (w *work) agrees(i int) {
	if !w.Stays[i].Drift.Stands() {
		return
	}
	w.ownStays()
	w.Stays[i].Drift = Drift{Count: w.Stays[i].Drift.Count}
	w.keepStay(i)
}

// needless returns why a repair that waits has lost its sense; the zero reason if it has not, or if a person has asked for
// it meanwhile.
func (w *work) needless(p *Promotion) Reason {
	h := w.hosted(p.Warehouse)
	switch {
	case !p.Repairs || p.Class != Automatic:
		return Reason{}
	case w.Stage.Drift != DriftRepair:
		return Because(Removed, "drift: repair")
	case h >= 0 && !w.Stays[h].Drift.Stands():
		return Because(NoChange)
	}
	return Reason{}
}

// mend answers every drift that stands, once: with a repair where the pipeline file wants one and automation may, else by
// telling.
func (w *work) mend() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		switch {
		case stay.Ended() || !stay.Drift.Stands() || w.onItsWay(stay.Warehouse):
		case w.Stage.Drift == DriftRepair && w.tried(stay.Drift.Repair): // what became of it is told by itself
		case w.Stage.Drift != DriftRepair || !w.repairable(stay):
			w.tellDrift(i)
		case !w.underway(stay.Warehouse):
			w.repair(i)
		}
	}
}

// tried reports whether a drift has had its repair. One that newer freight took the place of does not count.
func (w *work) tried(repair Number) bool {
	p := w.promotion(repair)
	return repair != 0 && (p == nil || p.State != Superseded)
}

// repairable reports whether automation may write again what a stay's promotion wrote: the policy lets the stage promote
// by itself, the freight is available as for any promotion and not known to be bad, and nobody insists: what was put back
// once and is changed to the same again is for people to settle.
func (w *work) repairable(stay *Stay) bool {
	i := w.freight(stay.Freight)
	return w.Stage.Automatic && !w.Stage.External && stay.Verdict != Bad && i >= 0 && w.available(i) && !w.repairedBefore(stay)
}

// repairedBefore reports whether a drift of the same freight to the same values has been repaired already.
func (w *work) repairedBefore(stay *Stay) bool {
	return slices.ContainsFunc(w.Stays, func(past Stay) bool {
		return past.Ended() && past.Freight == stay.Freight && past.Drift.Repair != 0 && slices.Equal(past.Drift.Says, stay.Drift.Says)
	})
}

// underway reports whether a promotion of a warehouse's freight has not ended: it writes what a repair would, or newer.
func (w *work) underway(warehouse WarehouseName) bool {
	return slices.ContainsFunc(w.Promotions, func(p Promotion) bool { return p.Warehouse == warehouse && !p.State.Ended() })
}

// repair queues a promotion of the freight that the i-th stay hosts already. It is automatic in everything: behind what
// people asked for, stopped by every hold, superseded by newer freight. But it is not the automatic promotion of its
// freight, of which there is one ever, and it moves no mark.
func (w *work) repair(i int) {
	w.ownStays()
	stay := &w.Stays[i]
	f := &w.Freight[w.freight(stay.Freight)]
	stay.Drift.Repair = w.add(Promotion{
		Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: Automatic, Repairs: true, Cause: stay.Promotion,
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
	w.out.Effects = append(w.out.Effects, Effect{
		Verb: Tell, Stage: stay.Stage, Promotion: stay.Promotion, Round: int64(stay.Drift.Count), Freight: stay.Freight,
		Outcome: string(EventDrifted), Reason: stay.Drifted(),
	})
}

// Drifted returns how the files differ from what was written when the stay began; the zero reason if they do not.
func (s *Stay) Drifted() Reason {
	if !s.Drift.Stands() {
		return Reason{}
	}
	r := Because(Drifted)
	var is []string
	for _, v := range s.Drift.Says {
		r.Args = append(r.Args, v.place())
		is = append(is, v.differs(s.Promotion, s.wrote(v.spot())))
	}
	if s.Drift.By.Login != "" {
		is = append(is, "pushed by "+string(s.Drift.By.Login))
	}
	return r.With(strings.Join(is, "; "))
}

// wrote returns what was written at a place when the stay began.
func (s *Stay) wrote(at spot) string {
	for _, v := range s.Wrote {
		if v.spot() == at {
			return v.Text
		}
	}
	return ""
}
