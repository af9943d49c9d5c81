package torture

import (
	"math/rand/v2"
	"time"

	"waybill/internal/torture/shape"
)

// shown is what has been reported of a target: whether it is ready.
type shown struct {
	at   time.Time
	good bool
}

// showFirst reports for the first time which targets are ready: most of them.
func (w *World) showFirst() {
	s := w.pipeline.Fleet()
	if s == nil || !s.Ready {
		return
	}
	r := rand.New(rand.NewPCG(w.shape.Seed, 10))
	for _, t := range s.Targets {
		if n := r.IntN(6); n > 0 {
			w.show(s, t, n > 1)
		}
	}
}

// show reports on the head of a target's branch whether it is ready.
func (w *World) show(s *shape.Stage, target string, good bool) {
	at, state := s.AtOf(target), "failure"
	if good {
		state = "success"
	}
	err := w.github.CreateStatus(at.Repo, w.github.Head(at.Repo, at.Branch), "monitor", "up-"+target, state, "")
	w.shown[target] = append(w.shown[target], shown{time.Now(), good})
	w.note("  up-%s %s: %v", target, state, err)
	w.told.prose("(up-%s %s)", target, state)
}

// showSome reports something of a target, now and then.
func (w *World) showSome(s *shape.Stage) {
	if s.Ready && w.random.IntN(3) == 0 {
		w.show(s, s.Targets[w.random.IntN(len(s.Targets))], w.random.IntN(3) > 0)
	}
}

// showAll reports of all targets that they are ready, where that is not what was reported last.
func (w *World) showAll() {
	s := w.pipeline.Fleet()
	if s == nil || !s.Ready {
		return
	}
	for _, t := range s.Targets {
		if all := w.shown[t]; len(all) == 0 || !all[len(all)-1].good {
			w.show(s, t, true)
		}
	}
	w.rest()
}

// wasShown reports whether a target has been ready, or has not been, at some time since one: an answer of GitHub's
// serves for a minute, by a clock that may have been set.
func (w *World) wasShown(target string, good bool, since time.Time) bool {
	since = since.Add(-time.Minute - time.Second - (w.fast - w.slow))
	was := false // nothing has been reported
	for _, one := range w.shown[target] {
		if one.at.After(since) && was == good {
			return true
		}
		was = one.good
	}
	return was == good
}

// checkReady: a target takes part when it has shown that it is ready.
func (w *World) checkReady(r *rollout, number int, target string) {
	if r.stage.Ready && w.seen.promotions[r.promotion].class != "rollback" && !w.wasShown(target, true, r.at) {
		w.broken("a target takes part when it has shown that it is ready", "#%d of p%d writes %s", number, r.promotion, target)
	}
}
