package promotion

import "time"

// opinion is what the signals say of a matcher, of a target, or of a stage.
type opinion struct {
	verdict Verdict
	seen    bool      // at least one signal matches
	at      time.Time // of Passed: when the last signal that was needed was completed
	reason  Reason    // of Bad and Undecided
}

// and joins the opinions of two matchers.
func (o opinion) and(p opinion) opinion {
	switch {
	case p.verdict.weight() > o.verdict.weight():
		return p
	case p.verdict == Passed && o.verdict == Passed && p.at.After(o.at):
		return p
	}
	return o
}

// weight orders verdicts by what outweighs what: one that failed decides, one that passed does not.
func (v Verdict) weight() int {
	switch v {
	case Bad:
		return 3
	case Undecided:
		return 2
	case Pending:
		return 1
	}
	return 0
}

// decided reports whether the opinion is a verdict that stands until there are other signals.
func (o opinion) decided() bool { return o.verdict == Passed || o.verdict == Bad }

// lackOpinion is what a lack of signals means, as the pipeline file has it.
func lackOpinion(l Lack, r Reason, at time.Time) opinion {
	switch l {
	case LackPasses:
		return opinion{verdict: Passed, seen: true, at: at}
	case LackFails:
		return opinion{verdict: Bad, seen: true, reason: r}
	}
	return opinion{verdict: Undecided, seen: true, reason: r}
}
