package act

import (
	"math/rand/v2"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// Monitor reports whether targets are ready.
type Monitor struct {
	checkout *ledger.Checkout
	github   *githubsim.Server
	log      *ledger.Journal
	random   *rand.Rand
	program  Program
	shape    shape.Shape
	signals  *ledger.Signals
}

// ShowFirst reports the first states of targets: most are ready, and some get no report.
func (m *Monitor) ShowFirst() {
	s := m.checkout.Pipeline.Fleet()
	if s == nil || !s.Ready {
		return
	}
	r := rand.New(rand.NewPCG(m.shape.Seed, 10))
	for _, t := range s.Targets {
		if n := r.IntN(6); n > 0 {
			m.show(s, t, n > 1)
		}
	}
}

// show reports on the head of a target's branch whether the target is ready.
func (m *Monitor) show(s *shape.Stage, target string, good bool) {
	at, state := s.AtOf(target), "failure"
	if good {
		state = "success"
	}
	head := m.github.Head(at.Repo, at.Branch)
	err := m.github.CreateStatus(at.Repo, head, "monitor", "up-"+target, state, "")
	m.signals.Show(target, good, at, head)
	m.log.Note("  up-%s %s: %v", target, state, err)
	m.log.Told.Prose("(up-%s %s)", target, state)
}

// showSome sometimes reports a state of a random target.
func (m *Monitor) showSome(s *shape.Stage) {
	if s.Ready && m.random.IntN(3) == 0 {
		m.show(s, s.Targets[m.random.IntN(len(s.Targets))], m.random.IntN(3) > 0)
	}
}

// ShowAll reports every target as ready, unless its last report says so.
func (m *Monitor) ShowAll() {
	s := m.checkout.Pipeline.Fleet()
	if s == nil || !s.Ready {
		return
	}
	for _, t := range s.Targets {
		if !m.signals.IsShown(t) {
			m.show(s, t, true)
		}
	}
	m.program.Rest()
}
