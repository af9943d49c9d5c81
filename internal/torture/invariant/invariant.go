package invariant

import (
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// rule is an invariant. Its check returns a description of the violation, or "" if the rule holds.
type rule[T any] struct {
	name  string
	check func(l *ledger.Ledger, of T) string
}

// hold checks some rules and reports the first that does not hold.
func hold[T any](l *ledger.Ledger, rules []rule[T], of T) {
	for _, r := range rules {
		if l.Log.Failure != nil {
			return
		}
		if wrong := r.check(l, of); wrong != "" {
			l.Log.Broken(r.name, "%s", wrong)
		}
	}
}

// Watch checks the invariants after each event. It keeps the state of the previous moment that they need.
type Watch struct {
	l *ledger.Ledger

	cleared map[string]bool        // pull requests merged by the merge queue and already checked
	opened  map[string]int         // by repository: the newest pull request already checked when it was opened
	started int                    // workflow runs already checked
	were    map[shape.Place]string // heads of the stages' branches before a request
	queued  map[string]bool        // branches in the merge queue before a request
	theirs  map[shape.Place]string // heads, before a request, of the branches that another person has pushed to last
	passed  map[int64]bool         // which check runs had passed before a request that may write some; nil: no such one
}

// NewWatch returns a Watch that checks the invariants of a history.
func NewWatch(l *ledger.Ledger) *Watch {
	return &Watch{l: l, cleared: map[string]bool{}, opened: map[string]int{}}
}

// AfterStep checks the rows that a step of the program has written, if it has written any.
func (w *Watch) AfterStep() {
	if w.l.Log.Failure == nil {
		w.l.DB.AtOnce(w.afterStep)
	}
}

func (w *Watch) afterStep() {
	before, changed := w.l.DB.Refresh()
	if !changed {
		return
	}
	w.l.Rollouts.WatchTargets(before)
	var changes []change
	for _, p := range w.l.DB.Seen.Promotions {
		old, known := before.Promotions[p.Number]
		c := change{old: old, now: p, known: known, before: before}
		if c.starts() {
			w.l.Log.Note("    p%d %s into %s starts (%s)", p.Number, p.Name, p.Stage, p.Class)
			w.l.Rollouts.Departs(p)
		}
		changes = append(changes, c)
	}
	for _, c := range changes {
		hold(w.l, changeRules, c)
	}
	hold(w.l, stepRules, before)
	ours := w.l.Remote.Ours("")
	ours = slices.DeleteFunc(ours, func(p githubsim.Pull) bool { return p.Author != "waybill[bot]" })
	for _, p := range ours {
		hold(w.l, pullRules, ourPull{p, ours})
	}
}

// BeforeMerge checks a merge that a worker is about to request. It runs before any other actor can act. Told says, by
// promotion, why the program told people that one may not be merged when the worker claimed its work.
func (w *Watch) BeforeMerge(s ledger.Sight, told map[int64]string, r *http.Request) {
	pull, found := w.l.Remote.Pulled(r)
	if !found || pull.State != "open" {
		return
	}
	p := w.l.DB.Seen.Promotions[ledger.NumberOf(pull.HeadBranch)]
	hold(w.l, mergingRules, merging{s, p, told[p.Number]})
	w.l.Rollouts.Heed(s, pull)
	if p.Ended() && p.Number != 0 {
		w.l.Log.Note("    merges p%d, which is %s meanwhile", p.Number, p.State)
	}
}

// BeforeRequest remembers the heads of branches just before GitHub answers a request.
func (w *Watch) BeforeRequest(r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		w.theirs = w.l.Remote.TheirBranches()
		w.queued = w.inQueue()
	}
	if w.l.Shape.Directs {
		w.were = w.l.Remote.Heads()
	}
	if w.l.Shape.Guards && maySayChecks(r) {
		w.passed = passed(w.l)
	}
}

// AfterRequest checks the effects of a request.
func (w *Watch) AfterRequest(s ledger.Sight, r *http.Request) {
	for branch, head := range w.theirs {
		hold(w.l, branchRules, branchAt{branch, head})
	}
	w.theirs = nil
	w.lookAtPassed(s)
	w.lookAtQueued()
	if w.l.Shape.Rolls {
		w.lookAtOpened()
	}
	if len(w.l.Checkout.Pipeline.Starters()) > 0 {
		w.lookAtStarted(s)
	}
	if w.l.Shape.Directs && !ledger.IsMerge(r) {
		for _, at := range w.l.Shape.Places {
			w.lookAtCommitted(s, at, w.were[at])
		}
	}
	if !ledger.IsMerge(r) {
		return
	}
	p, _ := w.l.Remote.Pulled(r)
	if p.MergeSHA != "" && p.MergeSHA == w.l.GitHub.Head(p.Repo, p.BaseBranch) && p.MergedBy == "waybill[bot]" {
		hold(w.l, mergeRules, p)
		hold(w.l, signRules, p)
	}
}

// inQueue returns the branches of the pull requests in the merge queue; nil if there is no queue.
func (w *Watch) inQueue() map[string]bool {
	if !w.l.Shape.Queued {
		return nil
	}
	queued := map[string]bool{}
	for _, p := range w.l.Remote.BeforeGate("open") {
		queued[p.HeadBranch] = p.Queued
	}
	return queued
}

