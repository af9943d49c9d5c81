package torture

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// check looks at what must hold after every step, if the step has written anything.
func (w *World) check() {
	if w.failure != nil || !w.changed() {
		return
	}
	before := w.seen
	w.seen = w.load()
	w.watchTargets(before)
	active := map[string]int64{}
	for _, p := range w.seen.promotions {
		old, known := before.promotions[p.number]
		if known && old.ended() && old != p {
			w.broken("ended promotions never change", "p%d was %+v and is %+v", p.number, old, p)
		}
		if p.active() {
			if other := active[p.stage]; other != 0 {
				w.broken("one promotion at a time in a stage", "p%d and p%d in %s", other, p.number, p.stage)
			}
			active[p.stage] = p.number
		}
		switch {
		case known:
		case p.repairs:
			w.checkRepair(p)
		case p.automatic:
			w.checkAutomatic(p)
		}
		if started := (!known || old.state == "queued") && (p.active() || p.state == "succeeded" || p.state == "verification-failed"); started {
			w.checkStart(p, before)
		}
		if p.rollout != old.rollout {
			w.checkProgress(old, p, before)
		}
		if p.state == "succeeded" && old.state != "succeeded" {
			w.checkArrived(p)
		}
	}
	for number := range before.promotions {
		if _, still := w.seen.promotions[number]; !still {
			w.broken("no promotion is lost", "p%d", number)
		}
	}
	w.checkPulls()
}

// checkAutomatic: automation never promotes the same freight into a stage twice, and never goes backward.
func (w *World) checkAutomatic(p promo) {
	for _, other := range w.seen.promotions {
		if other.number < p.number && other.stage == p.stage && other.warehouse == p.warehouse && !p.newerThan(other) {
			w.broken("automation goes forward only", "p%d (%s) after p%d (%s) in %s", p.number, p.name, other.number, other.name, p.stage)
		}
	}
}

// checkRepair: a repair brings back what was promoted before, once for each change by hand.
func (w *World) checkRepair(p promo) {
	had, repairs := false, 0
	for _, other := range w.seen.promotions {
		if other.stage != p.stage || other.freight != p.freight || other.number >= p.number {
			continue
		}
		had = had || other.mergeSHA != ""
		if other.repairs && other.state != "superseded" {
			repairs++
		}
	}
	if !had {
		w.broken("a repair brings back what was there", "p%d (%s) in %s", p.number, p.name, p.stage)
	}
	if repairs >= w.touched[p.stage] {
		w.broken("a change by hand is repaired once", "p%d is repair %d of %s in %s, whose file was changed %d times",
			p.number, repairs+1, p.name, p.stage, w.touched[p.stage])
	}
}

// checkPulls: there is one pull request for each attempt, and each of ours was written down before it was made.
func (w *World) checkPulls() {
	seen := map[string]int{}
	for _, p := range w.ours("") {
		if p.Author != "waybill[bot]" {
			continue
		}
		w.checkPlace(p)
		if other := seen[p.HeadBranch]; other != 0 {
			w.broken("one pull request for each attempt", "#%d and #%d from %s", other, p.Number, p.HeadBranch)
		}
		seen[p.HeadBranch] = p.Number
		if _, known := w.seen.promotions[numberOf(p.HeadBranch)]; !known {
			w.broken("what is made was written down before", "#%d from %s", p.Number, p.HeadBranch)
		}
	}
}

// numberOf returns the number of the promotion that a branch belongs to; that of a rollout's step has more behind it.
func numberOf(branch string) int64 {
	number, _, _ := strings.Cut(branch[strings.LastIndex(branch, "/")+1:], "-")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n
}

