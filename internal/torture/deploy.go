package torture

import (
	"slices"
	"strings"
)

// deploying is a job that waits before a stage's environment, or has waited there.
type deploying struct {
	repo  string
	run   int64
	stage string
}

// wantToDeploy has a job wait before a stage's environment.
func (w *World) wantToDeploy(a Act) {
	s := w.pipeline.stages[a.A%len(w.pipeline.stages)]
	ref := w.mergedInto(s.name, "")
	if ref == "" {
		ref = s.at().branch
	}
	run, err := w.github.StartWorkflow(s.at().repo, "deploy", ref, "push", "ann")
	if err == nil {
		err = w.github.AskToDeploy(s.at().repo, run, strings.ToUpper(s.name))
	}
	w.deploying = append(w.deploying, deploying{s.at().repo, run, s.name})
	w.note("  run %d wants to deploy into %s: %v", run, s.name, err)
	w.told.prose("(run %d wants to deploy into %s)", run, s.name)
}

// checkBarriers: a job waits exactly while a person holds the stage whose environment it wants to deploy into.
func (w *World) checkBarriers() {
	in := w.inForce()
	if w.deaf || in == nil || w.unread() || w.count(`SELECT COUNT(*) FROM views WHERE kind = 'barrier' AND wanted <> shown`) > 0 {
		return
	}
	for _, d := range w.deploying {
		s, state := in.stage(d.stage), w.github.Barrier(d.repo, d.run, d.stage).State
		switch {
		case w.owes(d.stage):
		case s == nil || s.passes:
			if state != "rejected" {
				w.broken("a job waits only before the environment of a stage", "run %d in %s: %q", d.run, d.stage, state)
			}
		case state == "" && !w.heldByPeople(d.stage):
			w.broken("a job goes on when nothing stops it", "run %d in %s", d.run, d.stage)
		}
	}
}

// owes reports whether something is still to be done for a stage: what people see of it follows then.
func (w *World) owes(stage string) bool {
	return w.count(`SELECT COUNT(*) FROM effects WHERE stage = ? AND state IN ('due', 'doing')`, stage) > 0
}

func (w *World) heldByPeople(stage string) bool {
	return slices.ContainsFunc(w.standing(), func(o hold) bool { return !o.bot && (o.stage == "" || o.stage == stage) })
}

// checkAnswered: in the end no job waits of which the program can have been told.
func (w *World) checkAnswered() {
	if w.forgot || w.unasked {
		return
	}
	for _, d := range w.deploying {
		if b := w.github.Barrier(d.repo, d.run, d.stage); b.State == "" {
			w.broken("no job waits for ever", "run %d before %s: %v", d.run, d.stage, b.Reports)
		}
	}
}
