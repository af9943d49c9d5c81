package say

import (
	"cmp"
	"time"

	"waybill/promotion"
)

// How far a commit has come. Freight of a pull request is where it was promoted to, and also where newer freight was
// promoted to that has its commit among its ancestors.

// WhereHead is the head of a table of WhereRows, and of the others below.
var WhereHead = []string{"Stage", "Where it stands", "Since", "Why"}

// WhereRow says in one line how far a freight has come in a stage.
func WhereRow(at promotion.FreightStatus) []string {
	var since time.Time
	if p := at.Promotion; p != nil {
		since = p.Queued
		if p.State.Ended() {
			since = p.Ended
		}
	}
	word := word(at)
	if at.Hosted {
		word += ", there now"
	}
	why := cmp.Or(takenBack(at, at.Stage.Name), Sentence(at.Why()))
	return []string{string(at.Stage.Name), word, moment(since), why}
}

// WithinRow says in one line that a commit is in a stage, with freight that has come after it.
func WithinRow(stage promotion.StageName, in promotion.Host) []string {
	return []string{string(stage), "there now, in " + in.Freight.Name + ", " + judged(in), moment(in.Deployment.Entered),
		Sentence(in.Deployment.Cause)}
}

// WithoutRow says in one line that a commit, of which there is no freight, is not in a stage, and which freight is.
func WithoutRow(stage promotion.StageName, instead []promotion.Host) []string {
	why := "nothing of its repository is there"
	for i, h := range instead {
		if why += " and " + h.Freight.Name; i == 0 {
			why = "it has " + h.Freight.Name
		}
	}
	return []string{string(stage), "not there", "", why}
}