// checkStart looks at a promotion that has left the queue.
func (w *World) checkStart(p promo, before records) {
	w.note("    p%d %s into %s starts (%s)", p.number, p.name, p.stage, p.class)
	w.departs(p)
	w.checkBuilt(p)
	for _, q := range w.seen.promotions {
		_, known := before.promotions[q.number]
		ahead := ranks[q.class] < ranks[p.class] || ranks[q.class] == ranks[p.class] && q.number < p.number
		if known && q.stage == p.stage && q.state == "queued" && ahead && before.promotions[q.number] == q && w.free(q) {
			w.broken("the queue is in order", "p%d (%s) started before p%d (%s) in %s", p.number, p.class, q.number, q.class, p.stage)
		}
	}
	if p.class != "rollback" {
		w.checkEarned(p)
		if w.held(p) && slices.ContainsFunc(before.holds, func(o hold) bool { return o.stage == "" || o.stage == p.stage }) {
			w.broken("nothing starts while it is held", "p%d in %s", p.number, p.stage)
		}
	}
}

// free reports whether a promotion needs nothing but its turn.
func (w *World) free(q promo) bool {
	in := w.inForce()
	if in == nil {
		return false
	}
	s := in.Stage(q.stage)
	return s != nil && (q.class == "rollback" ||
		q.class == "manual" && len(s.After) == 0 && slices.Contains(s.From, q.warehouse) && w.someReady(s, q))
}

// someReady reports whether some target that a promotion goes to has been ready all the time. While none is, the
// promotion lets others pass.
func (w *World) someReady(s *shape.Stage, p promo) bool {
	return !s.Ready || slices.ContainsFunc(s.Targets, func(t string) bool {
		return p.goesTo(t) && !w.wasShown(t, false, time.Now())
	})
}

// inForce returns the pipeline that the program works by; nil if it is none of ours.
func (w *World) inForce() *shape.Pipeline {
	for _, text := range w.texts(`SELECT config FROM pipelines`) {
		return w.withFound(w.ups[text])
	}
	return nil
}

// held reports whether a hold stands on a stage; a rollback heeds only those of people.
func (w *World) held(p promo) bool {
	return slices.ContainsFunc(w.standing(), func(o hold) bool { return o.stops(p) })
}

// stops reports whether a hold concerns a promotion.
func (o hold) stops(p promo) bool {
	return (o.stage == "" || o.stage == p.stage) && !(p.class == "rollback" && o.bot)
}

// checkEarned: nothing is promoted past a failed or missing verdict, by what CI has really reported.
func (w *World) checkEarned(p promo) {
	in := w.inForce()
	if in == nil || in.Stage(p.stage) == nil || len(in.Stage(p.stage).After) == 0 {
		return
	}
	if w.count(`SELECT COUNT(*) FROM approvals WHERE kind = 'admit' AND stage = ? AND freight = ?`, p.stage, p.freight) > 0 {
		return
	}
	if why := w.unearned(in, in.Stage(p.stage), p, 0); why != "" {
		w.broken("nothing passes a failed or missing verdict", "p%d (%s) started in %s: %s", p.number, p.name, p.stage, why)
	}
}

// unearned says why freight has not earned a stage; "" if it has.
func (w *World) unearned(in *shape.Pipeline, s *shape.Stage, p promo, soak time.Duration) string {
	if len(s.After) == 0 {
		return ""
	}
	soak = max(soak, s.Soak)
	good, why := 0, []string{}
	for _, name := range s.After {
		up := in.Stage(name)
		text := ""
		if up.Passes {
			text = w.unearned(in, up, p, soak)
		} else {
			text = w.unverified(up, p, soak)
		}
		if text == "" {
			good++
		} else {
			why = append(why, text)
		}
	}
	if good >= s.Need {
		return ""
	}
	return strings.Join(why, "; ")
}

// unverified says why freight is not verified upstream for as long as it must be; "" if it is, or if a person said so.
func (w *World) unverified(up *shape.Stage, p promo, soak time.Duration) string {
	hosted := false
	for _, q := range w.seen.promotions {
		if q.stage != up.Name || q.freight != p.freight || q.mergeSHA == "" {
			continue
		}
		hosted = true
		if w.count(`SELECT COUNT(*) FROM stays WHERE promotion = ? AND judged_by_id <> 0`, q.number) > 0 {
			return ""
		}
		since, good := w.provenIn(up, q)
		if good && time.Since(since) >= soak-time.Second-(w.fast-w.slow) {
			return ""
		}
	}
	if !hosted {
		return up.Name + " never had it"
	}
	return up.Name + " has not verified it, or not for long enough"
}

