package invariant

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// ruling is a check run of Waybill's that has passed by a request, and the state that its worker could see.
type ruling struct {
	sight ledger.Sight
	run   githubsim.CheckRun
}

// rulingRules apply to such check runs.
var rulingRules = []rule[ruling]{
	{"no check of a guarded stage passes on a change of its files that had to wait when the worker began", passesNone},
}

// passesNone checks a check run on a commit that some open pull request proposes, whoever has opened it. That of a
// promotion of Waybill's own tells of the promotion.
func passesNone(l *ledger.Ledger, r ruling) string {
	if len(r.sight.Guarding) == 0 || l.Proposals.Ours()[r.run.SHA] {
		return ""
	}
	l.Proposals.Look()
	all := l.Proposals.Proposes(r.run.SHA)
	if len(all) == 0 {
		return ""
	}
	for _, g := range r.sight.Guarding {
		if r.run.Name == checkOf(g.Stage) && l.Proposals.Guards(g.Stage, r.run.SHA) {
			return fmt.Sprintf("%s of %s passes on %.7s of #%d by %s: %q, and %s", r.run.Name, r.run.ExternalID, r.run.SHA,
				all[0].Number, all[0].Author, r.run.Title, g.Why)
		}
	}
	return ""
}

// checkOf is the name of the check of a stage.
func checkOf(s *shape.Stage) string { return "waybill / " + s.Name }

// passes reports whether a branch that requires a check takes a check run for passed.
func passes(run githubsim.CheckRun) bool {
	return run.Status == "completed" && slices.Contains([]string{"success", "neutral", "skipped"}, run.Conclusion)
}

// maySayChecks reports whether a request may write check runs.
func maySayChecks(r *http.Request) bool {
	return r.Method != http.MethodGet && (strings.HasSuffix(r.URL.Path, "/graphql") ||
		strings.Contains(r.URL.Path, "/check-runs"))
}

// passed returns which check runs of Waybill's have passed.
func passed(l *ledger.Ledger) map[int64]bool {
	are := map[int64]bool{}
	for _, run := range l.GitHub.OwnRuns(shape.Home) {
		are[run.ID] = passes(run)
	}
	return are
}

// lookAtPassed checks the check runs that have passed by a request.
func (w *Watch) lookAtPassed(s ledger.Sight) {
	if w.passed == nil {
		return
	}
	for _, run := range w.l.GitHub.OwnRuns(shape.Home) {
		if passes(run) && !w.passed[run.ID] {
			hold(w.l, rulingRules, ruling{s, run})
		}
	}
	w.passed = nil
}

// guarded is a stage that guards its files, and what is proposed.
type guarded struct {
	*shape.Stage
	open []githubsim.Pull     // of people, into the branch of the stages
	ours map[string]bool      // the heads of open pull requests of Waybill's, whose checks tell of these
	runs []githubsim.CheckRun // of Waybill's, oldest first
}

// on returns the check runs of the stage on a commit, oldest first.
func (g guarded) on(sha string) []githubsim.CheckRun {
	return slices.DeleteFunc(slices.Clone(g.runs), func(run githubsim.CheckRun) bool { return run.SHA != sha })
}

// guarding visits the stages that guard their files, unless the program may have missed something.
func guarding(l *ledger.Ledger, visit func(g guarded) string) string {
	in := l.Checkout.InForce()
	if !l.Shape.Guards || l.Gaps.Missed("pull_request", "push") || in == nil || l.DB.Unread() || l.DB.Unshown("check") {
		return ""
	}
	l.Proposals.Look()
	for _, g := range guardsOf(l, in) {
		if l.DB.Owes(g.Name) {
			continue
		}
		if wrong := visit(g); wrong != "" {
			return wrong
		}
	}
	return ""
}

// guardsOf returns the stages of a pipeline that guard their files.
func guardsOf(l *ledger.Ledger, in *shape.Pipeline) (all []guarded) {
	open, ours, runs := l.Proposals.Open(), l.Proposals.Ours(), l.GitHub.OwnRuns(shape.Home)
	for i := range in.Stages {
		if s := &in.Stages[i]; s.Guard && !s.Passes {
			its := slices.DeleteFunc(slices.Clone(runs), func(run githubsim.CheckRun) bool { return run.Name != checkOf(s) })
			all = append(all, guarded{s, open, ours, its})
		}
	}
	return all
}

// guardsOnce checks that there is a check, which is followed by another only if that began with other news, or somebody
// has asked for it.
func guardsOnce(l *ledger.Ledger, _ knows) string {
	return guarding(l, func(g guarded) string {
		for _, p := range g.open {
			if g.ours[p.HeadSHA] {
				continue
			}
			runs := g.on(p.HeadSHA)
			repeated := 0
			for i := 1; i < len(runs); i++ {
				if repeats(runs[i-1], runs[i]) {
					repeated++
				}
			}
			if len(runs) == 0 || repeated > l.ByHand.Reruns[p.HeadSHA] {
				return fmt.Sprintf("%d times of #%d by %s in %s", len(runs), p.Number, p.Author, g.Name)
			}
		}
		return ""
	})
}

