package decide

import (
	"slices"
	"time"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// Decide works out what is to happen in one stage. It is total and level-triggered: it looks at what is so, never at
// what just happened.
//
// It goes through its phases in order: what the facts say, what people ask for, what the queue becomes, what starts.
// What people ask for, and what comes into the queue or leaves it, may change what the facts mean. Behind such a change
// it goes through them again. There are only so many commands, freight and promotions, so that it ends.
func Decide(s *promotion.Snapshot, now time.Time) promotion.Decision {
	w := newWork(s, now)
	w.expireHolds()
	w.expireAdmissions()
	if w.Removed {
		w.follow() // what is merged by now has arrived
		w.retire()
	} else {
		for again := true; again; {
			w.learn()
			again = w.changes(func() {
				w.obey()
				w.tidy()
				w.start()
			})
		}
	}
	w.want()
	w.watch()
	w.await()
	return w.decision()
}

// changes runs a phase and reports whether it has changed anything.
func (w *work) changes(phase func()) bool {
	w.moved = false
	phase()
	return w.moved
}

// learn takes over what the facts say.
func (w *work) learn() {
	w.probes = 0
	w.follow()       // what GitHub says of our pull requests
	w.moveOut()      // what was begun where the stage's files were before
	w.leaveTargets() // what was in targets of another kind
	w.judgeAll()     // what the signals say of the freight that is hosted
	w.compare()      // what the stage's files say
}

// tidy brings the queue in line with that.
func (w *work) tidy() {
	w.drop()    // what waits for freight that has failed upstream
	w.enqueue() // what has become available
	w.mend()    // what the files no longer say
	w.catchUp() // what targets have missed
	w.void()    // what has been signed off and has changed since
}

// work is a decision in the making: the snapshot as it would be if everything decided so far were so. The slices of the
// snapshot are copied before the first change, so that the caller's stay as they are.
type work struct {
	promotion.Snapshot
	now     time.Time
	sharing verify.Sharing
	out     promotion.Decision

	shown   string             // the hash of the plan that the stage showed when the present request came
	moved   bool               // something has changed in this pass
	probes  promotion.Number   // the promotion that would go on if it were known what the targets show; 0: none
	changed []promotion.Number // promotions that are new or differ from the snapshot

	copied, copiedStays, copiedHolds bool
}

// newWork returns a decision over a snapshot in which nothing is decided yet.
func newWork(s *promotion.Snapshot, now time.Time) *work {
	return &work{Snapshot: *s, now: now}
}

// judge says what the evidence means, and gate what may happen, as things are now. They are made whenever they are asked,
// so that a decision in which nothing happens allocates nothing.
func (w *work) judge() verify.Judge { return verify.JudgeOf(&w.Snapshot, &w.sharing) }
func (w *work) gate() gate.Keeper   { return gate.KeeperOf(&w.Snapshot, w.now) }

// gates returns the answers of a keeper that rollouts ask for. It is small enough to be inlined, so that its result
// allocates nothing.
func gates(k gate.Keeper) rollout.Gates {
	return rollout.Gates{
		HoldOn: k.HoldOn, Conditional: k.Conditional, Unready: k.Unready,
		Informed: k.Informed, Known: k.Known, Halted: k.Halted,
	}
}

// decision completes the decision with the promotions that have changed.
func (w *work) decision() promotion.Decision {
	for _, n := range w.changed {
		w.out.Promotions = append(w.out.Promotions, *w.Promotion(n))
	}
	return w.out
}

// change copies the promotions once, notes that this one changes, and hands it out for writing.
func (w *work) change(n promotion.Number) *promotion.Promotion {
	w.moved = true
	if !w.copied {
		w.Promotions, w.copied = slices.Clone(w.Promotions), true
	}
	if !slices.Contains(w.changed, n) {
		w.changed = append(w.changed, n)
	}
	return w.Promotion(n)
}

func (w *work) ownStays() {
	if !w.copiedStays {
		w.Stays, w.copiedStays = slices.Clone(w.Stays), true
		for i := range w.Stays {
			w.Stays[i].Parts = slices.Clone(w.Stays[i].Parts)
		}
	}
}

func (w *work) ownHolds() {
	if !w.copiedHolds {
		w.Holds, w.copiedHolds = slices.Clone(w.Holds), true
	}
}

// saveStay records the i-th stay as it is now, with something new for the stages downstream.
func (w *work) saveStay(i int) {
	w.out.Ripples = true
	w.keepStay(i)
}

// keepStay records the i-th stay as it is now.
func (w *work) keepStay(i int) {
	w.moved = true
	for j := range w.out.Stays {
		if w.out.Stays[j].Promotion == w.Stays[i].Promotion {
			w.out.Stays[j] = w.Stays[i]
			return
		}
	}
	w.out.Stays = append(w.out.Stays, w.Stays[i])
}
