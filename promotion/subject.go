package promotion

// Subject is what is judged by itself: a stage without targets, or one target.
type Subject struct {
	Stage  *Stage
	Target *Target // nil: the stage as a whole
	On     Branch  // that holds the files
}

// Subjects returns what is judged of a stage.
func (p *Pipeline) Subjects(s *Stage) []Subject {
	if !s.Rolls() {
		return []Subject{p.Whole(s)}
	}
	all := make([]Subject, len(s.Targets))
	for i := range s.Targets {
		all[i] = Subject{Stage: s, Target: &s.Targets[i], On: p.FilesOn(s, s.Targets[i].Files)}
	}
	return all
}

// Whole returns a stage as what is judged, also when it has got targets after freight came there.
func (p *Pipeline) Whole(s *Stage) Subject { return Subject{Stage: s, On: p.FilesOf(s)} }

// Name returns the target's name; "" where the stage as a whole is judged.
func (s *Subject) Name() TargetName {
	if s.Target == nil {
		return ""
	}
	return s.Target.Name
}

// Matchers are what must be reported.
func (s *Subject) Matchers() []Matcher {
	if s.Target == nil {
		return s.Stage.Verify
	}
	return s.Target.Verify
}

// Files returns the files and the folders that promotions write.
func (s *Subject) Files() ([]Change, []Copy) {
	if s.Target == nil {
		return s.Stage.Changes, s.Stage.Copies
	}
	return s.Target.Changes, s.Target.Copies
}

// touches reports whether one of the paths is a file that a promotion writes.
func (s *Subject) touches(paths []string) bool {
	if s.Target == nil {
		return s.Stage.touchesAny(paths)
	}
	return s.Target.touchesAny(paths)
}

// asks reports whether a matcher is one of those that the subject waits for.
func (s *Subject) asks(a *asker) bool {
	return a.stage == s.Stage.Name && (s.Target == nil || a.target == s.Target.Name)
}

// Sharing knows which matchers of a pipeline the same runs would match.
type Sharing struct{ askers *askers }

// Sharing looks at all matchers of a pipeline.
func (p *Pipeline) Sharing() Sharing { return Sharing{askersOf(p)} }

// Shares reports whether another stage on the same branch, or another target of the stage, is verified by a matcher
// that the same runs would match. Then runs count on the merge commit only (semantics 7.1).
func (s Sharing) Shares(of *Subject, m *Matcher) bool {
	return s.askers.anyOverlaps(m, func(a *asker) bool { return a.on == of.On && !of.asks(a) })
}