// guards checks that a guarded stage keeps a pull request waiting exactly while a hold, a freeze or a verification
// occupies the stage, whatever strangers do. Theirs may wait for the limits that docs/limits.md states.
func guards(l *ledger.Ledger, _ knows) string {
	return guarding(l, func(g guarded) string {
		for _, p := range g.open {
			runs := g.on(p.HeadSHA)
			if len(runs) == 0 || g.ours[p.HeadSHA] {
				continue
			}
			newest, why := runs[len(runs)-1], l.DB.Occupied(g.Stage)
			waits, is := l.Proposals.Guards(g.Stage, p.HeadSHA) && why != "", !passes(newest)
			spared := p.Author == ledger.Stranger &&
				(limited(newest) || l.Proposals.Unlisted(p.HeadSHA) || g.mistaken(l, p))
			if is != waits && !(is && spared) {
				return fmt.Sprintf("#%d by %s waits in %s: %t (%s %q), and %q", p.Number, p.Author, g.Name, is, newest.State,
					newest.Title, why)
			}
		}
		return ""
	})
}

// mistaken reports whether an earlier commit of a pull request waits for a limit. GitHub may tell in either order of
// two pushes within a second, and Waybill asks which was the last only as often as the limits allow.
func (g guarded) mistaken(l *ledger.Ledger, p githubsim.Pull) bool {
	return slices.ContainsFunc(l.Proposals.Former(p), func(sha string) bool {
		runs := g.on(sha)
		return len(runs) > 0 && limited(runs[len(runs)-1])
	})
}

// limited reports whether a check waits for a limit of what is done for strangers.
func limited(run githubsim.CheckRun) bool {
	return run.Status != "completed" &&
		(strings.HasPrefix(run.Title, "Not read yet") || strings.HasPrefix(run.Title, "Not followed"))
}

// withdraws checks that a commit which changes guarded files, and which nobody proposes any more, has no check that has
// passed: GitHub would take it as soon as the commit is proposed again, before it has told of that.
func withdraws(l *ledger.Ledger, _ knows) string {
	if l.Checkout.Configured() > 1 {
		return ""
	}
	return guarding(l, func(g guarded) string {
		for _, sha := range l.Proposals.Heads() {
			proposes := func(p githubsim.Pull) bool { return p.HeadSHA == sha }
			if slices.ContainsFunc(g.open, proposes) || !l.Proposals.Guards(g.Stage, sha) {
				continue
			}
			if runs := g.on(sha); len(runs) > 0 && passes(runs[len(runs)-1]) {
				return fmt.Sprintf("%.7s in %s: %q", sha, g.Name, runs[len(runs)-1].Title)
			}
		}
		return ""
	})
}

// onlyChecks checks that a stranger's pull request is as the stranger has left it, and that Waybill neither answers nor
// deploys there.
func onlyChecks(l *ledger.Ledger, _ knows) string {
	heads := map[string]bool{}
	for _, p := range l.Proposals.Foreign() {
		heads[p.HeadSHA] = true
		if p.State == "merged" && l.Proposals.CameWithAnother(p) {
			continue
		}
		if was, is := look(l.Intruders.Theirs[p.Number]), look(p); is != was {
			return fmt.Sprintf("#%d was %s and is %s", p.Number, was, is)
		}
		for _, c := range l.GitHub.Comments(shape.Home, p.Number) {
			if c.Author == "waybill[bot]" {
				return fmt.Sprintf("on #%d: %q", p.Number, c.Body)
			}
		}
	}
	for _, d := range l.GitHub.Deployments(shape.Home) {
		if heads[d.SHA] && d.Creator == "waybill[bot]" {
			return fmt.Sprintf("%.7s is deployed to %s", d.SHA, d.Environment)
		}
	}
	return ""
}

// look returns what a pull request looks like, but for its number and its times.
func look(p githubsim.Pull) string {
	return fmt.Sprintf("%q %q %s draft=%t auto=%t queued=%t %.7s into %s %q", p.Title, p.Body, p.State, p.Draft,
		p.AutoMerge, p.Queued, p.HeadSHA, p.BaseBranch, p.Labels)
}

// releasesProposals checks that no check of a guarded stage waits at the end, on any commit that was proposed. Those of
// a stranger may wait for limits, where nobody else proposes the commit by then.
func releasesProposals(l *ledger.Ledger, _ knows) string {
	for _, sha := range l.Proposals.All() {
		if l.Gaps.Lost && len(l.Proposals.Proposes(sha)) == 0 {
			continue // a database that was restored does not know it
		}
		foreign := slices.Contains(l.Proposals.Authors(sha), ledger.Stranger) &&
			!slices.ContainsFunc(l.Proposals.Proposes(sha), func(p githubsim.Pull) bool { return p.Author != ledger.Stranger })
		runs := l.GitHub.CheckRuns
		if l.Gaps.Lost || l.Shape.Behind() || l.ByHand.Reruns[sha] > 0 { // another was made in its place, which GitHub shows
			runs = l.GitHub.LatestCheckRuns
		}
		for _, run := range runs(shape.Home, sha) {
			if run.App == "waybill" && run.Status != "completed" && !(foreign && limited(run)) {
				return fmt.Sprintf("%s on %.7s: %s", run.Name, sha, run.Title)
			}
		}
	}
	return ""
}

// lets checks that at the end, when nothing is held or under way, each pull request of a person who may write passes
// each guard.
func lets(l *ledger.Ledger, _ knows) string {
	in := l.Checkout.InForce()
	if in == nil {
		return ""
	}
	for _, g := range guardsOf(l, in) {
		for _, p := range g.open {
			if p.Author == ledger.Stranger || g.ours[p.HeadSHA] {
				continue
			}
			if runs := g.on(p.HeadSHA); len(runs) == 0 || !passes(runs[len(runs)-1]) {
				return fmt.Sprintf("#%d by %s in %s: %d checks, %+v", p.Number, p.Author, g.Name, len(runs), runs)
			}
		}
	}
	return ""
}
