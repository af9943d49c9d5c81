package promotion

import (
	"slices"
	"time"
)

// Promotion is one piece of freight on its way into one stage. Decide writes it; the answers of GitHub are its Attempt.
type Promotion struct {
	Number    Number // within its pipeline
	Place     int64  // in the queue of its stage: the order of queueing
	Stage     StageName
	Freight   FreightRef
	Class     Class
	Automatic bool // it was queued by policy because its freight became available, even if its class has changed since
	State     State
	Reason    Reason // why it is in this state, where that needs a reason
	By        Actor  // who asked for it; zero for automation
	Words     string // why, in the words of who asked for it
	Cause     Number // the promotion that it retries, rolls back or repairs, if any
	Repairs   bool   // it writes the values of its cause again, because the files have drifted
	Queued    time.Time
	Started   time.Time
	Merged    time.Time
	Ended     time.Time
	MergeSHA  SHA
	Only      []TargetName // that it is to update; none: all
	Rollout   *Rollout     // its progress through the targets of the stage; nil until it has started
	Early     bool         // it waits until its freight is available, and lapses when newer freight is promoted
	Pins      bool         // once it is merged the bot holds the stage, so that automation does not undo it
	Version   int64        // of the stored row: a change is written only over the version that was read
}

// GoesTo reports whether the promotion is to update a target.
func (p *Promotion) GoesTo(t TargetName) bool { return len(p.Only) == 0 || slices.Contains(p.Only, t) }

// Where names the stage, or the one target that the promotion is to update.
func (p *Promotion) Where() string {
	if len(p.Only) == 1 {
		return string(p.Stage) + "/" + string(p.Only[0])
	}
	return string(p.Stage)
}

// GoesPartlyBack reports whether the promotion is a rollback of some targets of its stage only.
func (p *Promotion) GoesPartlyBack() bool { return p.Class == Rollback && len(p.Only) > 0 }

// BringsNew reports whether the promotion brings freight forward: a rollback goes back, and a repair writes what was
// written before.
func (p *Promotion) BringsNew() bool { return p.Class != Rollback && !p.Repairs }

// GoesBefore reports whether the promotion is ahead of another in the queue of their stage.
func (p *Promotion) GoesBefore(q *Promotion) bool {
	if p.Class.rank() != q.Class.rank() {
		return p.Class.rank() < q.Class.rank()
	}
	return p.Place < q.Place
}

// Paused returns who has paused the rollout; the zero reason if it is not paused.
func (p *Promotion) Paused() Reason {
	if p.Rollout == nil || p.Rollout.Paused.Bot() {
		return Reason{}
	}
	return Because(Paused, string(p.Rollout.Paused.Login))
}

// WroteNothing reports whether the promotion found its files as it wanted them, and verifies what was there already.
func (p *Promotion) WroteNothing() bool {
	return p.Reason.Code == NoChange || p.Rollout != nil && p.Rollout.WroteNothing
}

// Rolls reports whether the promotion has started to go through targets that the pipeline file names.
func (p *Promotion) Rolls() bool { return p.Rollout != nil && p.Rollout.named() }

// Step returns the number of the step of a rollout that is under way; 0 of a promotion to a stage that is one place.
func (p *Promotion) Step() int {
	if !p.Rolls() {
		return 0
	}
	return p.Rollout.Step
}
