package promotion

// lookup indexes a snapshot by matcher and by target. To compare each of ten thousand targets with the evidence and the
// matchers of all others would take seconds.
type lookup struct {
	targets  map[TargetName]*Target // of the stage
	evidence map[Arrival]*Evidence

	Conditions uint32                // that the stage's targets must show, as a number
	lacks      map[Condition]Lacking // those of them that are not met
}

// Lookup makes it when it is asked for the first time. A decision works on a copy of its snapshot, in which neither
// evidence nor stages change.
func (s *Snapshot) Lookup() *lookup {
	if s.Look != nil {
		return s.Look
	}
	l := &lookup{targets: make(map[TargetName]*Target, len(s.Stage.Targets)), evidence: make(map[Arrival]*Evidence,
		len(s.Evidence))}
	for i := range s.Stage.Targets {
		l.targets[s.Stage.Targets[i].Name] = &s.Stage.Targets[i]
	}
	for i := range s.Evidence {
		l.evidence[s.Evidence[i].Arrival] = &s.Evidence[i]
	}
	_, l.Conditions = s.Stage.Conditions()
	l.lacks = s.Readiness.lacking()
	s.Look = l
	return l
}

// Target returns a target of the stage, or nil.
func (s *Snapshot) Target(name TargetName) *Target { return s.Lookup().targets[name] }

// EvidenceOf returns the reports for an arrival, or nil.
func (s *Snapshot) EvidenceOf(a Arrival) *Evidence { return s.Lookup().evidence[a] }

// Lacks returns the conditions that a target does not meet, or that they are not known; the zero reason if it may take
// part.
func (s *Snapshot) Lacks(name TargetName) Reason {
	t := s.Target(name)
	if t == nil || len(t.Ready) == 0 {
		return Reason{}
	}
	if !s.Answered() {
		return Because(Waiting)
	}
	var missing []string
	for _, c := range t.Ready {
		if l, lacking := s.Lookup().lacks[c]; lacking {
			missing = append(missing, l.words())
		}
	}
	if len(missing) == 0 {
		return Reason{}
	}
	return Because(NotReady, missing...)
}

// Answered reports whether GitHub has answered about the present conditions of the stage's targets.
func (s *Snapshot) Answered() bool {
	return s.Readiness != nil && s.Readiness.Of == s.Lookup().Conditions
}
