package verify

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Judge judges the evidence of a snapshot.
type Judge struct {
	s       *promotion.Snapshot
	sharing *Sharing // filled when a run depends on it
}

// JudgeOf returns the judge of a snapshot. It keeps its findings about the pipeline's matchers in sharing, which begins
// as the zero value.
func JudgeOf(s *promotion.Snapshot, sharing *Sharing) Judge { return Judge{s, sharing} }

// shares reports whether runs count for a matcher of a trial on the merge commit only.
func (j Judge) shares(t *trial, m *promotion.Matcher) bool {
	if slices.Contains(j.s.Common, promotion.Common{On: t.On, Matched: m.Matches()}) {
		return true
	}
	if j.sharing.askers == nil {
		*j.sharing = SharingOf(j.s.Pipeline)
	}
	return j.sharing.Shares(&Asker{Stage: t.Stage.Name, Target: t.Name, On: t.On, Matcher: m})
}

// trial is the judgement of one arrival.
type trial struct {
	promotion.Subject
	arrival promotion.Arrival
	since   time.Time        // runs that started before do not count
	brought promotion.Number // the promotion whose runs of workflows count; 0: all do
	by      []promotion.Matcher
}

// trialOfTarget is that of one target: by its own matchers, of its own merge and of the commits after it that leave its
// files alone (semantics 5.4). A verdict is judged again by the matchers that made it. A target that the pipeline file
// no longer has is not judged.
func (j Judge) trialOfTarget(brought promotion.Number, result *promotion.TargetResult) (t trial, judged bool) {
	t, judged = j.trialOf(promotion.Arrival{Target: result.Target, Commit: result.Commit})
	t.since, t.brought = result.Since, brought
	if result.By != nil {
		t.by = result.By
	}
	return t, judged
}

// trialOf is that of an arrival, in which all runs count whenever they started.
func (j Judge) trialOf(a promotion.Arrival) (t trial, judged bool) {
	target := j.s.Target(a.Target)
	if target == nil {
		return trial{}, false
	}
	return trial{Subject: j.s.Pipeline.SubjectOf(j.s.Stage, target), arrival: a, by: target.Verify}, true
}
