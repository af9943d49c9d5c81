package promotion

import "time"

// trial is what is judged by itself: what one merge has brought to the stage, or to one of its targets.
type trial struct {
	Arrival
	since  time.Time // runs that started before do not count
	on     Branch    // that holds the files
	stage  *Stage    // of which the stage as a whole is judged; nil: a target is
	target *Target
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
	return trial{Arrival: Arrival{Commit: stay.Commit}, since: stay.Since, on: s.Files(), stage: s.Stage}
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
		return trial{Arrival: a, on: s.Files(), stage: s.Stage}, true
	}
	target := s.target(a.Target)
	if target == nil {
		return trial{}, false
	}
	return trial{Arrival: a, on: s.Pipeline.FilesOn(s.Stage, target.Files), target: target}, true
}

// matchers are what must be reported.
func (t *trial) matchers() []Matcher {
	if t.target == nil {
		return t.stage.Verify
	}
	return t.target.Verify
}

// touches reports whether one of the paths is a file that the promotion wrote.
func (t *trial) touches(paths []string) bool {
	if t.target == nil {
		return t.stage.touchesAny(paths)
	}
	return t.target.touchesAny(paths)
}

// names reports whether a matcher names a run.
func (t *trial) names(g *Signal) bool {
	matchers := t.matchers()
	for i := range matchers {
		if matchers[i].Names(g) {
			return true
		}
	}
	return false
}

// asks reports whether a matcher is one of those that the trial waits for.
func (t *trial) asks(stage StageName, a *asker) bool {
	return a.stage == stage && (t.target == nil || a.target == t.Target)
}