// provenIn returns since when what a promotion has brought is good by what CI has said, and whether it is.
func (w *World) provenIn(up *shape.Stage, q promo) (since time.Time, good bool) {
	if up.Starts {
		return w.worked(q)
	}
	if r := w.rollouts[q.number]; r != nil {
		return w.provenEverywhere(r, q)
	}
	return w.proven(up, "", q.mergeSHA, time.UnixMicro(q.merged.Int64))
}

// proven returns since when a merge into a stage, or a target of it, is good by what CI has said, and whether it is.
func (w *World) proven(up *shape.Stage, target, sha string, merged time.Time) (since time.Time, good bool) {
	since = merged
	for _, m := range up.Verify {
		at, found := w.said(up, target, m.Of(target), sha, "success")
		switch {
		case m.Missing == "pass" || m.Skipped == "pass":
		case !found:
			return since, false
		case at.After(since):
			since = at
		}
	}
	return since, true
}

// said returns when CI has first said one of some things of what a stage, or a target of it, has merged.
func (w *World) said(up *shape.Stage, target string, m shape.Matcher, sha string, what ...string) (time.Time, bool) {
	var on []string
	for _, g := range w.signals {
		if g.kind != m.Kind || g.name != m.Name() || !slices.Contains(what, g.result) {
			continue
		}
		if on == nil {
			on = w.onWay(up, target, sha)
		}
		if slices.Contains(on, g.sha) {
			return g.at, true
		}
	}
	return time.Time{}, false
}

// onWay returns the commits on which CI judges what a stage, or a target of it, merged: that commit, and those that
// follow it as long as none touches its file (semantics 7.1).
func (w *World) onWay(up *shape.Stage, target, sha string) []string {
	if up.Whole {
		return []string{sha} // every later one changes what is there
	}
	var later []string // newest first
	place := up.AtOf(target)
	for at := w.github.Head(place.Repo, place.Branch); at != sha; {
		c, found := w.github.Commit(place.Repo, at)
		if !found || len(c.Parents) == 0 {
			later = nil // it is no longer on the branch
			break
		}
		later, at = append(later, at), c.Parents[0]
	}
	on, file := []string{sha}, up.File(target)
	for _, at := range slices.Backward(later) {
		if slices.Contains(w.changedBy(place.Repo, at), file) {
			break
		}
		on = append(on, at)
	}
	return on
}

// changedBy returns the files that a commit on a branch of the stages changes.
func (w *World) changedBy(repo, sha string) []string {
	if paths, known := w.commits[sha]; known {
		return paths
	}
	changes, err := w.github.CommitChanges(repo, sha)
	if err != nil {
		w.broken("GitHub can be looked at", "%v", err)
	}
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	w.commits[sha] = paths
	return paths
}

// numberIn returns the number of the pull request that a request merges.
func numberIn(r *http.Request) int {
	results := strings.Split(r.URL.Path, "/")
	number, _ := strconv.Atoi(results[len(results)-2])
	return number
}

// checkMerge looks at a merge that a hand is about to make: it must not have begun under a hold.
func (w *World) checkMerge(h sight, r *http.Request) {
	p, found := w.pulled(r)
	if !found || p.State != "open" {
		return
	}
	n := numberOf(p.HeadBranch)
	promotion := w.seen.promotions[n]
	for _, o := range h.holds {
		if o.stops(promotion) {
			w.broken("nothing is merged while it is held", "p%d in %s, hold %d", n, promotion.stage, o.id)
		}
	}
	if promotion.paused() && h.saw.promotions[n].paused() {
		w.broken("nothing is merged while its rollout is paused", "p%d in %s", n, promotion.stage)
	}
	w.noteGone(h, p)
	if promotion.ended() && promotion.number != 0 {
		w.note("    merges p%d, which is %s meanwhile", n, promotion.state)
	}
}

// theirBranches returns the branches of ours on which somebody else has pushed last.
func (w *World) theirBranches() map[shape.Place]string {
	theirs := map[shape.Place]string{}
	if len(w.pushed) == 0 {
		return theirs
	}
	for _, repo := range w.shape.Repos() {
		for _, branch := range w.github.Branches(repo) {
			if head := w.github.Head(repo, branch); w.pushed[head] {
				theirs[shape.Place{Repo: repo, Branch: branch}] = head
			}
		}
	}
	return theirs
}

