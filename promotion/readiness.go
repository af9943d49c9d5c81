package promotion

import (
	"hash/fnv"
	"slices"
	"time"
)

// What a target must show before it takes part in a rollout (`ready`, semantics 5.2). A target that does not show it when its step would
// begin waits: it takes no part, takes no place in its batch and never counts as failed. What happens after that changes
// nothing for the step. Where nobody knows, nothing begins.

// KindEnvironment is what a condition asks for when it is about an environment: that there is one. No signal has it.
const KindEnvironment SignalKind = "environment"

// Condition is something that GitHub must show before a target takes part: that the newest report of a name is a success, or
// that an environment exists.
type Condition struct {
	Kind  SignalKind
	Name  string
	App   string // the GitHub App (slug) whose checks count; empty for others
	Files Branch // where it is looked for: the branch that holds the target's files; none: the stage's
}

// Met is the state of a condition that is met. Of one that nothing has been reported for the state is empty.
const Met = "success"

// Lacking is a condition that is not met, with what the newest report says; empty: there is none.
type Lacking struct {
	Condition
	State string
}

// Readiness is what GitHub says of the conditions of a stage's targets.
type Readiness struct {
	At    time.Time // when it was asked last, and answered
	Of    uint32    // of which conditions, as Stage.Conditions numbers them: others may have come into the pipeline file since
	Lacks []Lacking
	Asked int64 // how often GitHub has answered, this time included
	Tries int   // how often in a row the answer has been the same as the one before
	Stale bool  // something has been reported since that it does not hold
}

// newsLasts is how old an answer may be when a step begins: steps that follow each other closely share one.
const newsLasts = time.Minute

// Patience is how long after an answer GitHub is asked again while somebody waits for another one: a minute, doubling to an hour.
func (r *Readiness) Patience() time.Duration { return min(time.Hour, time.Minute<<min(r.Tries, 6)) }

// Follows returns the answer as it comes behind the one before it, which may be nil.
func (r Readiness) Follows(before *Readiness) Readiness {
	r.Asked = 1
	if before == nil {
		return r
	}
	r.Asked += before.Asked
	if before.Of == r.Of && slices.Equal(before.Lacks, r.Lacks) {
		r.Tries = before.Tries + 1
	}
	return r
}

// Answers returns what GitHub has said of the conditions of the stage at a time: states are those of the conditions that have one.
func (s *Stage) Answers(states map[Condition]string, at time.Time) Readiness {
	all, number := s.Conditions()
	r := Readiness{At: at, Of: number}
	for _, c := range all {
		if states[c] != Met {
			r.Lacks = append(r.Lacks, Lacking{c, states[c]})
		}
	}
	return r
}

// Conditions returns what the targets of the stage must show, each condition once, and a number for all of them together and for
// where they are looked for; 0 if there are none.
func (s *Stage) Conditions() (all []Condition, number uint32) {
	sum := fnv.New32a()
	sum.Write([]byte(s.Files.String() + "\n"))
	known := make(map[Condition]bool)
	for i := range s.Targets {
		for _, c := range s.Targets[i].Ready {
			if !known[c] {
				known[c] = true
				all = append(all, c)
				sum.Write([]byte(c.String() + "\n" + c.App + "\n" + c.Files.String() + "\n"))
			}
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	return all, sum.Sum32()
}

// Concerns reports whether a signal may change whether some target is ready.
func (s *Stage) Concerns(g *Signal) bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool {
		return slices.ContainsFunc(t.Ready, func(c Condition) bool {
			return c.Kind == g.Kind && c.Name == g.Name && (c.Kind != KindCheck || c.App == g.App)
		})
	})
}

// String names a condition.
func (c Condition) String() string { return string(c.Kind) + " " + c.Name }

// words say what is missing.
func (l Lacking) words() string {
	switch {
	case l.State != "":
		return l.String() + " is " + l.State
	case l.Kind == KindEnvironment:
		return l.String() + " does not exist"
	}
	return l.String() + " has not been reported"
}

