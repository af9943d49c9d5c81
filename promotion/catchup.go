package promotion

import (
	"hash/fnv"
	"slices"
)

// A target that could not take part when freight was rolled out, or was not there yet, catches up by itself (semantics 5.1,
// 5.2): what the stage hosts is promoted once more, for such targets only, as soon as their files are there, they show what
// they must and nobody holds them. That is as good as the promotion before: stopped by the same holds, asked for by the same
// person, and attempted once for each target.

// catchUp queues promotions for targets that can take part by now.
func (w *work) catchUp() {
	for i := range w.Stays {
		late, _ := w.late(&w.Stays[i])
		if len(late) == 0 {
			continue
		}
		p := w.promotion(w.Stays[i].Promotion)
		again := Promotion{Warehouse: p.Warehouse, Freight: p.Freight, FreightName: p.FreightName, Class: p.Class, By: p.By, Cause: p.Number, Only: late}
		if again.Class == Rollback {
			again.Class = Manual // nothing is gone back from any more
		}
		w.add(again)
	}
}

// wantLook asks what the files of targets say that lack what the stage hosts, as far as nobody knows: once for the same
// targets behind the same merge. A push that touches them is read anyway.
func (w *work) wantLook() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		if _, unknown := w.late(stay); len(unknown) > 0 {
			w.wanted(Effect{Verb: Look, Promotion: stay.Promotion, Round: stay.question(unknown)})
		}
	}
}

// question is a number for what is asked of some targets behind the latest merge.
func (s *Stay) question(of []TargetName) int64 {
	sum := fnv.New32()
	for _, t := range of {
		sum.Write([]byte(t + " "))
	}
	sum.Write([]byte(s.Commit))
	return int64(sum.Sum32())
}

// late returns the targets that have not got what a stay hosts everywhere else, though they are ready, they are not held and
// nobody has left them out: those whose files are there, and those of which nobody knows.
func (w *work) late(stay *Stay) (late, unknown []TargetName) {
	p := w.promotion(stay.Promotion)
	if w.Stage.External || stay.Ended() || stay.Verdict != Passed || stay.Drift.Stands() || p == nil || p.Rollout == nil || w.busy() {
		return nil, nil
	}
	missing := w.missing(stay)
	if len(missing) == 0 {
		return nil, nil
	}
	texts := w.texts()
	for _, name := range missing {
		switch {
		case slices.Contains(p.Rollout.Skipped, name) || w.heldTarget(name) || w.triedSince(stay, name):
		case w.conditional(name) && (!w.sureEnough(stay.Promotion) || !w.lacks(name).IsZero()):
		case w.target(name).readIn(texts):
			late = append(late, name)
		default:
			unknown = append(unknown, name)
		}
	}
	return late, unknown
}

// missing returns the targets of the stage's batches to which nothing of a stay has been brought.
func (w *work) missing(stay *Stay) (names []TargetName) {
	has := make(map[TargetName]bool, len(stay.Parts))
	for k := range stay.Parts {
		has[stay.Parts[k].Target] = true
	}
	for _, b := range w.Stage.Batches {
		for _, t := range b.Targets {
			if !has[t] && w.target(t) != nil {
				names = append(names, t)
			}
		}
	}
	return names
}

// busy reports whether something waits or runs in the stage.
func (w *work) busy() bool {
	return slices.ContainsFunc(w.Promotions, func(p Promotion) bool { return !p.State.Ended() })
}

// triedSince reports whether another promotion was to bring to a target what a stay hosts, whatever became of it, since what
// the stay began with: it may have been caught up with itself.
func (w *work) triedSince(stay *Stay, t TargetName) bool {
	began := w.began(stay)
	return slices.ContainsFunc(w.Promotions, func(p Promotion) bool {
		return p.Freight == stay.Freight && p.Number > began && p.goesTo(t)
	})
}

// began returns the promotion that some targets of a stay have been catching up with.
func (w *work) began(stay *Stay) Number {
	n := stay.Promotion
	for p := w.promotion(n); p != nil && len(p.Only) > 0; p = w.promotion(n) {
		cause := w.promotion(p.Cause)
		if cause == nil || cause.Freight != stay.Freight {
			break
		}
		n = cause.Number
	}
	return n
}

// readIn reports whether everything that a target sets has been read.
func (t *Target) readIn(texts map[spot]string) bool {
	return !slices.ContainsFunc(t.spots(), func(at spot) bool {
		_, read := texts[at]
		return !read
	})
}
