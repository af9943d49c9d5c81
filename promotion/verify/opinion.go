package verify

import (
	"time"

	"waybill/promotion"
)

// Opinion is the result of the signals for a matcher, a target, or a stage.
type Opinion struct {
	Verdict promotion.Verdict
	Seen    bool             // at least one signal matches
	At      time.Time        // of Passed: when the last signal that was needed was completed
	Reason  promotion.Reason // of Bad and Undecided; of Pending where the verdict has been bad
}

// And joins the opinions of two matchers.
func (o Opinion) And(p Opinion) Opinion {
	switch {
	case weight(p.Verdict) > weight(o.Verdict):
		return p
	case p.Verdict == promotion.Bad && o.Verdict == promotion.Bad && o.Reason.Code == promotion.Waiting:
		return p // that fails now; what is only awaited had failed
	case p.Verdict == promotion.Passed && o.Verdict == promotion.Passed && p.At.After(o.At):
		return p
	}
	return o
}

// weight orders verdicts by precedence: one that failed decides, one that passed does not.
func weight(v promotion.Verdict) int {
	switch v {
	case promotion.Bad:
		return 3
	case promotion.Undecided:
		return 2
	case promotion.Pending:
		return 1
	}
	return 0
}

// Decided reports whether the opinion is a verdict that stands until there are other signals.
func (o Opinion) Decided() bool { return o.Verdict == promotion.Passed || o.Verdict == promotion.Bad }

// lackOpinion is the opinion on a lack of signals, as the pipeline file has it.
func lackOpinion(l promotion.Lack, r promotion.Reason, at time.Time) Opinion {
	switch l {
	case promotion.LackPasses:
		return Opinion{Verdict: promotion.Passed, Seen: true, At: at}
	case promotion.LackFails:
		return Opinion{Verdict: promotion.Bad, Seen: true, Reason: r}
	}
	return Opinion{Verdict: promotion.Undecided, Seen: true, Reason: r}
}