// checkMoves: a branch that somebody else has moved stays where it is.
func (w *World) checkMoves() {
	for branch, head := range w.theirs {
		if now := w.github.Head(branch.Repo, branch.Branch); now != head {
			w.broken("a branch that somebody else has moved is left alone", "%v was at %s and is at %q", branch, head, now)
		}
	}
	w.theirs = nil
}

// noteBranches remembers where branches are just before a request.
func (w *World) noteBranches(r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		w.theirs = w.theirBranches()
	}
	if w.shape.Directs {
		w.were = w.heads()
	}
}

// checkRequest looks at what a request has done.
func (w *World) checkRequest(h sight, r *http.Request) {
	w.checkMoves()
	if w.shape.Rolls {
		w.checkOpened()
	}
	if len(w.pipeline.Starters()) > 0 {
		w.checkStarted(h)
	}
	if w.shape.Directs && !isMerge(r) {
		for _, at := range w.shape.Places {
			w.checkCommitted(h, at, w.were[at])
		}
	}
	if !isMerge(r) {
		return
	}
	if p, _ := w.pulled(r); p.MergeSHA != "" && p.MergeSHA == w.github.Head(p.Repo, p.BaseBranch) && p.MergedBy == "waybill[bot]" {
		w.checkMerged(p)
		w.checkSigned(p)
	}
}

// checkSigned: nothing is merged without the sign-offs that the stage and its batch ask for.
func (w *World) checkSigned(pull githubsim.Pull) {
	p, in := w.seen.promotions[numberOf(pull.HeadBranch)], w.inForce()
	if in == nil || in.Stage(p.stage) == nil {
		return
	}
	if needs, has := w.needs(in.Stage(p.stage), pull), w.signed(p, false); has < needs {
		w.broken("nothing is merged without its sign-offs", "p%d of %s in %s has %d of %d", p.number, p.name, p.stage, has, needs)
	}
}

// signed counts who has signed a promotion off, of those who could ever do so: not eve, and not the author. Now leaves
// out those who may not any more, and whose time is over.
func (w *World) signed(p promo, now bool) (n int) {
	promoted, _ := w.sourceOf(p)
	for _, who := range w.texts(`SELECT DISTINCT actor FROM approvals WHERE kind = 'sign-off' AND stage = ? AND freight = ? AND revoked_at IS NULL
		AND (NOT ? OR entitled AND expires_at > ?)`, p.stage, p.freight, now, w.programNow().UnixMicro()) {
		if (who == "ann" || who == "bob") && who != promoted.author {
			n++
		}
	}
	return n
}

// checkMerged: a merge of ours changes the stage's file, and a folder that the stage copies, and nothing else; the
// folder is what it is in the freight's commit.
func (w *World) checkMerged(p githubsim.Pull) {
	if whole(p) {
		w.checkWhole(p)
		return
	}
	stage := stageIn(p)
	folder := "copied/" + stage + "/"
	beside := func(at string) []string {
		return slices.DeleteFunc(w.github.Files(p.Repo, at), func(path string) bool { return strings.HasPrefix(path, folder) })
	}
	before, after := beside(p.BaseSHA), beside(p.MergeSHA)
	if !slices.Equal(before, after) {
		w.broken("other files stay as they are", "#%d: %v, before %v", p.Number, after, before)
	}
	for _, path := range before {
		old, _ := w.github.File(p.Repo, p.BaseSHA, path)
		now, _ := w.github.File(p.Repo, p.MergeSHA, path)
		switch {
		case old == now:
		case shape.StageOf(path) != stage:
			w.broken("other files stay as they are", "#%d changes %s", p.Number, path)
		default:
			w.checkExact(p, path, old, now)
		}
	}
	w.checkStep(p)
	w.checkCopied(p, strings.TrimSuffix(folder, "/"))
}

