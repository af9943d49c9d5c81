package torture

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// rollout is what is known of a promotion that goes through targets: how its stage was when it started, whose batches
// hold to the end.
type rollout struct {
	promotion int64
	stage     shape.Stage
	at        time.Time
	left      map[string]bool // targets that have not been in the pipeline file at some time since
	lacked    map[string]bool // targets whose file was not there at some time since
	spared    map[string]bool // targets that were held or left out at some time since
	aside     map[string]bool // targets to which it did not go at some time
}

// departs remembers how a stage with targets is when a promotion into it starts.
func (w *World) departs(p promo) {
	if in := w.inForce(); in != nil && in.Stage(p.stage) != nil && in.Stage(p.stage).Rolls() && w.rollouts[p.number] == nil {
		w.rollouts[p.number] = &rollout{p.number, *in.Stage(p.stage), time.Now(), map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
		w.watch(w.rollouts[p.number])
	}
}

// watchTargets notes which targets leave the pipeline file while a rollout goes on, and which have no file.
func (w *World) watchTargets(before records) {
	if len(w.rollouts) == 0 {
		return
	}
	for number, r := range w.rollouts {
		if !before.promotions[number].ended() {
			w.watch(r)
		}
	}
}

// watch notes which targets of a rollout cannot take part.
func (w *World) watch(r *rollout) {
	in := w.inForce()
	w.watchDriven(r)
	for _, t := range r.stage.Targets {
		if in != nil && (in.Stage(r.stage.Name) == nil || !slices.Contains(in.Stage(r.stage.Name).Targets, t)) {
			r.left[t] = true
		}
		if !w.has(&r.stage, r.stage.File(t)) {
			r.lacked[t] = true
		}
	}
}

// stageIn is the stage that a pull request of ours is for. Outside the home repository the branch names the pipeline,
// too.
func stageIn(p githubsim.Pull) string {
	results := strings.Split(p.HeadBranch, "/")
	if strings.HasPrefix(results[1], "@") {
		return results[2]
	}
	return results[1]
}

// targetsIn are the targets whose files a merged pull request has changed.
func (w *World) targetsIn(p githubsim.Pull) (all []string) {
	for _, path := range w.changedBy(p.Repo, p.MergeSHA) {
		if shape.StageOf(path) == stageIn(p) {
			all = append(all, shape.TargetOf(path))
		}
	}
	return all
}

// mergeOf returns the merge by which a promotion has updated a target, if it has.
func (w *World) mergeOf(number int64, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(w.merges()) {
		if numberOf(p.HeadBranch) == number && slices.Contains(w.targetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// ends is whatever CI says of a merge that may end the wait for it, though it is no success.
var ends = []string{"failure", "error", "timed_out", "skipped", "neutral", "inactive", "cancelled"}

// verified returns whether a target that a promotion has merged is good, by what CI has said or because nothing had to
// be said.
func (w *World) verified(r *rollout, target string, p githubsim.Pull) bool {
	if w.ruled(r.stage.Name) {
		return true
	}
	for _, m := range r.stage.Verify {
		_, good := w.said(&r.stage, target, m.Of(target), p.MergeSHA, "success")
		_, heard := w.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...)
		if !good && !(m.Skipped == "pass" && heard) && !(m.Missing == "pass" && w.silentFor(p, m.Appear)) {
			return false
		}
	}
	return true
}

// failed returns whether a target may have been found bad.
func (w *World) failed(r *rollout, target string, p githubsim.Pull) bool {
	for _, m := range r.stage.Verify {
		if _, heard := w.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...); heard || w.silentFor(p, m.Appear) {
			return true
		}
	}
	return false
}

// silentFor reports whether so much time has passed since a merge, by a clock that may have been set.
func (w *World) silentFor(p githubsim.Pull, d time.Duration) bool {
	return time.Since(p.MergedAt) >= d-time.Second-(w.fast-w.slow)
}

// ruled reports whether a person has given a verdict in a stage.
func (w *World) ruled(stage string) bool {
	return w.count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND command LIKE '%verdict%'`, stage) > 0
}

// checkOpened looks at the pull requests of rollouts that a request has just opened.
func (w *World) checkOpened() {
	for _, p := range w.ours("") {
		if p.Number <= w.opened[p.Repo] {
			continue
		}
		w.opened[p.Repo] = p.Number
		if r := w.rollouts[numberOf(p.HeadBranch)]; r != nil && p.Author == "waybill[bot]" {
			w.checkBudget(r, p, w.pathsOf(p))
		}
	}
}

// checkBudget: a step begins when all targets of earlier steps have their verdicts and the batch before it has rested,
// it keeps what may be unavailable at once, and there is none when too many have failed.
func (w *World) checkBudget(r *rollout, p githubsim.Pull, paths []string) {
	var step []string
	for _, path := range paths {
		step = append(step, shape.TargetOf(path))
	}
	w.note("    #%d is a step of p%d: %v", p.Number, r.promotion, step)
	if len(step) == 0 {
		w.broken("a step updates something", "#%d of p%d", p.Number, r.promotion)
		return
	}
	at := r.stage.BatchOf(step[0])
	if at < 0 || slices.ContainsFunc(step, func(t string) bool { return r.stage.BatchOf(t) != at }) {
		w.broken("a step belongs to one batch", "#%d of p%d updates %v", p.Number, r.promotion, step)
		return
	}
	if r.stage.PerTarget && len(step) > 1 {
		w.broken("each target has a pull request of its own", "#%d of p%d updates %v", p.Number, r.promotion, step)
	}
	w.checkDriven(r, p, step)
	unavailable, failures := w.reckon(r, r.stage.Batches[at], step)
	if limit := r.stage.Limit(r.stage.Batches[at]); len(unavailable) > limit {
		w.broken("a rollout keeps its budget", "#%d of p%d: %v are unavailable in %s, %d may be", p.Number, r.promotion, unavailable, r.stage.Batches[at].Name, limit)
	}
	if in := w.inForce(); in != nil && in.Stage(r.stage.Name) != nil && in.Stage(r.stage.Name).Beyond != "continue" && failures > in.Stage(r.stage.Name).MaxFailures {
		w.broken("a rollout ends when too many targets have failed", "#%d of p%d: %d have, %d may", p.Number, r.promotion, failures, r.stage.MaxFailures)
	}
	for i := range at {
		w.checkDone(r, i, p)
	}
	if at > 0 && !w.begun(r, r.stage.Batches[at]) {
		w.checkRested(r, r.stage.Batches[at-1], p)
	}
}

// reckon returns which targets of a batch are unavailable while a step is under way, and how many of all have failed
// for certain.
func (w *World) reckon(r *rollout, b shape.Batch, step []string) (unavailable []string, failures int) {
	unavailable = slices.Clone(step)
	for _, t := range r.stage.Targets {
		merge, updated := w.mergeOf(r.promotion, t)
		if !updated || w.verified(r, t, merge) || r.left[t] {
			continue
		}
		bad := w.failed(r, t, merge)
		if bad && w.knownBad(r, t, merge) {
			failures++
		}
		if slices.Contains(r.stage.In(b), t) && !slices.Contains(step, t) && !(bad && w.goesOn(r)) {
			unavailable = append(unavailable, t)
		}
	}
	return unavailable, failures
}

// goesOn reports whether failures do not stop a rollout, or have not at some time.
func (w *World) goesOn(r *rollout) bool {
	in := w.inForce()
	return in == nil || in.Stage(r.stage.Name) == nil || in.Stage(r.stage.Name).Beyond == "continue"
}

// knownBad reports whether the program has been told of a failure on the very commit that has updated a target.
func (w *World) knownBad(r *rollout, target string, p githubsim.Pull) bool {
	return slices.ContainsFunc(r.stage.Verify, func(m shape.Matcher) bool {
		m = m.Of(target)
		last := w.lastSaid(m, p.MergeSHA)
		return (last == "failure" || last == "error" || last == "timed_out") && !strings.Contains(m.Pattern, "*") &&
			w.count(`SELECT COUNT(*) FROM signals WHERE kind = ? AND sha = ? AND name = ? AND state = ?`, m.Kind, p.MergeSHA, m.Name(), last) > 0
	})
}

// checkDone: nothing begins before the targets of earlier batches have been updated and have their verdicts.
func (w *World) checkDone(r *rollout, batch int, p githubsim.Pull) {
	for _, t := range r.stage.In(r.stage.Batches[batch]) {
		merge, updated := w.mergeOf(r.promotion, t)
		switch {
		case updated && !r.left[t] && !w.verified(r, t, merge) && !w.failed(r, t, merge):
			w.broken("a step begins after the verdicts on those before it", "#%d of p%d: nothing was heard of %s", p.Number, r.promotion, t)
		case !updated && !w.passedOver(r, t, w.baseOf(&r.stage, t, p)):
			w.broken("a rollout leaves no target out", "#%d of p%d: %s is not updated", p.Number, r.promotion, t)
		}
	}
}

// baseOf is where the branch of a target was when a pull request was made, or is now, if that goes elsewhere.
func (w *World) baseOf(s *shape.Stage, target string, p githubsim.Pull) string {
	if at := s.AtOf(target); at != goesTo(p) {
		return at.Branch
	}
	return p.BaseSHA
}

// passedOver reports whether there is a reason for which a promotion has not updated a target: its file says so
// already, was not there, or has been changed by hand, the pipeline file has let go of it, somebody held it or left it
// out, or it was not to go there.
func (w *World) passedOver(r *rollout, target, at string) bool {
	text, _ := w.github.File(r.stage.AtOf(target).Repo, at, r.stage.File(target))
	promoted := w.seen.promotions[r.promotion]
	is, _ := r.stage.Form.Says(text, promoted.warehouse)
	s, known := w.sourceOf(promoted)
	byHand := w.handled[r.stage.File(target)]
	if r.stage.Ready && w.wasShown(target, false, r.at) {
		return true
	}
	if r.left[target] || r.lacked[target] || r.spared[target] || r.aside[target] || byHand.After(r.at) || known && r.stage.Form.Writes(s.value()) == is {
		return true
	}
	stands := map[string]string{}
	w.addStanding(promoted, stands)
	return !byHand.IsZero() && stands[target] != "" // nobody wants to know of drift: what was brought there last counts
}

// begun reports whether a rollout has come to a batch: what is said of the one before from then on comes too late.
func (w *World) begun(r *rollout, b shape.Batch) bool {
	return slices.ContainsFunc(r.stage.In(b), func(t string) bool {
		_, updated := w.mergeOf(r.promotion, t)
		return updated
	})
}

// checkRested: after its last verdict a batch rests before the next one begins.
func (w *World) checkRested(r *rollout, b shape.Batch, p githubsim.Pull) {
	for _, t := range r.stage.In(b) {
		merge, updated := w.mergeOf(r.promotion, t)
		if !updated || r.left[t] || w.ruled(r.stage.Name) {
			continue
		}
		if since := w.judged(r, t, merge); time.Since(since) < b.Wait-time.Second-(w.fast-w.slow) {
			w.broken("a batch rests before the next one begins", "#%d of p%d: %s after the verdict on %s", p.Number, r.promotion, time.Since(since), t)
		}
	}
}

// judged is the first time at which there can have been a verdict on a target.
func (w *World) judged(r *rollout, target string, p githubsim.Pull) time.Time {
	at, good := w.proven(&r.stage, target, p.MergeSHA, p.MergedAt)
	for _, m := range r.stage.Verify {
		if bad, heard := w.said(&r.stage, target, m.Of(target), p.MergeSHA, ends...); heard && (!good || bad.Before(at)) {
			at, good = bad, true
		}
	}
	return at
}

// decidedBy returns the pipeline that the program works by if it has decided everything by it.
func (w *World) decidedBy() *shape.Pipeline {
	if !w.shape.Rolls || w.count(`SELECT COUNT(*) FROM stages WHERE version > decided`) > 0 {
		return nil
	}
	return w.inForce()
}

// noteGone notes which targets a merge must not touch that a hand is about to make.
func (w *World) noteGone(h sight, p githubsim.Pull) {
	r := w.rollouts[numberOf(p.HeadBranch)]
	if r == nil || h.heeds == nil || h.heeds.Stage(r.stage.Name) == nil {
		return
	}
	w.gone[p.HeadBranch] = h.leaves(r)
}

// checkStep looks at what a merge of ours has changed in the targets of a stage.
func (w *World) checkStep(p githubsim.Pull) {
	r := w.rollouts[numberOf(p.HeadBranch)]
	if r == nil {
		return
	}
	for _, t := range w.targetsIn(p) {
		w.checkReady(r, p.Number, t)
		if slices.Contains(w.gone[p.HeadBranch], t) {
			w.broken("a target that is gone, held or left out stays as it is", "#%d writes %s", p.Number, t)
		}
		times := 0
		for _, merged := range w.merges() {
			if numberOf(merged.HeadBranch) == r.promotion && slices.Contains(w.targetsIn(merged), t) {
				times++
			}
		}
		if times > 1 && !w.handled[r.stage.File(t)].After(r.at) {
			w.broken("a promotion updates a target once", "p%d updates %s %d times", r.promotion, t, times)
		}
	}
}

// provenEverywhere returns since when all that a rollout has brought is good by what CI has said, and whether it is.
func (w *World) provenEverywhere(r *rollout, q promo) (since time.Time, good bool) {
	for _, t := range r.stage.Targets {
		merge, updated := w.lastMerge(r, q, t)
		switch {
		case r.left[t]:
		case updated:
			at, good := w.proven(&r.stage, t, merge.MergeSHA, merge.MergedAt)
			if !good {
				return since, false
			}
			if at.After(since) {
				since = at
			}
		case !w.passedOver(r, t, r.stage.AtOf(t).Branch):
			return since, false
		}
	}
	return since, true
}

// lastMerge returns the merge that has brought a promotion's freight to a target last: its own, or that of an earlier
// one.
func (w *World) lastMerge(r *rollout, q promo, target string) (p githubsim.Pull, found bool) {
	for _, p := range slices.Backward(w.merges()) {
		n := numberOf(p.HeadBranch)
		if n <= q.number && w.seen.promotions[n].freight == q.freight && stageIn(p) == r.stage.Name && slices.Contains(w.targetsIn(p), target) {
			return p, true
		}
	}
	return p, false
}

// checkArrived: a rollout succeeds when every target that took part is good.
func (w *World) checkArrived(p promo) {
	r := w.rollouts[p.number]
	if r == nil || w.ruled(p.stage) {
		return
	}
	if _, good := w.provenEverywhere(r, p); !good {
		w.broken("a stage is verified when every target that took part is", "p%d of %s in %s", p.number, p.name, p.stage)
	}
	w.checkBrought(r, p)
}

// progress is what the database says of a rollout.
type progress struct {
	Batches []struct {
		Name    string
		Targets []string
		AtOnce  int
		Wait    int64
	}
	Step                            int
	Targets, Waiting, Gone, Skipped []string
	PausedByID                      int64
}

func (p promo) progress() (at progress) {
	_ = json.Unmarshal([]byte(p.rollout), &at) // without one it is null
	return at
}

// checkProgress: the batches of a rollout never change, steps follow each other, and none begins while it is held.
func (w *World) checkProgress(old, p promo, before records) {
	was, is := old.progress(), p.progress()
	if was.Step > 0 && fmt.Sprint(was.Batches) != fmt.Sprint(is.Batches) {
		w.broken("the batches of a rollout never change", "p%d: %v, before %v", p.number, is.Batches, was.Batches)
	}
	if is.Step < was.Step {
		w.broken("the steps of a rollout follow each other", "p%d: step %d after %d", p.number, is.Step, was.Step)
	}
	stood := func(o hold) bool { return o.stops(p) && slices.Contains(before.holds, o) }
	begins := is.Step > was.Step && was.Step > 0 && old.state == "verifying"
	if begins && slices.ContainsFunc(w.standing(), stood) {
		w.broken("no step begins while it is held", "p%d in %s", p.number, p.stage)
	}
	if begins && old.paused() && p.paused() {
		w.broken("no step begins while the rollout is paused", "p%d in %s", p.number, p.stage)
	}
}

// summary is the line in which a check run says how the targets of a rollout stand.
var summary = regexp.MustCompile(`(\d+)/(\d+) verified((?:, \d+ [a-z ]+)*)`)

// checkTally: the check run of the freight that was promoted last says how each target stands, and it adds up.
func (w *World) checkSummary() {
	if !w.shape.Rolls || w.unread() || w.count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range w.sources {
		for _, run := range w.github.LatestCheckRuns(s.repo, s.sha) {
			_, about, _ := strings.Cut(run.ExternalID, "/")
			n, _ := strconv.ParseInt(about, 10, 64)
			found := summary.FindStringSubmatch(run.Title)
			if p := w.seen.promotions[n]; run.App == "waybill" && found != nil && w.rollouts[n] != nil && !w.owes(p.stage) {
				w.checkSum(p, found)
				w.checkCounted(p)
			}
		}
	}
}

// checkSum compares what a check run says of targets with what is so.
func (w *World) checkSum(p promo, found []string) {
	said := map[string]int{}
	said["verified"], _ = strconv.Atoi(found[1])
	sum := said["verified"]
	for _, result := range strings.Split(found[3], ", ")[1:] {
		count, state, _ := strings.Cut(result, " ")
		said[state], _ = strconv.Atoi(count)
		sum += said[state]
	}
	r := w.rollouts[p.number]
	if found[2] != fmt.Sprint(len(r.stage.Targets)) || sum != len(r.stage.Targets) {
		w.broken("what is told of targets adds up", "p%d: %s, of %v", p.number, found[0], r.stage.Targets)
	}
	if is := w.summaryOf(p); fmt.Sprint(said) != fmt.Sprint(is) {
		w.broken("what is told of targets is so", "p%d: %s, and it is %v", p.number, found[0], is)
	}
}

// tallyOf counts how the targets of a rollout stand: what has been brought to them, and what keeps the others from it.
func (w *World) summaryOf(p promo) map[string]int {
	at, tally := p.progress(), map[string]int{"verified": 0}
	states := map[string]string{}
	for _, t := range at.Gone {
		states[t] = "removed"
	}
	for _, t := range at.Skipped {
		states[t] = "skipped"
	}
	for _, t := range at.Waiting {
		states[t] = "waiting"
	}
	for _, t := range at.Targets {
		if states[t] == "" && !p.ended() {
			states[t] = "updating"
		}
	}
	if !p.ended() && w.count(`SELECT COUNT(*) FROM stays WHERE promotion = ?`, p.number) == 0 {
		w.addStanding(p, states)
	}
	for _, result := range w.texts(`SELECT json_extract(value, '$.target') || ' ' || coalesce(json_extract(value, '$.verdict'), '')
		FROM stays, json_each(parts) WHERE promotion = ?`, p.number) {
		t, verdict, _ := strings.Cut(result, " ")
		states[t] = map[string]string{"passed": "verified", "failed": "failed"}[verdict]
		if states[t] == "" {
			states[t] = "updating"
		}
	}
	for _, b := range at.Batches {
		for _, t := range b.Targets {
			if states[t] == "" {
				states[t] = "to come"
			}
			tally[states[t]]++
		}
	}
	return tally
}

// addStanding adds what stands already of what a promotion is to bring, as long as it has brought nothing: targets that
// got the same freight last and are good, or that it does not go to. What somebody has changed since does not stand.
func (w *World) addStanding(p promo, states map[string]string) {
	last := map[string]string{}
	for _, row := range w.texts(`SELECT json_extract(value, '$.target') || ' ' || CASE
			WHEN y.freight <> ? OR instr(coalesce(y.drift, ''), json_extract(value, '$.target') || '.') > 0 THEN 'elsewhere'
			WHEN coalesce(json_extract(value, '$.verdict'), '') = 'passed' THEN 'verified'
			WHEN q.only_targets = 'null' OR instr(q.only_targets, '"' || json_extract(value, '$.target') || '"') > 0 THEN 'elsewhere'
			WHEN json_extract(value, '$.verdict') = 'failed' THEN 'failed' ELSE 'updating' END
		FROM promotions q JOIN stays y ON y.pipeline = q.pipeline AND y.stage = q.stage AND y.warehouse = q.warehouse, json_each(y.parts)
		WHERE q.number = ? ORDER BY y.entered_at, y.promotion`, p.freight, p.number) {
		t, state, _ := strings.Cut(row, " ")
		last[t] = state
	}
	for t, state := range last {
		if states[t] != "removed" && state != "elsewhere" {
			states[t] = state
		}
	}
}

// checkCounted: of each target that GitHub has merged something is told, unless the promotion was ended by then.
func (w *World) checkCounted(p promo) {
	r := w.rollouts[p.number]
	if w.deaf || p.state == "cancelled" || p.state == "declined" {
		return
	}
	told := w.texts(`SELECT json_extract(value, '$.target') FROM stays, json_each(parts) WHERE promotion = ?`, p.number)
	for _, t := range r.stage.Targets {
		if _, is := w.mergeOf(p.number, t); is && !slices.Contains(told, t) && !r.left[t] {
			w.broken("every target that is merged is verified", "p%d: %s", p.number, t)
		}
	}
}
