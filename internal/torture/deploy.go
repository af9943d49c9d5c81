package torture

import (
	"slices"
	"strings"

	"waybill/internal/torture/shape"
)

// deploying is a job that waits before a stage's environment, or has waited there.
type deploying struct {
	repo                       string
	run                        int64
	stage, target, environment string
}

// wantToDeploy has a job wait before a stage's environment.
func (w *World) wantToDeploy(a Act) {
	s := w.pipeline.Stages[a.A%len(w.pipeline.Stages)]
	target := s.Places()[a.C%len(s.Places())]
	environment := s.Environment(target)
	ref := w.mergedInto(s.Name, target)
	if ref == "" {
		ref = s.AtOf(target).Branch
	}
	run, err := w.github.StartWorkflow(s.AtOf(target).Repo, "deploy", ref, "push", "ann")
	if err == nil {
		err = w.github.AskToDeploy(s.AtOf(target).Repo, run, strings.ToUpper(environment))
	}
	w.deploying = append(w.deploying, deploying{s.AtOf(target).Repo, run, s.Name, target, environment})
	w.note("  run %d wants to deploy into %s: %v", run, environment, err)
	w.told.prose("(run %d wants to deploy into %s)", run, environment)
}

// checkBarriers: a job waits exactly while a person holds the stage whose environment it wants to deploy into.
func (w *World) checkProtectionRules() {
	in := w.inForce()
	if w.deaf || in == nil || w.unread() || w.count(`SELECT COUNT(*) FROM views WHERE kind = 'barrier' AND wanted <> shown`) > 0 {
		return
	}
	for _, d := range w.deploying {
		s, state := in.Stage(d.stage), w.github.Barrier(d.repo, d.run, d.environment).State
		switch {
		case w.owes(d.stage):
		case s == nil || s.Passes || s.Settled && !slices.Contains(s.Targets, d.target):
			if state != "rejected" {
				w.broken("a job waits only before the environment of a stage", "run %d in %s: %q", d.run, d.environment, state)
			}
		case state == "" && !w.heldByPeople(s, d.target):
			w.broken("a job goes on when nothing stops it", "run %d in %s", d.run, d.environment)
		}
	}
}

// owes reports whether something is still to be done for a stage: what people see of it follows then.
func (w *World) owes(stage string) bool {
	return w.count(`SELECT COUNT(*) FROM effects WHERE stage = ? AND run_at IS NOT NULL`, stage) > 0
}

// heldByPeople reports whether somebody holds a stage, or a part of it that a job into a target's environment waits
// for.
func (w *World) heldByPeople(s *shape.Stage, target string) bool {
	return slices.ContainsFunc(append(w.standing(), w.still(w.seen.kept)...), func(o hold) bool {
		return !o.bot && (o.stage == "" || o.stage == s.Name) && (o.target == "" || !s.Settled || o.target == target)
	})
}

// checkAnswered: in the end no job waits of which the program can have been told.
func (w *World) checkAnswered() {
	if w.forgot || w.unasked {
		return
	}
	for _, d := range w.deploying {
		if b := w.github.Barrier(d.repo, d.run, d.environment); b.State == "" {
			w.broken("no job waits for ever", "run %d before %s: %v", d.run, d.environment, b.Reports)
		}
	}
}
