package promotion

import "slices"

// question is one matcher asked of what one merge has brought: to the stage, or to one of its targets.
type question struct {
	of      *Snapshot
	stay    Stay
	matcher *Matcher
}

func (q question) opinion() opinion { return q.of.opinion(&q.stay, q.matcher) }

// questions are what is asked of a stay. Of a rollout that goes on it is what the targets of the present step still wait
// for.
func (s *Snapshot) questions(stay *Stay) []question {
	if len(stay.Parts) == 0 {
		return s.ask(s.Stage, *stay)
	}
	var all []question
	for k := range stay.Parts {
		if stay.Parts[k].Verdict == Pending {
			all = append(all, s.questionsOf(stay, &stay.Parts[k])...)
		}
	}
	return all
}

// questionsOf are what is asked of one target: its own matchers, of its own merge and of the commits after it that leave
// its files alone (semantics 5.4). Of a target that the pipeline file no longer has nothing is asked.
func (s *Snapshot) questionsOf(stay *Stay, part *Part) []question {
	t := s.target(part.Target)
	if t == nil {
		return nil
	}
	stage, view := *s.Stage, *stay
	stage.Files, stage.Targets, stage.Changes, stage.Copies, stage.Verify = s.Pipeline.FilesOn(s.Stage, t.Files), []Target{*t}, t.Changes, t.Copies, t.Verify
	view.Commit, view.Since = part.Commit, part.Since
	return s.ask(&stage, view)
}

func (s *Snapshot) ask(stage *Stage, stay Stay) []question {
	of := *s
	of.Stage, of.Signals = stage, s.about(stage.Verify)
	if s.Stage.Spread() { // one repository may be a copy of another, with the same commits
		of.Signals = slices.DeleteFunc(slices.Clone(of.Signals), func(g Signal) bool { return g.Repo != stage.Files.Repo })
		of.Pushes = slices.DeleteFunc(slices.Clone(of.Pushes), func(p Push) bool { return p.On() != stage.Files })
	}
	all := make([]question, len(stage.Verify))
	for i := range stage.Verify {
		all[i] = question{&of, stay, &stage.Verify[i]}
	}
	return all
}
