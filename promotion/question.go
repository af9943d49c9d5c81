package promotion

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
// its files alone (SEMANTICS 5.4). Of a target that the pipeline file no longer has nothing is asked.
func (s *Snapshot) questionsOf(stay *Stay, part *Part) []question {
	t := s.target(part.Target)
	if t == nil {
		return nil
	}
	stage, view := *s.Stage, *stay
	stage.Targets, stage.Changes, stage.Verify = []Target{*t}, t.Changes, t.Verify
	view.Commit, view.Since = part.Commit, part.Since
	return s.ask(&stage, view)
}

func (s *Snapshot) ask(stage *Stage, stay Stay) []question {
	signals := s.about(stage.Verify)
	of := *s
	of.Stage, of.Signals = stage, signals
	all := make([]question, len(stage.Verify))
	for i := range stage.Verify {
		all[i] = question{&of, stay, &stage.Verify[i]}
	}
	return all
}