// checkExact: what a merge of ours changes in a file is the value of its freight, and no other byte.
func (w *World) checkExact(p githubsim.Pull, path, old, now string) {
	promoted := w.seen.promotions[numberOf(p.HeadBranch)]
	f := shape.FormOf(path)
	if f == nil || f.Beside(old, promoted.warehouse) != f.Beside(now, promoted.warehouse) {
		w.broken("every other byte of a file stays as it is", "#%d changes %s from\n%sto\n%s", p.Number, path, old, now)
		return
	}
	is, _ := f.Says(now, promoted.warehouse)
	if s, known := w.sourceOf(promoted); !known || f.Writes(s.value()) != is {
		w.broken("a promotion writes what its freight is", "#%d writes %s into %s for %s", p.Number, is, path, promoted.name)
	}
}

// checkCopied: a folder that a merge of ours has changed is equal to the one that it was copied from.
func (w *World) checkCopied(p githubsim.Pull, folder string) {
	_, was, _ := w.github.Entry(p.Repo, p.BaseSHA, folder)
	_, is, found := w.github.Entry(p.Repo, p.MergeSHA, folder)
	if !found || is == was {
		return
	}
	promoted, _ := w.sourceOf(w.seen.promotions[numberOf(p.HeadBranch)])
	if _, want, _ := w.github.Entry(promoted.repo, promoted.sha, "api"); is != want {
		w.broken("a copy is exact", "#%d: %s is %s, and not %s", p.Number, folder, is, want)
	}
}

// keptFor is how long deliveries stay in any case, whatever the program's clock says.
const keptFor = 13 * 24 * time.Hour

// checkAcknowledged: what was acknowledged is still there.
func (w *World) checkAcknowledged() {
	acknowledged, kept := 0, time.Now().Add(-keptFor)
	for _, at := range w.acked {
		if at.After(kept) {
			acknowledged++
		}
	}
	if n := w.count(`SELECT COUNT(*) FROM deliveries`); n < acknowledged {
		w.broken("nothing acknowledged is lost", "%d deliveries were acknowledged and %d are there", acknowledged, n)
	}
}

// checkRest looks at what must hold when nothing is left to do.
func (w *World) checkRest() {
	if w.failure != nil {
		return
	}
	w.checkWaits()
	w.checkOnce()
	w.checkChat()
	w.checkQueue()
	w.checkGuards()
	w.checkProtectionRules()
	w.checkSummary()
	w.checkFreight(false)
	w.checkShown()
	w.checkFound(!w.deaf)
}

// checkWaits: what waits has a reason, and somebody looks when it is over.
func (w *World) checkWaits() {
	in := w.inForce()
	if in == nil || w.unread() || w.apart {
		return
	}
	for _, p := range w.seen.promotions {
		if p.ended() || in.Stage(p.stage) == nil || w.owes(p.stage) {
			continue
		}
		if why := w.stuck(in, in.Stage(p.stage), p); why != "" {
			w.broken("what waits has a reason", "p%d (%s) in %s is %s: %s", p.number, p.name, p.stage, p.state, why)
		}
	}
}

