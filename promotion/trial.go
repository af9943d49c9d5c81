package promotion

import "time"

// trial is the judgement of one arrival.
type trial struct {
	Subject
	arrival Arrival
	since   time.Time // runs that started before do not count
}

// trials are what a stay still has to be judged by: the stage, or those targets that have no verdict.
func (s *Snapshot) trials(stay *Stay) (all []trial) {
	if len(stay.Parts) == 0 {
		return []trial{s.trialOfStage(stay)}
	}
	for k := range stay.Parts {
		if part := &stay.Parts[k]; part.Verdict == Pending {
			if t, judged := s.trialOfPart(part); judged {
				all = append(all, t)
			}
		}
	}
	return all
}

func (s *Snapshot) trialOfStage(stay *Stay) trial {
	return trial{s.Pipeline.Whole(s.Stage), Arrival{Commit: stay.Commit}, stay.Since}
}

// trialOfPart is that of one target: by its own matchers, of its own merge and of the commits after it that leave its
// files alone (semantics 5.4). A target that the pipeline file no longer has is not judged.
func (s *Snapshot) trialOfPart(part *Part) (t trial, judged bool) {
	t, judged = s.trialOf(Arrival{part.Target, part.Commit})
	t.since = part.Since
	return t, judged
}

// trialOf is that of an arrival, in which all runs count whenever they started.
func (s *Snapshot) trialOf(a Arrival) (t trial, judged bool) {
	if a.Target == "" {
		return s.trialOfStage(&Stay{Commit: a.Commit}), true
	}
	target := s.target(a.Target)
	if target == nil {
		return trial{}, false
	}
	return trial{Subject: Subject{s.Stage, target, s.Pipeline.FilesOn(s.Stage, target.Files)}, arrival: a}, true
}