// lookAtQueued checks the pull requests that a request has just put into the merge queue.
func (w *Watch) lookAtQueued() {
	if w.queued == nil {
		return
	}
	for _, p := range w.l.Remote.BeforeGate("") {
		if p.Queued && !w.queued[p.HeadBranch] {
			hold(w.l, signRules, p)
		}
	}
	w.queued = nil
}

// lookAtOpened checks the pull requests of rollouts that a request has just opened.
func (w *Watch) lookAtOpened() {
	for _, p := range w.l.Remote.Ours("") {
		if p.Number <= w.opened[p.Repo] {
			continue
		}
		w.opened[p.Repo] = p.Number
		if r := w.l.Rollouts.Rollouts[ledger.NumberOf(p.HeadBranch)]; r != nil && p.Author == "waybill[bot]" {
			w.lookAtStep(r, p, w.l.Remote.PathsOf(p))
		}
	}
}

// lookAtStep checks a step of a rollout that changes the files in paths.
func (w *Watch) lookAtStep(r *ledger.Rollout, p githubsim.Pull, paths []string) {
	s := rolloutStep{rollout: r, pull: p, batch: -1}
	for _, path := range paths {
		s.targets = append(s.targets, shape.TargetOf(path))
	}
	if len(s.targets) > 0 {
		s.batch = r.Stage.BatchOf(s.targets[0])
	}
	w.l.Log.Note("    #%d is a step of p%d: %v", p.Number, r.Promotion, s.targets)
	hold(w.l, rolloutRules, s)
}

// lookAtStarted checks the workflow run that a request has just started.
func (w *Watch) lookAtStarted(s ledger.Sight) {
	runs := w.l.Remote.Runs("")
	if len(runs) == w.started {
		return
	}
	w.started = len(runs)
	_, name, _ := strings.Cut(strings.TrimSuffix(runs[len(runs)-1].Title, ")"), "(")
	hold(w.l, runRules, run{s, name, runs[len(runs)-1].Title, w.l.DB.Seen.Promotions[ledger.NumberOf(name)]})
}

// lookAtCommitted checks the commit that a request has just put on a branch of the stages, if there is one.
func (w *Watch) lookAtCommitted(s ledger.Sight, at shape.Place, before string) {
	head := w.l.GitHub.Head(at.Repo, at.Branch)
	if head == before || before == "" {
		return
	}
	c := newCommit(w.l, s, at, before, head)
	if c.follows() {
		w.l.Log.Note("    p%d is committed as %.7s", c.promotion.Number, head)
	}
	hold(w.l, commitRules, c)
	if w.l.Log.Failure != nil {
		return
	}
	made := c.asPull()
	if r := w.l.Rollouts.Rollouts[c.promotion.Number]; r != nil {
		w.lookAtStep(r, made, w.l.Remote.ChangedBy(at.Repo, head))
	}
	w.l.Remote.Committed = append(w.l.Remote.Committed, made)
	hold(w.l, mergeRules, made)
}

// AtRest checks the rules that must hold when no work is left.
func (w *Watch) AtRest() {
	queued := w.l.Remote.WatchQueue()
	w.l.DB.AtOnce(func() { hold(w.l, restRules, knows{lately: !w.l.Gaps.Missed("push")}) })
	for _, p := range queued {
		if p.State == "merged" && p.MergedBy == "waybill[bot]" && !w.cleared[p.HeadBranch] {
			w.cleared[p.HeadBranch] = true
			hold(w.l, mergeRules, p)
		}
	}
}

// AtStart checks the rules that must hold when the program has been started again.
func (w *Watch) AtStart() { hold(w.l, startRules, knows{}) }

// AtReturn checks the rules that must hold when the App has its access again and nothing else is missing.
func (w *Watch) AtReturn() { hold(w.l, returnRules, knows{lately: true}) }

// AtRecovery checks the rules that must hold an hour after an older copy of the database was put in its place.
func (w *Watch) AtRecovery() { hold(w.l, recoveryRules, knows{lately: true}) }

// AtEnd checks the rules that must hold when every promotion has been brought to its end.
func (w *Watch) AtEnd() { hold(w.l, endRules, knows{lately: true}) }

// knows says how much of the history the program can know.
type knows struct {
	lately bool // all recent events
}

// Listed is the name of an invariant, and when it is checked.
type Listed struct{ When, Name string }

// All lists the invariants.
func All() []Listed {
	var all []Listed
	all = append(all, names("each step", changeRules)...)
	all = append(all, names("each step", stepRules)...)
	all = append(all, names("each step", pullRules)...)
	all = append(all, names("each request", mergingRules)...)
	all = append(all, names("each request", branchRules)...)
	all = append(all, names("each request", rulingRules)...)
	all = append(all, names("each request", mergeRules)...)
	all = append(all, names("each request", signRules)...)
	all = append(all, names("each request", rolloutRules)...)
	all = append(all, names("each request", commitRules)...)
	all = append(all, names("each request", runRules)...)
	all = append(all, names("each start", startRules)...)
	all = append(all, names("at rest", restRules)...)
	all = append(all, names("access again", returnRules)...)
	all = append(all, names("recovery", recoveryRules)...)
	all = append(all, names("the end", endRules)...)
	for _, name := range ledger.Noticed {
		all = append(all, Listed{"at any time", name})
	}
	return all
}

func names[T any](when string, rules []rule[T]) (all []Listed) {
	for _, r := range rules {
		all = append(all, Listed{when, r.name})
	}
	return all
}
