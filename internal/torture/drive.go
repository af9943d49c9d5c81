package torture

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// What people do with a rollout while it runs, and with one target of it.

// drives are the commands that are about a rollout, or about one target; STAGE and TARGET stand for them.
var drives = []string{
	"/pause STAGE", "/pause STAGE", "/resume STAGE", "/skip STAGE/TARGET", "/skip STAGE/TARGET", "/hold STAGE/TARGET", "/hold STAGE/TARGET",
	"/hold STAGE/TARGET --for 30m", "/unhold STAGE/TARGET", "/promote STAGE/TARGET", "/promote STAGE/TARGET", "/promote STAGE/TARGET FREIGHT",
}

// driving is such a command. In a stage that is driven from outside most move a target.
func (w *World) driving(a Act) string {
	s := w.pipeline.Fleet()
	if s == nil {
		return "no command at all"
	}
	text := drives[a.B%len(drives)]
	if s.External && a.C%3 > 0 {
		text = "/promote STAGE/TARGET"
	}
	freight := ""
	if all := w.inOrder(s.From[0]); len(all) > 0 {
		freight = all[a.C%len(all)].name(s.From[0])
	}
	target := s.Targets[a.A%len(s.Targets)]
	if open := w.openTargets(s.Name); len(open) > 0 && a.A%3 == 0 {
		target = open[a.B%len(open)]
	}
	return strings.TrimSpace(strings.NewReplacer("STAGE/TARGET", w.asksFor(s.Name, target), "STAGE", s.Name, "FREIGHT", freight).Replace(text))
}

// asksFor names a target of which somebody asks something.
func (w *World) asksFor(stage, target string) string {
	place := stage + "/" + target
	w.asked[place] = true
	return place
}

// drive has a person drive a rollout: by a command, or by a label that moves a target.
func (w *World) drive(a Act) {
	repo, number := w.pull(a.A)
	s := w.pipeline.Fleet()
	if s == nil || number == 0 || a.B%5 > 0 {
		w.say([]string{"ann", "bob", "bob", "eve"}[a.C%4], w.driving(a), a.A)
		return
	}
	who, name := []string{"ann", "bob", "eve"}[a.C%3], "promote/"+w.asksFor(s.Name, s.Targets[a.A%len(s.Targets)])
	w.note("  %s labels %s#%d: %s: %v", who, repo, number, name, w.github.AddLabel(repo, number, who, name))
	w.told.prose("%s labels %s: %s", who, where(repo, number), name)
}

// goesTo reports whether a promotion is to update a target: it goes to all, or to some only.
func (p promo) goesTo(target string) bool {
	return p.only == "null" || p.only == "[]" || strings.Contains(p.only, `"`+target+`"`)
}

// paused reports whether somebody has paused the rollout of a promotion.
func (p promo) paused() bool { return p.progress().PausedByID != 0 }

// watchDriven notes which targets of a rollout have been held or left out at some time, and to which it did not go.
func (w *World) watchDriven(r *rollout) {
	p := w.seen.promotions[r.promotion]
	for _, t := range p.progress().Skipped {
		if !w.asked[r.stage.Name+"/"+t] {
			w.broken("no target is left out that nobody has left out", "%s of p%d", t, r.promotion)
		}
		r.spared[t] = true
	}
	for _, o := range w.seen.kept {
		r.spared[o.target] = r.spared[o.target] || o.stage == r.stage.Name
	}
	for _, t := range r.stage.Targets {
		r.aside[t] = r.aside[t] || !p.goesTo(t)
	}
}

// checkDriven: where targets are driven from outside, no promotion goes to one that nobody has asked for. Rollbacks and
// repairs bring back what was there.
func (w *World) checkDriven(r *rollout, p githubsim.Pull, step []string) {
	promoted := w.seen.promotions[r.promotion]
	if !r.stage.External || promoted.class == "rollback" || promoted.repairs {
		return
	}
	for _, t := range step {
		if !w.asked[r.stage.Name+"/"+t] {
			w.broken("a target that is driven from outside is moved when somebody asks for it", "#%d of p%d updates %s", p.Number, r.promotion, t)
		}
	}
}

