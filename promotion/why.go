package promotion

import (
	"slices"
	"time"
)

// Standing says where a freight stands in a stage, and why. Everything that waits has a reason and, where a clock is
// waited for, the time at which somebody looks again.
type Standing struct {
	Freight   FreightID
	Name      string
	Promotion *Promotion // the newest of this freight, or nil
	Place     Place
	Reason    Reason
	Until     time.Time        // when a clock that is waited for will ring
	Drift     Reason           // how the stage's files differ from what was promoted, while it is hosted; zero if they do not
	Targets   []TargetStanding // of a rollout: how its targets stand
	Tally     Tally            // of a rollout: how many stand how
	Stage     *Stage           // in whose words it is told; nil: as for most
	Lacks     Reason           // why the freight is not available to the stage, whatever its promotion; zero if it is
}

// Place is where a freight stands in a stage.
type Place string

// A freight that has a promotion is open, or ended. One that has none is available, unavailable, or has been skipped
// because newer freight was promoted.
const (
	PlaceOpen        Place = "open"
	PlaceEnded       Place = "ended"
	PlaceAvailable   Place = "available"
	PlaceUnavailable Place = "unavailable"
	PlaceSkipped     Place = "skipped"
)

// Why says where a freight of the snapshot stands in its stage.
func Why(s *Snapshot, f FreightID, now time.Time) Standing {
	w := newWork(s, now)
	i := w.freight(f)
	at := Standing{Freight: f, Promotion: w.newestOf(f), Stage: s.Stage}
	if at.Promotion != nil {
		at.Name, at.Targets = at.Promotion.FreightName, w.Targets(at.Promotion)
		at.Tally = TallyOf(at.Targets)
	}
	if i >= 0 {
		at.Name = w.Freight[i].Name
		if !w.available(i) {
			at.Lacks = w.whyNotAvailable(i)
		}
	}
	if h := w.hostedStay(f); h != nil {
		at.Drift = h.Drifted()
	}
	switch {
	case at.Promotion != nil && !at.Promotion.State.Ended():
		w.whyOpen(&at)
	case at.Promotion != nil:
		at.Place, at.Reason = PlaceEnded, at.Promotion.Reason
	case i < 0:
		at.Place, at.Reason = PlaceUnavailable, Because(Unknown, string(f))
	default:
		w.whyNot(&at, i)
	}
	return at
}

// hostedStay returns the stay that lasts of a freight, or nil.
func (s *Snapshot) hostedStay(f FreightID) *Stay {
	for i := range s.Stays {
		if s.Stays[i].Freight == f && !s.Stays[i].Ended() {
			return &s.Stays[i]
		}
	}
	return nil
}

// newestOf returns the newest promotion of a freight, or nil.
func (s *Snapshot) newestOf(f FreightID) *Promotion {
	for i := range slices.Backward(s.Promotions) {
		if s.Promotions[i].Freight == f {
			return &s.Promotions[i]
		}
	}
	return nil
}

// Explain says how things are in the stage of a snapshot.
func Explain(s *Snapshot, now time.Time) Status {
	is := Status{Stage: s.Stage, Open: Waits(s, now), Holds: s.standing(now)}
	for i := range s.Stays {
		stay := &s.Stays[i]
		if stay.Ended() {
			continue
		}
		h := Host{Freight: Freight{ID: stay.Freight, Name: s.nameOf(stay.Freight)}, Stay: *stay}
		if f := s.freight(stay.Freight); f >= 0 {
			h.Freight = s.Freight[f]
		}
		if p := s.promotion(stay.Promotion); p != nil {
			h.Tally = s.Tally(p)
		}
		is.Hosts = append(is.Hosts, h)
	}
	return is
}

// Waits says, for every open promotion of the stage by number, what it waits for.
func Waits(s *Snapshot, now time.Time) []Standing {
	var all []Standing
	for i := range s.Promotions {
		if p := &s.Promotions[i]; !p.State.Ended() {
			all = append(all, Why(s, p.Freight, now))
		}
	}
	return all
}

