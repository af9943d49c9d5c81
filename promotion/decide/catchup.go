package decide

import (
	"hash/fnv"
	"slices"
	"waybill/promotion"
	"waybill/promotion/rollout"
)

// A target that could not take part when freight was rolled out, or was not there yet, catches up by itself (semantics 5.1,
// 5.2): what the stage hosts is promoted once more, for such targets only, as soon as their files are there, they show what
// they must and nobody holds them. That is as good as the promotion before: stopped by the same holds, asked for by the same
// person, and attempted once for each target.

// catchUp queues promotions for targets that can take part by now.
func (w *work) catchUp() {
	for i := range w.Stays {
		late, _, o := w.late(&w.Stays[i])
		w.expect(o)
		if len(late) == 0 {
			continue
		}
		p := w.Promotion(w.Stays[i].Promotion)
		again := promotion.Promotion{Warehouse: p.Warehouse, Freight: p.Freight, FreightName: p.FreightName, Class: p.Class, By: p.By, Cause: p.Number, Only: late}
		if again.Class == promotion.Rollback {
			again.Class = promotion.Manual // nothing is gone back from any more
		}
		w.add(again)
	}
}

// wantLook asks what the files of targets say that lack what the stage hosts, as far as nobody knows: once for the same
// targets behind the same merge. A push that touches them is read anyway.
func (w *work) wantLook() {
	for i := range w.Stays {
		stay := &w.Stays[i]
		_, unknown, o := w.late(stay)
		w.expect(o)
		if len(unknown) > 0 {
			w.wanted(promotion.Effect{Verb: promotion.Look, Promotion: stay.Promotion, Round: question(stay, unknown)})
		}
	}
}

// question is a number for what is asked of some targets behind the latest merge.
func question(s *promotion.Stay, of []promotion.TargetName) int64 {
	sum := fnv.New32()
	for _, t := range of {
		sum.Write([]byte(t + " "))
	}
	sum.Write([]byte(s.Commit))
	return int64(sum.Sum32())
}

// late returns the targets that have not got what a stay hosts everywhere else, though they are ready, they are not held and
// nobody has left them out: those whose files are there, and those of which that is not known.
func (w *work) late(stay *promotion.Stay) (late, unknown []promotion.TargetName, o outlook) {
	p := w.Promotion(stay.Promotion)
	if w.Stage.External || stay.Ended() || stay.Verdict != promotion.Passed || stay.Drift.Stands() || p == nil || !p.Rolls() || !w.Stage.Rolls() || w.busy() {
		return nil, nil, o
	}
	missing := rollout.Missing(&w.Snapshot, stay)
	if len(missing) == 0 {
		return nil, nil, o
	}
	texts := texts(&w.Snapshot)
	sure, until := w.gate().Known()
	for _, name := range missing {
		if slices.Contains(p.Rollout.Skipped, name) || w.gate().HoldOn(name) != nil || rollout.Tried(&w.Snapshot, stay, name) {
			continue
		}
		conditional := w.gate().Conditional(name)
		if conditional {
			o.until = until
		}
		switch {
		case conditional && !sure:
			o.probes = stay.Promotion
		case conditional && !w.Lacks(name).IsZero():
		case readIn(w.Target(name), texts):
			late = append(late, name)
		default:
			unknown = append(unknown, name)
		}
	}
	return late, unknown, o
}

// busy reports whether something waits or runs in the stage.
func (w *work) busy() bool {
	return slices.ContainsFunc(w.Promotions, func(p promotion.Promotion) bool { return !p.State.Ended() })
}

// readIn reports whether everything that a target sets has been read.
func readIn(t *promotion.Target, texts map[promotion.Spot]string) bool {
	for at := range t.Spots() {
		if _, read := texts[at]; !read {
			return false
		}
	}
	return true
}
