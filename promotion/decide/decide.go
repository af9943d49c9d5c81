package decide

import (
	"time"
	"waybill/promotion"
)

// Decide works out what is to happen in one stage. It is total and level-triggered: it looks at what is so, never at
// what just happened.
//
// It goes through its phases in order: what the facts say, what people ask for, what the queue becomes, what starts.
// What people ask for, and what comes into the queue or leaves it, may change what the facts mean. Behind such a change
// it goes through them again. There are only so many commands, freight and promotions, so that it ends; if rules undid
// each other it would panic, because no decision is better than none that ends.
func Decide(s *promotion.Snapshot, now time.Time) promotion.Decision {
	d := newDraft(s, now)
	expireHolds(d)
	expireAdmissions(d)
	if d.Removed {
		follow(d) // what is merged by now has arrived
		retire(d)
	} else {
		for again, rounds := true, 0; again; rounds++ {
			if rounds == maxRounds {
				panic("the rules undo each other in " + string(s.Stage.Name))
			}
			learn(d)
			again = changes(d, func() {
				obey(d)
				tidy(d)
				start(d)
			})
		}
	}
	effects, until := wanted(&d.Snapshot, d.judge(), d.probes, now)
	d.out.Wanted = effects
	d.wakeAt(until)
	d.wakeAt(looksAgain(&d.Snapshot, now))
	return d.decision()
}

// maxRounds is more rounds than any decision takes: behind the first, each is there because a command was answered, or
// because something came into the queue or left it.
const maxRounds = 1000

// changes runs a phase and reports whether it has changed anything.
func changes(d *draft, phase func()) bool {
	d.moved = false
	phase()
	return d.moved
}

// learn takes over what the facts say.
func learn(d *draft) {
	d.probes = 0
	follow(d)       // what GitHub says of our pull requests
	moveOut(d)      // what was begun where the stage's files were before
	leaveTargets(d) // what was in targets of another kind
	judgeAll(d)     // what the signals say of the freight that is hosted
	compare(d)      // what the stage's files say
}

// tidy brings the queue in line with that.
func tidy(d *draft) {
	drop(d)           // what waits for freight that has failed upstream
	enqueue(d)        // what has become available
	answerDrift(d)    // what the files no longer say
	catchUp(d)        // what targets have missed
	revokeOutdated(d) // what has been signed off and has changed since
}