// whyNot says why a freight without promotion has none.
func (w *work) whyNot(at *Standing, i int) {
	now := instantOf(w.now)
	from := w.availableFrom(i, now)
	newest := w.newestPromoted(w.Freight[i].Warehouse)
	switch {
	case from > now:
		at.Place, at.Reason = PlaceUnavailable, w.whyNotAvailable(i)
		if from < never {
			at.Until = from.time()
		}
	case newest != "" && !w.mark(w.Freight[i].Warehouse).before(&w.Freight[i]):
		at.Place, at.Reason = PlaceSkipped, Because(Newer, newest)
	default:
		at.Place = PlaceAvailable
	}
}

// newestPromoted returns the name of the newest freight of a warehouse that has had a promotion here, or "".
func (w *work) newestPromoted(warehouse WarehouseName) string {
	mark, name := w.mark(warehouse), ""
	for i := range w.Freight {
		f := &w.Freight[i]
		if f.Warehouse == warehouse && mark.Number == f.Number && mark.Merged.Equal(f.Merged) {
			name = f.Name
		}
	}
	return name
}

// whyOpen says what an open promotion waits for.
func (w *work) whyOpen(at *Standing) {
	at.Place = PlaceOpen
	p := at.Promotion
	switch p.State {
	case Queued:
		at.Reason = w.whyQueued(p)
	case Running:
		at.Reason = w.uncommitted(p)
	case WaitingForMerge:
		at.Reason = w.unmerged(p)
	case Verifying:
		at.Reason = w.whyVerifying(p)
	}
	at.Until = w.out.Wake
}

// whyQueued says what keeps a promotion in the queue.
func (w *work) whyQueued(p *Promotion) Reason {
	if r := w.blocked(p); !r.IsZero() {
		return r
	}
	first := w.next()
	w.out.Wake = time.Time{} // what others wait for is not what it waits for
	if first != nil && first.Number != p.Number {
		return first.behind()
	}
	return Reason{}
}

// whyVerifying names the matchers that have not been decided.
func (w *work) whyVerifying(p *Promotion) Reason {
	if w.clockStopped(p) {
		return p.Reason
	}
	i := w.stayOf(p.Number)
	if i < 0 {
		return Reason{}
	}
	r := Because(Waiting)
	for _, t := range w.judge.trials(&w.Stays[i]) {
		matchers := t.Matchers()
		for k := range matchers {
			if o := w.judge.opinion(&t, &matchers[k]); o.verdict == Pending {
				w.silence(w.since(p, t.since), &matchers[k], o.seen) // notes when somebody looks again
				r.Args = append(r.Args, matchers[k].String())
			}
		}
	}
	if len(r.Args) == 0 && p.Rollout != nil {
		return w.whyResting(p)
	}
	return r
}

// whyResting says why a rollout does not go on to its next step.
func (w *work) whyResting(p *Promotion) Reason {
	next, _ := w.nextStep(p)
	if until := w.rests(p, &next); until.After(w.now) {
		w.wakeAt(until)
		return Because(Resting, p.Rollout.BatchName())
	}
	return w.mayGoOn(p)
}

// Link is where on GitHub a promotion can be seen: its pull request, or its commit if it has none, or the run of its workflow;
// zero while there is none of them.
type Link struct{ What, URL string }

// What a link leads to.
const (
	OnPull   = "pull request"
	OnCommit = "commit"
	OnRun    = "run"
)

// Link returns where a promotion, or its present step, can be seen.
func (s *Snapshot) Link(n Number) Link { return s.attempt(n).Link() }

// Link returns where what has become of a promotion can be seen.
func (a Attempt) Link() Link {
	switch {
	case a.URL == "":
		return Link{}
	case a.Pull == 0 && a.BaseSHA == a.HeadSHA: // nothing was written
		return Link{OnRun, a.URL}
	case a.Pull == 0:
		return Link{OnCommit, a.URL}
	}
	return Link{OnPull, a.URL}
}
