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

// Touches reports whether one of the paths is a file that a promotion writes.
func (s *Subject) Touches(paths []string) bool {
	if s.Target == nil {
		return s.Stage.touchesAny(paths)
	}
	return s.Target.TouchesAny(paths)
}
