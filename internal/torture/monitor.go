package torture

import (
	"math/rand/v2"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// showFirst reports for the first time which targets are ready: most of them.
func (m *Monitor) showFirst() {
	s := m.checkout.pipeline.Fleet()
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

// show reports on the head of a target's branch whether it is ready.
func (m *Monitor) show(s *shape.Stage, target string, good bool) {
	at, state := s.AtOf(target), "failure"
	if good {
		state = "success"
	}
	err := m.github.CreateStatus(at.Repo, m.github.Head(at.Repo, at.Branch), "monitor", "up-"+target, state, "")
	m.signals.shown[target] = append(m.signals.shown[target], shown{time.Now(), good})
	m.log.note("  up-%s %s: %v", target, state, err)
	m.log.told.prose("(up-%s %s)", target, state)
}

// showSome reports something of a target, now and then.
func (m *Monitor) showSome(s *shape.Stage) {
	if s.Ready && m.random.IntN(3) == 0 {
		m.show(s, s.Targets[m.random.IntN(len(s.Targets))], m.random.IntN(3) > 0)
	}
}

// showAll reports of all targets that they are ready, where that is not what was reported last.
func (m *Monitor) showAll() {
	s := m.checkout.pipeline.Fleet()
	if s == nil || !s.Ready {
		return
	}
	for _, t := range s.Targets {
		if all := m.signals.shown[t]; len(all) == 0 || !all[len(all)-1].good {
			m.show(s, t, true)
		}
	}
	m.schedule.rest()
}

// Monitor reports of targets whether they are ready.
type Monitor struct {
	checkout *Checkout
	github   *githubsim.Server
	log      *Journal
	random   *rand.Rand
	schedule *Schedule
	shape    shape.Shape
	signals  *Signals
}
