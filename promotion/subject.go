package promotion

// Subject is a target that is judged by itself, and where its files are.
type Subject struct {
	*Target
	Stage *Stage
	On    Branch // that holds the files
}

// Subjects returns the targets of a stage, each of which is judged by itself.
func (p *Pipeline) Subjects(s *Stage) []Subject {
	all := make([]Subject, len(s.Targets))
	for i := range s.Targets {
		all[i] = p.SubjectOf(s, &s.Targets[i])
	}
	return all
}

// SubjectOf returns one target of a stage as the subject of verdicts.
func (p *Pipeline) SubjectOf(s *Stage, t *Target) Subject {
	return Subject{Target: t, Stage: s, On: p.FilesOn(s, t.Files)}
}