// lacks returns what a target does not show, or that nobody knows; the zero reason if it may take part.
func (s *Snapshot) lacks(name TargetName) Reason {
	t := s.target(name)
	if t == nil || len(t.Ready) == 0 {
		return Reason{}
	}
	if !s.answered() {
		return Because(Waiting)
	}
	var missing []string
	for _, c := range t.Ready {
		if l, lacking := s.lookup().lacks[c]; lacking {
			missing = append(missing, l.words())
		}
	}
	if len(missing) == 0 {
		return Reason{}
	}
	return Because(NotReady, missing...)
}

// lacking returns the conditions that are not met.
func (r *Readiness) lacking() map[Condition]Lacking {
	if r == nil {
		return nil
	}
	all := make(map[Condition]Lacking, len(r.Lacks))
	for _, l := range r.Lacks {
		all[l.Condition] = l
	}
	return all
}

// answered reports whether GitHub has answered what the targets of the stage are asked for now.
func (s *Snapshot) answered() bool {
	return s.Readiness != nil && s.Readiness.Of == s.lookup().conditions
}

// conditional reports whether a target must show something.
func (w *work) conditional(name TargetName) bool {
	t := w.target(name)
	return t != nil && len(t.Ready) > 0
}

// asks reports whether a target must show something before a promotion goes there. Rollbacks do not ask: what they are to mend
// may be why it does not show it.
func (w *work) asks(p *Promotion, t TargetName) bool { return p.Class != Rollback && w.conditional(t) }

// sure reports whether what is known of the targets may be decided upon, for a time after GitHub's answer. If not, GitHub
// is asked on behalf of a promotion.
func (w *work) sure(n Number, lasts time.Duration) bool {
	if w.answered() && !w.Readiness.Stale && w.now.Sub(w.Readiness.At) < lasts {
		return true
	}
	w.asker = n
	return false
}

// sureEnough is sure for those who wait: they have patience. When that is over, somebody looks again.
func (w *work) sureEnough(n Number) bool {
	if !w.answered() || !w.sure(n, w.Readiness.Patience()) {
		w.asker = n
		return false
	}
	w.wakeAt(w.Readiness.At.Add(w.Readiness.Patience()))
	return true
}

// wantProbe asks GitHub what the targets show, where that would decide something.
func (w *work) wantProbe() {
	if w.asker == 0 {
		return
	}
	e := Effect{Verb: Probe, Promotion: w.asker}
	if w.Readiness != nil {
		e.Round = w.Readiness.Asked // one for each answer
	}
	w.wanted(e)
}

// informed reports whether enough is known of the targets that a rollout comes to next. It need not be known of others.
func (w *work) informed(p *Promotion, step *Rollout) bool {
	next := slices.Concat(step.Targets, step.Waiting[len(p.Rollout.Waiting):])
	asks := func(t TargetName) bool { return w.asks(p, t) }
	return !slices.ContainsFunc(next, asks) || w.sure(p.Number, newsLasts)
}

// noneReady returns why a promotion does not start though nothing else is in its way: no target that it goes to is ready,
// or nobody knows; the zero reason if it may start.
func (w *work) noneReady(p *Promotion) Reason {
	if w.lookup().conditions == 0 {
		return Reason{}
	}
	trial := *p
	trial.Rollout = &Rollout{Batches: w.Stage.Batches}
	step, more := w.nextStep(&trial)
	asked := slices.DeleteFunc(step.Waiting, func(t TargetName) bool { return !w.conditional(t) })
	switch {
	case more && w.informed(&trial, &step), !more && len(asked) == 0:
		return Reason{}
	case more || !w.sureEnough(p.Number):
		return Because(Waiting)
	}
	why := Because(NotReady)
	for _, t := range asked {
		why.Args = append(why.Args, w.lacks(t).Args...)
	}
	return why
}
