package decide

import (
	"time"

	"waybill/promotion"
)

// Decide returns the changes that one stage needs now. It is total and level-triggered: it looks at the present state,
// never at the last event.
//
// It goes through its phases in order: facts, requests, queue, start. A request, or a change of the queue, may change
// the meaning of the facts; behind such a change it goes through the phases again. The numbers of commands, freight and
// promotions are finite, so that it ends; if rules undid each other it would panic, because no decision is better than
// one without end.
func Decide(s *promotion.Snapshot, now time.Time) promotion.Decision {
	d := newDraft(s, now)
	expireHolds(d)
	expireAdmissions(d)
	closeReopened(d)
	if d.Removed {
		follow(d) // a pull request that is merged by now has arrived
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
	tellRecoveries(d, s)
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

// learn applies the facts.
func learn(d *draft) {
	d.probes = 0
	follow(d)       // the state of our pull requests on GitHub
	moveOut(d)      // promotions that began where the stage's files were before
	leaveTargets(d) // deployments to targets of another kind
	judgeAll(d)     // the signals for the freight that is hosted
	compare(d)      // the values in the stage's files
}

// tidy brings the queue in line with that.
func tidy(d *draft) {
	drop(d)             // promotions that are pointless
	disownBegun(d)      // and those whose asker has lost the right
	enqueue(d)          // freight that has become available
	supersedeWaiting(d) // promotions that wait behind newer freight
	giveWay(d)          // promotions of freight that is not available any more
	answerDrift(d)      // values that have drifted
	catchUp(d)          // targets that were missed
	revokeOutdated(d)   // sign-offs of commits that have changed since
}
