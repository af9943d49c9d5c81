package promotion

// TargetState says how a target of a rollout stands.
type TargetState string

// The states of a target, in the words of the summary. A waiting one could not take part when its turn came, a person
// has left out a skipped one, and a removed one has left the pipeline file since the promotion started.
const (
	TargetVerified TargetState = "verified"
	TargetUpdating TargetState = "updating"
	TargetFailed   TargetState = "failed"
	TargetWaiting  TargetState = "waiting"
	TargetSkipped  TargetState = "skipped"
	TargetRemoved  TargetState = "removed"
	TargetToCome   TargetState = "to come"
)

// TargetStatus is how one target of a rollout stands.
type TargetStatus struct {
	Target TargetName
	Batch  string
	State  TargetState
	Cause  Reason // why it failed or waits
}

// Tally counts the targets of a rollout by how they stand. Together they are always all of them.
type Summary struct {
	All, Verified, Updating, Failed, Waiting, Skipped, Removed, ToCome int
}

// Mended reports whether nothing has failed that has not been made good again, and there is more to do.
func (t Summary) Recovers() bool {
	return t.Failed == 0 && t.Verified+t.Waiting+t.Skipped+t.Removed < t.All
}
