package promotion

import (
	"fmt"
	"time"
)

// Verb is the action of an effect on the outside.
type Verb string

const (
	// PlanVerb reads the base head and computes the contents that the promotion would write.
	PlanVerb Verb = "plan"
	// Open makes the commit, the branch and the pull request of a promotion, or moves the branch to a new commit.
	Open Verb = "open"
	// Merge merges the pull request.
	Merge Verb = "merge"
	// Commit puts the commit of a promotion on the branch of the stages, without a pull request.
	Commit Verb = "commit"
	// Dequeue takes the pull request out of GitHub's merge queue.
	Dequeue Verb = "dequeue"
	// Dispatching starts the workflow of a promotion.
	Dispatching Verb = "dispatch"
	// Compare compares what a pull request shows with the plan, because it was merged with a head that is not ours.
	Compare Verb = "compare"
	// Close closes the pull request and deletes its branch.
	Close Verb = "close"
	// Observe asks GitHub for all signals of the commits under verification.
	Observe Verb = "observe"
	// Look reads the values in the stage's files.
	Look Verb = "look"
	// Probe asks GitHub whether the targets of the stage meet their conditions.
	Probe Verb = "probe"
	// Tell writes a new comment on the freight's source pull request, because a person should know.
	Tell Verb = "tell"
	// Reply answers a command on the surface it came from.
	Reply Verb = "reply"
)

// EffectKey names an effect for ever: an effect with the same key happens once.
type EffectKey string

// Effect is an action on the outside, as data. It is written down in the transaction that decided it and carried out
// afterwards. EffectKinds has the properties of all effects of a verb.
type Effect struct {
	Verb      Verb
	Stage     StageName
	Promotion Number
	Step      int // of a rollout; 0: the stage is one place
	// of a plan, an open, a commit, a try to merge, or an observation; of a drift that is told; of a pull request that was
	// opened again and is closed again
	Round   int64
	Freight FreightID // of a tell: whose source pull request is told
	Outcome string    // of a tell or a reply: a state, or one of done, already, refused
	Reason  Reason    // of a tell or a reply
	Request int64     // of a reply, and of an observation that a person waits for: the command
	Surface string    // of a reply: where
}

// Key returns the effect's name.
func (e Effect) Key() EffectKey {
	switch e.Verb.Kind().Key {
	case OnceForRequest:
		return EffectKey(fmt.Sprintf("%s/%d", e.Verb, e.Request))
	case OnceForOutcome:
		return e.outcomeKey()
	case OnceForStep:
		if e.Round == 0 {
			return EffectKey(fmt.Sprintf("%s/%s", e.Verb, e.of()))
		}
	}
	return EffectKey(fmt.Sprintf("%s/%s/%d", e.Verb, e.of(), e.Round))
}

// of names the subject of the effect: a promotion, or one step of it.
func (e Effect) of() string {
	if e.Step == 0 {
		return e.Promotion.String()
	}
	return fmt.Sprintf("%d-%d", e.Promotion, e.Step)
}

// outcomeKey names a comment: a promotion ends once, but the files of a stage can drift again.
func (e Effect) outcomeKey() EffectKey {
	if e.Round == 0 {
		return EffectKey(fmt.Sprintf("%s/%d/%s", e.Verb, e.Promotion, e.Outcome))
	}
	return EffectKey(fmt.Sprintf("%s/%d/%s/%d", e.Verb, e.Promotion, e.Outcome, e.Round))
}

// Entry is one line of a decision, for the audit trail and for stories.
type Entry struct {
	At        time.Time
	Stage     StageName
	Promotion Number // 0: the line is about the stage
	State     State  // the state that the promotion has entered, or
	Event     Event  // what happened to the stage, or
	Class     Class  // the class that the promotion has been given
	SHA       SHA    // of verifying: the merge commit
	Freight   string // of an admission: the name of the freight
	Reason    Reason
	By        Actor
}

// Event is something that happens to a stage rather than to one of its promotions.
type Event string

// The stage was held, or released; its files differ from the promoted values; its freight has left with its targets;
// freight was admitted to it, or its admission has expired.
const (
	EventDrifted   Event = "drifted"
	EventHeld      Event = "held"
	EventReleased  Event = "released"
	EventLeft      Event = "left"
	EventAvailable Event = "available"
	EventRevoked   Event = "revoked"
)
