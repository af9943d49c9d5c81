package promotion

import "time"

// How far a commit has come. Freight of a pull request is where it was promoted to, and also where newer freight was promoted to
// that has its commit among its ancestors.

// WhereHead is the head of a table of WhereRows, and of the others below.
var WhereHead = []string{"Stage", "Where it stands", "Since", "Why"}

// WhereRow says in one line how far a freight has come in a stage.
func WhereRow(s *Snapshot, at Standing) []string {
	var since time.Time
	if p := at.Promotion; p != nil {
		since = p.Queued
		if p.State.Ended() {
			since = p.Ended
		}
	}
	word := at.word()
	if s.hostedStay(at.Freight) != nil {
		word += ", there now"
	}
	return []string{string(s.Stage.Name), word, moment(since), at.Reason.Sentence()}
}

// WithinRow says in one line that a commit is in a stage, with freight that has come after it.
func WithinRow(stage StageName, in Host) []string {
	return []string{string(stage), "there now, in " + in.Freight.Name + ", " + in.judged(), moment(in.Stay.Entered), in.Stay.Cause.Sentence()}
}

// WithoutRow says in one line that a commit, of which there is no freight, is not in a stage, and what is.
func WithoutRow(stage StageName, instead []Host) []string {
	why := "nothing of its repository is there"
	for i, h := range instead {
		if why += " and " + h.Freight.Name; i == 0 {
			why = "it has " + h.Freight.Name
		}
	}
	return []string{string(stage), "not there", "", why}
}
