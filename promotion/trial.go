package promotion

import "time"

// judge says what the evidence of a snapshot means.
type judge struct {
	s       *Snapshot
	sharing *Sharing // nil until a run depends on it
}

// judgeOf returns the judge of a snapshot.
func judgeOf(s *Snapshot) *judge { return &judge{s: s} }

// shares reports whether runs count for a matcher of a trial on the merge commit only.
func (j *judge) shares(t *trial, m *Matcher) bool {
	if j.sharing == nil {
		j.sharing = new(SharingOf(j.s.Pipeline))
	}
	return j.sharing.Shares(&t.Subject, m)
}

// trial is the judgement of one arrival.
type trial struct {
	Subject
	arrival Arrival
	since   time.Time // runs that started before do not count
}

// trials are what a stay still has to be judged by: the stage, or those targets that have no verdict.
func (j *judge) trials(stay *Stay) (all []trial) {
	if len(stay.Parts) == 0 {
		return []trial{j.trialOfStage(stay)}
	}
	for k := range stay.Parts {
		if part := &stay.Parts[k]; part.Verdict == Pending {
			if t, judged := j.trialOfPart(part); judged {
				all = append(all, t)
			}
		}
	}
	return all
}

func (j *judge) trialOfStage(stay *Stay) trial {
	return trial{j.s.Pipeline.Whole(j.s.Stage), Arrival{Commit: stay.Commit}, stay.Since}
}

// trialOfPart is that of one target: by its own matchers, of its own merge and of the commits after it that leave its
// files alone (semantics 5.4). A target that the pipeline file no longer has is not judged.
func (j *judge) trialOfPart(part *Part) (t trial, judged bool) {
	t, judged = j.trialOf(Arrival{part.Target, part.Commit})
	t.since = part.Since
	return t, judged
}

// trialOf is that of an arrival, in which all runs count whenever they started.
func (j *judge) trialOf(a Arrival) (t trial, judged bool) {
	if a.Target == "" {
		return j.trialOfStage(&Stay{Commit: a.Commit}), true
	}
	target := j.s.target(a.Target)
	if target == nil {
		return trial{}, false
	}
	return trial{Subject: Subject{j.s.Stage, target, j.s.Pipeline.FilesOn(j.s.Stage, target.Files)}, arrival: a}, true
}