// checkBrought: where targets are driven from outside, a promotion that succeeds has come to one of those that were
// asked for.
func (w *World) checkBrought(r *rollout, p promo) {
	s, known := w.sourceOf(p)
	has := func(t string) bool {
		_, merged := w.lastMerge(r, p, t)
		text, _ := w.github.File(r.stage.At().Repo, r.stage.At().Branch, r.stage.File(t))
		is, _ := r.stage.Form.Says(text, p.warehouse)
		return p.goesTo(t) && (merged || known && is == r.stage.Form.Writes(s.value()))
	}
	if r.stage.External && !slices.ContainsFunc(r.stage.Targets, has) {
		w.broken("what succeeds has come to where it was to go", "p%d of %s in %s to %s", p.number, p.name, p.stage, p.only)
	}
}

// leaves returns which targets of a rollout a merge must not touch that a hand is about to make: by what had been
// decided when it began the pipeline file has let go of them, somebody held them, or has left them out.
func (h sight) leaves(r *rollout) (all []string) {
	in := h.heeds.Stage(r.stage.Name)
	skipped := h.saw.promotions[r.promotion].progress().Skipped
	for _, t := range r.stage.Targets {
		held := slices.ContainsFunc(h.kept, func(o hold) bool { return o.stage == r.stage.Name && o.target == t })
		if held || !slices.Contains(in.Targets, t) || slices.Contains(skipped, t) {
			all = append(all, t)
		}
	}
	return all
}

// needs is how many people have to sign a pull request of ours off: those that the stage asks for the first of a
// promotion, and those that a batch asks for its first.
func (w *World) needs(s *shape.Stage, pull githubsim.Pull) (n int) {
	number := numberOf(pull.HeadBranch)
	before := slices.DeleteFunc(w.ours("merged"), func(p githubsim.Pull) bool {
		return numberOf(p.HeadBranch) != number || p.HeadBranch == pull.HeadBranch
	})
	if len(before) == 0 {
		n = s.Approvals
	}
	r := w.rollouts[number]
	if r == nil {
		return n
	}
	in := func(p githubsim.Pull) int {
		for _, path := range w.pathsOf(p) {
			if at := r.stage.BatchOf(shape.TargetOf(path)); at >= 0 {
				return at
			}
		}
		return -1
	}
	at := in(pull)
	if at >= 0 && !slices.ContainsFunc(before, func(p githubsim.Pull) bool { return in(p) == at }) {
		n = max(n, r.stage.Batches[at].Signed)
	}
	return n
}

// pathsOf are the files that a pull request changes, or has changed.
func (w *World) pathsOf(p githubsim.Pull) (paths []string) {
	if p.State == "merged" {
		return w.changedBy(p.Repo, p.MergeSHA)
	}
	changes, err := w.github.PullChanges(p.Repo, p.Number)
	if err != nil {
		w.broken("GitHub can be looked at", "%v", err)
	}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// lettingGo are the commands that lift what stands on single targets, and let rollouts go on.
func (w *World) lettingGo() (all []string) {
	for _, o := range w.seen.kept {
		all = append(all, "/unhold "+o.stage+"/"+o.target)
	}
	for _, p := range w.seen.promotions {
		if !p.ended() && p.paused() {
			all = append(all, "/resume "+p.stage)
		}
	}
	return all
}

// driveOn has a person move the last freight to every target that is driven from outside and has not got it. It reports
// whether there was one.
func (w *World) driveOn() (moved bool) {
	for _, s := range w.pipeline.Stages {
		if !s.External {
			continue
		}
		for _, wh := range s.From {
			all := w.inOrder(wh)
			for _, t := range s.Targets {
				text, _ := w.contentOf(s.File(t))
				if is, _ := s.Form.Says(text, wh); len(all) > 0 && is != s.Form.Writes(all[len(all)-1].value()) {
					w.say("bob", fmt.Sprintf("/promote %s %s", w.asksFor(s.Name, t), all[len(all)-1].name(wh)), 0)
					moved = true
				}
			}
		}
	}
	if moved {
		w.rest()
	}
	return moved
}
