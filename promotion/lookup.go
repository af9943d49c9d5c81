package promotion

import "strings"

// lookup finds what concerns one matcher or one target. To compare each of ten thousand targets with the signals and the
// matchers of all others would take seconds.
type lookup struct {
	targets map[TargetName]*Target // of the stage
	signals map[named][]Signal     // each in the order of the snapshot
	askers  map[named][]asker      // of all stages, whose pattern is a name
	stars   []asker                // whose pattern is more

	conditions uint32                // that the stage's targets must show, as a number
	lacks      map[Condition]Lacking // those of them that are not met
}

// named is what a signal is called.
type named struct {
	kind SignalKind
	name string
}

// asker is a matcher of a stage, or of one of its targets.
type asker struct {
	stage   StageName
	target  TargetName // "": the stage has none
	on      Branch     // that holds the files
	matcher *Matcher
}

// lookup makes it when it is asked for the first time. A decision works on a copy of its snapshot, in which neither signals
// nor stages change.
func (s *Snapshot) lookup() *lookup {
	if s.look != nil {
		return s.look
	}
	l := &lookup{targets: make(map[TargetName]*Target), signals: make(map[named][]Signal), askers: make(map[named][]asker)}
	for i := range s.Stage.Targets {
		l.targets[s.Stage.Targets[i].Name] = &s.Stage.Targets[i]
	}
	_, l.conditions = s.Stage.Conditions()
	l.lacks = s.Readiness.lacking()
	for _, g := range s.Signals {
		key := named{g.Kind, g.Name}
		l.signals[key] = append(l.signals[key], g)
	}
	for _, stage := range s.Pipeline.Stages {
		if !stage.Rolls() {
			l.ask(asker{stage: stage.Name, on: s.Pipeline.FilesOf(stage)}, stage.Verify)
		}
		for i := range stage.Targets {
			t := &stage.Targets[i]
			l.ask(asker{stage: stage.Name, target: t.Name, on: s.Pipeline.FilesOn(stage, t.Files)}, t.Verify)
		}
	}
	s.look = l
	return l
}

func (l *lookup) ask(a asker, matchers []Matcher) {
	for i := range matchers {
		m := &matchers[i]
		a.matcher = m
		if m.exact() {
			l.askers[named{m.Kind, m.Pattern}] = append(l.askers[named{m.Kind, m.Pattern}], a)
		} else {
			l.stars = append(l.stars, a)
		}
	}
}

// exact reports whether the pattern of a matcher is a name.
func (m *Matcher) exact() bool { return !strings.Contains(m.Pattern, "*") }

// target returns a target of the stage, or nil.
func (s *Snapshot) target(name TargetName) *Target { return s.lookup().targets[name] }

// about returns the signals that matchers may name, and maybe others.
func (s *Snapshot) about(matchers []Matcher) []Signal {
	var some []Signal
	known := make(map[named]bool, len(matchers))
	for i := range matchers {
		m := &matchers[i]
		key := named{m.Kind, m.Pattern}
		switch {
		case !m.exact():
			return s.Signals
		case !known[key]:
			known[key] = true
			some = append(some, s.lookup().signals[key]...)
		}
	}
	return some
}

// shares reports whether another stage on the same branch, or another target of the stage, is verified by a matcher that the
// same signals would match.
func (s *Snapshot) shares(m *Matcher) bool {
	l := s.lookup()
	if m.exact() {
		return s.anyOther(l.askers[named{m.Kind, m.Pattern}], m) || s.anyOther(l.stars, m)
	}
	for _, askers := range l.askers {
		if s.anyOther(askers, m) {
			return true
		}
	}
	return s.anyOther(l.stars, m)
}

// anyOther reports whether one of the matchers overlaps, and is of none of those that the stage is looked at for.
func (s *Snapshot) anyOther(askers []asker, m *Matcher) bool {
	for _, a := range askers {
		if a.on == s.Files() && !s.Stage.asks(a) && m.Overlaps(a.matcher) { // what is merged elsewhere starts nothing here
			return true
		}
	}
	return false
}

// asks reports whether a matcher is one of the stage, or of its targets.
func (s *Stage) asks(a asker) bool {
	return a.stage == s.Name && (a.target == "" || s.Target(a.target) != nil)
}