// stuck says what is missing when a promotion waits for nothing; "" if it waits for something.
func (w *World) stuck(in *shape.Pipeline, s *shape.Stage, p promo) string {
	held := w.held(p) || p.paused()
	if p.state == "verifying" && s.Rolls() && (held || p.class != "rollback" && w.badUpstream(in, s, p)) {
		return "" // no further step begins
	}
	if p.state == "running" && (s.Direct || s.Starts) && (held || p.class != "rollback" && w.badUpstream(in, s, p)) {
		return "" // it is not committed, or not started
	}
	switch p.state {
	case "queued":
		for _, q := range w.seen.promotions {
			if q.stage == p.stage && q.active() {
				return ""
			}
		}
		if held || len(s.After) > 0 && p.class != "rollback" || p.class == "automatic" && slices.Contains(w.pipeline.Manual, s.Name) {
			return ""
		}
		if w.count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND answered_at IS NULL`, p.stage) > 0 {
			return ""
		}
		if s.Ready && w.count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.stage) > 0 {
			return "" // GitHub is asked again whether a target is ready
		}
		return "it could start"
	case "running":
		return "nobody carries it out"
	case "waiting-for-merge":
		if held || s.Merge == "manual" || w.unsigned(s, p) || w.refused(p) || p.class != "rollback" && w.badUpstream(in, s, p) {
			return ""
		}
		return "nobody merges it"
	}
	if w.count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.stage) > 0 || strings.Contains(p.cause, "inconclusive") || strings.Contains(p.cause, "missing") {
		return ""
	}
	return fmt.Sprintf("nobody looks after its clock (%s)", p.cause)
}

// unsigned reports whether people have to sign off what a promotion has open.
func (w *World) unsigned(s *shape.Stage, p promo) bool {
	pull := w.openOf(p)
	return pull.Number == 0 || w.signed(p, true) < w.needs(s, pull)
}

// openOf is the newest pull request of a promotion.
func (w *World) openOf(p promo) (newest githubsim.Pull) {
	for _, pull := range w.ours("") {
		if numberOf(pull.HeadBranch) == p.number {
			newest = pull
		}
	}
	return newest
}

// refused reports whether there is something with an open pull request that keeps us from merging it.
func (w *World) refused(p promo) bool {
	if w.count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND unmergeable <> ''`, p.number) > 0 {
		return true
	}
	// Merged, closed or moved without our knowledge: that webhook was lost.
	pull := w.openOf(p)
	return pull.State != "open" || w.pushed[pull.HeadSHA] || len(w.ups) > 1 || w.atTheGate(pull)
}

// badUpstream reports whether freight has been found bad upstream, perhaps since its promotion was opened: a person
// decides.
func (w *World) badUpstream(in *shape.Pipeline, s *shape.Stage, p promo) bool {
	return slices.ContainsFunc(s.After, func(name string) bool {
		if up := in.Stage(name); up.Passes {
			return w.badUpstream(in, up, p)
		}
		return w.count(`SELECT COUNT(*) FROM stays WHERE freight = ? AND stage = ? AND verdict = 'failed'`, p.freight, name) > 0
	})
}

// checkOnce: what is made at GitHub is made once.
func (w *World) checkOnce() {
	for _, repo := range w.github.Repos() {
		for _, p := range w.github.Pulls(repo) {
			marks := map[string]int{}
			for _, c := range w.github.Comments(repo, p.Number) {
				if i := strings.Index(c.Body, "<!-- waybill:"); i >= 0 && c.Author == "waybill[bot]" {
					marks[c.Body[i:]]++
				}
			}
			for mark, n := range marks {
				if n > 1 {
					w.broken("a comment is written once", "%d times %s on %s#%d", n, mark, repo, p.Number)
				}
			}
		}
	}
	for _, s := range w.sources {
		may := 0 // several tags may name one commit
		for _, other := range w.sources {
			if other.sha == s.sha {
				may += len(other.warehouses)
			}
		}
		names := map[string]int{}
		for _, run := range w.github.CheckRuns(s.repo, s.sha) {
			if run.App == "waybill" {
				names[run.Name]++
			}
		}
		for name, n := range names {
			if n > may && name != "waybill / config" {
				w.broken("a check run is made once", "%d times %s on %s#%d", n, name, s.repo, s.number)
			}
		}
	}
	w.checkDeployments()
}

// checkDeployments: a promotion is one deployment. One that changes nothing goes by the commit of the one before, and a
// rollout by that of one of its steps.
func (w *World) checkDeployments() {
	may := map[string]int{}
	for _, p := range w.seen.promotions {
		if r := w.rollouts[p.number]; r != nil && p.mergeSHA != "" {
			may[p.name+" in "+p.stage]++
			for _, t := range r.stage.Targets {
				may[p.name+" in "+p.stage+"/"+t]++
			}
		} else {
			may[p.mergeSHA]++
		}
	}
	for _, d := range w.deployments() {
		if d.Creator != "waybill[bot]" {
			continue
		}
		by := d.Description
		if may[by] == 0 {
			by = d.SHA
		}
		if may[by]--; may[by] < 0 {
			w.broken("a deployment is made once", "%s %s: %s", d.Environment, d.SHA, d.Description)
		}
	}
}
