package torture

import (
	"fmt"
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// propose has a person open a pull request that changes a stage's file or does not, push to it, merge it, or close it.
func (w *World) propose(a Act) {
	var open []githubsim.Pull
	for _, number := range w.proposed {
		if p, found := w.github.Pull(shape.Home, number); found && p.State == "open" {
			open = append(open, p)
		}
	}
	if len(open) == 0 || a.A%6 < 2 {
		w.openProposal(a)
		return
	}
	p := open[a.B%len(open)]
	what, err := "", error(nil)
	switch a.A % 6 {
	case 2, 3:
		what = "pushes to"
		files := w.proposal(a)
		if _, err = w.github.PushFiles(shape.Home, p.HeadBranch, "ann", "More", files); err == nil {
			w.changes[p.Number] = append(w.changes[p.Number], keys(files)...)
		}
	case 4:
		what = "merges"
		if w.shape.Queued && a.C%2 == 0 {
			what = "puts into the merge queue"
			err = w.github.Enqueue(shape.Home, p.Number, "ann")
		} else if _, err = w.github.MergePull(shape.Home, p.Number, "ann", "squash"); err == nil {
			w.touchAll() // it may have changed anything
		}
	case 5:
		what, err = "closes", w.github.ClosePull(shape.Home, p.Number, "ann")
	}
	w.note("  ann %s #%d: %v", what, p.Number, err)
	w.told.prose("(ann %s the pull request %d of hers)", what, p.Number)
	w.headsOf(p.Number)
}

func (w *World) openProposal(a Act) {
	files := w.proposal(a)
	number, err := w.github.OpenPull(shape.Home, githubsim.PullSpec{Title: "By hand", Head: fmt.Sprintf("by-hand-%d", a.ID), Author: "ann", Files: files})
	if err != nil {
		return // she has one from that branch
	}
	w.proposed = append(w.proposed, number)
	w.changes[number] = keys(files)
	w.note("  ann proposes #%d: %v", number, keys(files))
	w.told.prose("(ann opens the pull request %d, which changes %v)", number, keys(files))
	w.headsOf(number)
}

// proposal is a change of a stage's file, or in one case of three of something else.
func (w *World) proposal(a Act) map[string]*string {
	s := &w.pipeline.Stages[a.B%len(w.pipeline.Stages)]
	path, text := w.chosenFile(s, a.C/3)
	if path == "" || s.At() != shape.Here || a.C%3 == 0 {
		return map[string]*string{fmt.Sprintf("notes/%d", a.ID): githubsim.Text("x\n")}
	}
	return map[string]*string{path: githubsim.Text(shape.Replicas.ReplaceAllString(text, fmt.Sprintf("${1}%d", 1000+a.ID)))}
}

// headsOf remembers the commit that a proposal stands at.
func (w *World) headsOf(number int) {
	if p, found := w.github.Pull(shape.Home, number); found && !slices.Contains(w.proposals, p.HeadSHA) {
		w.proposals = append(w.proposals, p.HeadSHA)
	}
}

// touchAll counts a change by hand of every stage's file.
func (w *World) touchAll() {
	for _, s := range w.pipeline.Stages {
		w.touched[s.Name]++
		for _, path := range s.Files() {
			w.handled[path] = time.Now()
		}
	}
}

// checkGuards: a guarded stage lets a proposal wait exactly while something is held or verified there. What nobody has
// told the program it cannot know.
func (w *World) checkGuards() {
	in := w.inForce()
	if w.deaf || in == nil || w.unread() || w.count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, number := range w.proposed {
		p, _ := w.github.Pull(shape.Home, number)
		for _, s := range in.Stages {
			if p.State == "open" && s.Guard && !s.Passes && !w.owes(s.Name) {
				w.checkGuardCheck(p, &s)
			}
		}
	}
}

// unread reports whether a webhook has come that the program has not understood yet.
func (w *World) unread() bool {
	return w.count(`SELECT COUNT(*) FROM deliveries WHERE state = 'waiting'`) > 0
}

func (w *World) checkGuardCheck(p githubsim.Pull, s *shape.Stage) {
	stage := s.Name
	var runs []githubsim.CheckRun
	for _, run := range w.github.CheckRuns(shape.Home, p.HeadSHA) {
		if run.Name == "waybill / "+stage {
			runs = append(runs, run)
		}
	}
	if len(runs) != 1 {
		w.broken("a guarded stage says yes or no once", "%d times of #%d in %s", len(runs), p.Number, stage)
		return
	}
	waits := slices.ContainsFunc(w.changes[p.Number], func(path string) bool { return slices.Contains(s.Files(), path) }) && w.occupied(stage)
	if is := runs[0].Status != "completed"; is != waits {
		w.broken("a guarded stage lets people wait while something is held or verified there", "#%d waits in %s: %t (%s)", p.Number, stage, is, runs[0].Title)
	}
}

// occupied reports whether a hold stands on a stage, or something is being verified there.
func (w *World) occupied(stage string) bool {
	for _, p := range w.seen.promotions {
		if p.stage == stage && p.state == "verifying" {
			return true
		}
	}
	return slices.ContainsFunc(append(w.standing(), w.still(w.seen.kept)...), func(o hold) bool { return o.stage == "" || o.stage == stage })
}

// checkReleased: in the end no check of a guarded stage waits.
func (w *World) checkReleased() {
	for _, sha := range w.proposals {
		for _, run := range w.github.CheckRuns(shape.Home, sha) {
			if run.App == "waybill" && run.Status != "completed" {
				w.broken("no check of a guarded stage waits for ever", "%s on %.7s: %s", run.Name, sha, run.Title)
			}
		}
	}
}
