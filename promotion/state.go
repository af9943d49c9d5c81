package promotion

// State is how far a promotion has come.
//
//	queued -> running -> waiting-for-merge -> verifying -> succeeded
//
// The other ends are failed, declined, verification-failed, cancelled and superseded. Ends are final: failed freight is
// promoted again by a new promotion. Besides,
//
//   - a promotion without a pull request goes from running to verifying, and one that would change nothing from
//     queued to verifying;
//   - a rollout goes from verifying back to running with each further step, and from running or waiting-for-merge to
//     running when a step begins again with fewer targets. It is verifying again when none is left of a step, and may
//     end with a verdict in any of these states, because that is on the targets that it has reached before.
type State string

const (
	// Queued promotions wait for their turn: nothing on GitHub shows them yet but a check run.
	Queued State = "queued"
	// Running promotions have been started; their branch and pull request are being made, or their commit where there
	// is no pull request.
	Running State = "running"
	// WaitingForMerge promotions have an open pull request.
	WaitingForMerge State = "waiting-for-merge"
	// Verifying promotions are merged or committed, and the signals that judge them are awaited. The state is entered
	// in the same transaction that records the merge, so that nothing can start in between.
	Verifying State = "verifying"

	// Succeeded: merged and verified.
	Succeeded State = "succeeded"
	// Failed: it could not be carried out.
	Failed State = "failed"
	// Declined: a person closed its pull request.
	Declined State = "declined"
	// VerificationFailed: merged, and a signal says that it is bad.
	VerificationFailed State = "verification-failed"
	// Cancelled: a person, a rollback, a failed verification before it or a change of the pipeline ended it.
	Cancelled State = "cancelled"
	// Superseded: newer freight took its place before it was merged.
	Superseded State = "superseded"
)

// States lists every state in the order of a promotion's life, the ends last.
var States = []State{Queued, Running, WaitingForMerge, Verifying,
	Succeeded, Failed, Declined, VerificationFailed, Cancelled, Superseded}

// Ended reports whether the state is final.
func (s State) Ended() bool {
	switch s {
	case Queued, Running, WaitingForMerge, Verifying:
		return false
	}
	return true
}

// Active reports whether a promotion in this state occupies its stage.
func (s State) Active() bool { return s == Running || s == WaitingForMerge || s == Verifying }

// Class orders the queue of a stage: rollbacks first, then promotions that people asked for, then automatic ones.
type Class string

const (
	// Rollback brings back freight that was verified in the stage before.
	Rollback Class = "rollback"
	// Manual was asked for by a person.
	Manual Class = "manual"
	// Automatic was queued by policy when its freight became available.
	Automatic Class = "automatic"
)

// rank returns the place of the class in the queue: the lowest goes first.
func (c Class) rank() int {
	switch c {
	case Rollback:
		return 0
	case Manual:
		return 1
	}
	return 2
}
