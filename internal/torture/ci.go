package torture

import (
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// signal is what CI has reported.
type signal struct {
	kind, name, sha, result string
	at                      time.Time
	act                     int // number of acts before it
}

// outcomes are the results that CI reports, by kind of signal.
var outcomes = map[string][]string{
	"check":      {"success", "success", "failure", "cancelled", "skipped", "neutral", "in_progress", "queued", "timed_out", "success", "failure"},
	"status":     {"success", "failure", "pending", "error", "success"},
	"deployment": {"success", "failure", "in_progress", "error", "inactive", "success"},
}

// report has CI report something on one of the commits that matter, or on the newest.
func (w *World) report(a Act) {
	s := w.pipeline.Stages[a.A%len(w.pipeline.Stages)]
	target := s.Places()[a.C/5%len(s.Places())]
	sha := w.mergedInto(s.Name, target)
	if a.C%5 == 0 {
		sha = w.github.Head(s.AtOf(target).Repo, s.AtOf(target).Branch)
	}
	if sha == "" || len(s.Verify) == 0 {
		return
	}
	m := s.Verify[a.B%len(s.Verify)].Of(target)
	all := outcomes[m.Kind]
	w.signal(s.AtOf(target), m, sha, all[(a.B/4)%len(all)])
}

// succeed has CI report success for what the stages have got last: for all of them, or for one.
func (w *World) succeed(a Act) {
	for i, s := range w.pipeline.Stages {
		if a.B%3 == 0 && a.A%len(w.pipeline.Stages) != i {
			continue
		}
		w.allGreen(&s)
	}
}

// allGreen has CI report success for what a stage has got last, in each of its targets.
func (w *World) allGreen(s *shape.Stage) {
	for _, target := range s.Places() {
		w.green(s, target)
	}
}

// green has CI report success for what a stage, or a target of it, has got last, where it has not done so, and on later
// commits where it has begun to say something else.
func (w *World) green(s *shape.Stage, target string) {
	if s.Starts {
		w.greenRun(s)
		return
	}
	sha := w.mergedInto(s.Name, target)
	if sha == "" {
		return
	}
	at := s.AtOf(target)
	w.endBegun(at, sha)
	for _, m := range s.Verify {
		m = m.Of(target)
		if w.lastSaid(m, sha) != "success" {
			w.signal(at, m, sha, "success")
		}
		for _, later := range w.onWay(s, target, sha)[1:] {
			if said := w.lastSaid(m, later); said != "" && said != "success" {
				w.signal(at, m, later, "success")
			}
		}
	}
}

// endBegun has CI end what it has begun on a commit, whatever that is: a pattern waits for the whole suite.
func (w *World) endBegun(at shape.Place, sha string) {
	for _, g := range slices.Clone(w.signals) {
		m := shape.Matcher{Kind: g.kind, Pattern: g.name}
		if said := w.lastSaid(m, sha); g.sha == sha && g.kind == "check" && (said == "queued" || said == "in_progress") {
			w.signal(at, m, sha, "success")
		}
	}
}

// lastSaid is what CI has reported last on a commit; "" if it has reported nothing.
func (w *World) lastSaid(m shape.Matcher, sha string) (result string) {
	for _, g := range w.signals {
		if g.sha == sha && g.name == m.Name() && g.kind == m.Kind {
			result = g.result
		}
	}
	return result
}

// mergedInto returns the commit that a stage, or a target of it, got last: of a pull request, or what a promotion
// without change goes by.
func (w *World) mergedInto(stage, target string) string {
	sha, at := "", time.Time{}
	for _, p := range w.merges() {
		if stageIn(p) == stage && !p.MergedAt.Before(at) && (target == "" || slices.Contains(w.targetsIn(p), target)) {
			sha, at = p.MergeSHA, p.MergedAt
		}
	}
	for _, p := range w.seen.promotions {
		if p.stage != stage || p.state != "verifying" {
			continue
		}
		if target == "" {
			sha = p.mergeSHA
		} else if goesBy := w.text(`SELECT json_extract(value, '$.commit') FROM stays, json_each(parts) WHERE promotion = ? AND json_extract(value, '$.target') = ?`, p.number, target); goesBy != "" {
			sha = goesBy
		}
	}
	return sha
}

// signal reports a result of a commit in some place.
func (w *World) signal(at shape.Place, m shape.Matcher, sha, result string) {
	var err error
	switch m.Kind {
	case "check":
		spec := githubsim.CheckSpec{Name: m.Name(), SHA: sha, Suite: "ci", Branch: at.Branch}
		if result == "queued" || result == "in_progress" {
			spec.Status = result
		} else {
			spec.Conclusion = result
		}
		_, err = w.github.CreateCheckRun(at.Repo, spec)
	case "status":
		err = w.github.CreateStatus(at.Repo, sha, "ci-bot", m.Name(), result, "")
	case "deployment":
		var id int64
		if id, err = w.github.CreateDeployment(at.Repo, sha, "ci-bot", m.Name()); err == nil {
			err = w.github.CreateDeploymentStatus(at.Repo, id, "ci-bot", result)
		}
	}
	if err != nil {
		w.broken("CI can report", "%s %s on %s: %v", m.Kind, m.Name(), sha, err)
		return
	}
	w.told.happening("%s %s %s at %s", m.Kind, m.Name(), result, w.at(sha))
	w.note("  %s %s %s on %.7s", m.Kind, m.Name(), result, sha)
	w.signals = append(w.signals, signal{m.Kind, m.Name(), sha, result, time.Now(), 0})
}
