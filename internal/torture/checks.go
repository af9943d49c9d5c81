package torture

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/internal/torture/shape"
)

// checkOpened looks at the pull requests of rollouts that a request has just opened.
func (x *Checks) checkOpened() {
	for _, p := range x.remote.ours("") {
		if p.Number <= x.opened[p.Repo] {
			continue
		}
		x.opened[p.Repo] = p.Number
		if r := x.rollouts.rollouts[numberOf(p.HeadBranch)]; r != nil && p.Author == "waybill[bot]" {
			x.checkBudget(r, p, x.remote.pathsOf(p))
		}
	}
}

// checkBudget: a step begins when all targets of earlier steps have their verdicts and the batch before it has rested,
// it keeps what may be unavailable at once, and there is none when too many have failed.
func (x *Checks) checkBudget(r *rollout, p githubsim.Pull, paths []string) {
	var step []string
	for _, path := range paths {
		step = append(step, shape.TargetOf(path))
	}
	x.log.note("    #%d is a step of p%d: %v", p.Number, r.promotion, step)
	if len(step) == 0 {
		x.log.broken("a step updates something", "#%d of p%d", p.Number, r.promotion)
		return
	}
	at := r.stage.BatchOf(step[0])
	if at < 0 || slices.ContainsFunc(step, func(t string) bool { return r.stage.BatchOf(t) != at }) {
		x.log.broken("a step belongs to one batch", "#%d of p%d updates %v", p.Number, r.promotion, step)
		return
	}
	if r.stage.PerTarget && len(step) > 1 {
		x.log.broken("each target has a pull request of its own", "#%d of p%d updates %v", p.Number, r.promotion, step)
	}
	x.checkDriven(r, p, step)
	unavailable, failures := x.reckon(r, r.stage.Batches[at], step)
	if limit := r.stage.Limit(r.stage.Batches[at]); len(unavailable) > limit {
		x.log.broken("a rollout keeps its budget", "#%d of p%d: %v are unavailable in %s, %d may be", p.Number, r.promotion, unavailable, r.stage.Batches[at].Name, limit)
	}
	if in := x.checkout.inForce(); in != nil && in.Stage(r.stage.Name) != nil && in.Stage(r.stage.Name).Beyond != "continue" && failures > in.Stage(r.stage.Name).MaxFailures {
		x.log.broken("a rollout ends when too many targets have failed", "#%d of p%d: %d have, %d may", p.Number, r.promotion, failures, r.stage.MaxFailures)
	}
	for i := range at {
		x.checkDone(r, i, p)
	}
	if at > 0 && !x.rollouts.begun(r, r.stage.Batches[at]) {
		x.checkRested(r, r.stage.Batches[at-1], p)
	}
}

// reckon returns which targets of a batch are unavailable while a step is under way, and how many of all have failed
// for certain.
func (x *Checks) reckon(r *rollout, b shape.Batch, step []string) (unavailable []string, failures int) {
	unavailable = slices.Clone(step)
	for _, t := range r.stage.Targets {
		merge, updated := x.rollouts.mergeOf(r.promotion, t)
		if !updated || x.rollouts.verified(r, t, merge) || r.left[t] {
			continue
		}
		bad := x.rollouts.failed(r, t, merge)
		if bad && x.rollouts.knownBad(r, t, merge) {
			failures++
		}
		if slices.Contains(r.stage.In(b), t) && !slices.Contains(step, t) && !(bad && x.rollouts.goesOn(r)) {
			unavailable = append(unavailable, t)
		}
	}
	return unavailable, failures
}

// checkDone: nothing begins before the targets of earlier batches have been updated and have their verdicts.
func (x *Checks) checkDone(r *rollout, batch int, p githubsim.Pull) {
	for _, t := range r.stage.In(r.stage.Batches[batch]) {
		merge, updated := x.rollouts.mergeOf(r.promotion, t)
		switch {
		case updated && !r.left[t] && !x.rollouts.verified(r, t, merge) && !x.rollouts.failed(r, t, merge):
			x.log.broken("a step begins after the verdicts on those before it", "#%d of p%d: nothing was heard of %s", p.Number, r.promotion, t)
		case !updated && !x.rollouts.passedOver(r, t, x.rollouts.baseOf(&r.stage, t, p)):
			x.log.broken("a rollout leaves no target out", "#%d of p%d: %s is not updated", p.Number, r.promotion, t)
		}
	}
}

// checkRested: after its last verdict a batch rests before the next one begins.
func (x *Checks) checkRested(r *rollout, b shape.Batch, p githubsim.Pull) {
	for _, t := range r.stage.In(b) {
		merge, updated := x.rollouts.mergeOf(r.promotion, t)
		if !updated || r.left[t] || x.db.ruled(r.stage.Name) {
			continue
		}
		if since := x.rollouts.judged(r, t, merge); time.Since(since) < b.Wait-time.Second-(x.clock.fast-x.clock.slow) {
			x.log.broken("a batch rests before the next one begins", "#%d of p%d: %s after the verdict on %s", p.Number, r.promotion, time.Since(since), t)
		}
	}
}

// noteGone notes which targets a merge must not touch that a hand is about to make.
func (x *Checks) noteGone(h sight, p githubsim.Pull) {
	r := x.rollouts.rollouts[numberOf(p.HeadBranch)]
	if r == nil || h.heeds == nil || h.heeds.Stage(r.stage.Name) == nil {
		return
	}
	x.gone[p.HeadBranch] = h.leaves(r)
}

// checkStep looks at what a merge of ours has changed in the targets of a stage.
func (x *Checks) checkStep(p githubsim.Pull) {
	r := x.rollouts.rollouts[numberOf(p.HeadBranch)]
	if r == nil {
		return
	}
	for _, t := range x.remote.targetsIn(p) {
		x.checkReady(r, p.Number, t)
		if slices.Contains(x.gone[p.HeadBranch], t) {
			x.log.broken("a target that is gone, held or left out stays as it is", "#%d writes %s", p.Number, t)
		}
		times := 0
		for _, merged := range x.remote.merges() {
			if numberOf(merged.HeadBranch) == r.promotion && slices.Contains(x.remote.targetsIn(merged), t) {
				times++
			}
		}
		if times > 1 && !x.byHand.handled[r.stage.File(t)].After(r.at) {
			x.log.broken("a promotion updates a target once", "p%d updates %s %d times", r.promotion, t, times)
		}
	}
}

// checkArrived: a rollout succeeds when every target that took part is good.
func (x *Checks) checkArrived(p promo) {
	r := x.rollouts.rollouts[p.number]
	if r == nil || x.db.ruled(p.stage) {
		return
	}
	if _, good := x.rollouts.provenEverywhere(r, p); !good {
		x.log.broken("a stage is verified when every target that took part is", "p%d of %s in %s", p.number, p.name, p.stage)
	}
	x.checkBrought(r, p)
}

// checkProgress: the batches of a rollout never change, steps follow each other, and none begins while it is held.
func (x *Checks) checkProgress(old, p promo, before records) {
	was, is := old.progress(), p.progress()
	if was.Step > 0 && fmt.Sprint(was.Batches) != fmt.Sprint(is.Batches) {
		x.log.broken("the batches of a rollout never change", "p%d: %v, before %v", p.number, is.Batches, was.Batches)
	}
	if is.Step < was.Step {
		x.log.broken("the steps of a rollout follow each other", "p%d: step %d after %d", p.number, is.Step, was.Step)
	}
	stood := func(o hold) bool { return o.stops(p) && slices.Contains(before.holds, o) }
	begins := is.Step > was.Step && was.Step > 0 && old.state == "verifying"
	if begins && slices.ContainsFunc(x.db.standing(), stood) {
		x.log.broken("no step begins while it is held", "p%d in %s", p.number, p.stage)
	}
	if begins && old.paused() && p.paused() {
		x.log.broken("no step begins while the rollout is paused", "p%d in %s", p.number, p.stage)
	}
}

// summary is the line in which a check run says how the targets of a rollout stand.
var summary = regexp.MustCompile(`(\d+)/(\d+) verified((?:, \d+ [a-z ]+)*)`)

// checkTally: the check run of the freight that was promoted last says how each target stands, and it adds up.
func (x *Checks) checkSummary() {
	if !x.shape.Rolls || x.db.unread() || x.db.count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range x.sources.sources {
		for _, run := range x.github.LatestCheckRuns(s.repo, s.sha) {
			_, about, _ := strings.Cut(run.ExternalID, "/")
			n, _ := strconv.ParseInt(about, 10, 64)
			found := summary.FindStringSubmatch(run.Title)
			if p := x.db.seen.promotions[n]; run.App == "waybill" && found != nil && x.rollouts.rollouts[n] != nil && !x.db.owes(p.stage) {
				x.checkSum(p, found)
				x.checkCounted(p)
			}
		}
	}
}

// checkSum compares what a check run says of targets with what is so.
func (x *Checks) checkSum(p promo, found []string) {
	said := map[string]int{}
	said["verified"], _ = strconv.Atoi(found[1])
	sum := said["verified"]
	for _, result := range strings.Split(found[3], ", ")[1:] {
		count, state, _ := strings.Cut(result, " ")
		said[state], _ = strconv.Atoi(count)
		sum += said[state]
	}
	r := x.rollouts.rollouts[p.number]
	if found[2] != fmt.Sprint(len(r.stage.Targets)) || sum != len(r.stage.Targets) {
		x.log.broken("what is told of targets adds up", "p%d: %s, of %v", p.number, found[0], r.stage.Targets)
	}
	if is := x.summaryOf(p); fmt.Sprint(said) != fmt.Sprint(is) {
		x.log.broken("what is told of targets is so", "p%d: %s, and it is %v", p.number, found[0], is)
	}
}

// tallyOf counts how the targets of a rollout stand: what has been brought to them, and what keeps the others from it.
func (x *Checks) summaryOf(p promo) map[string]int {
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
	if !p.ended() && x.db.count(`SELECT COUNT(*) FROM stays WHERE promotion = ?`, p.number) == 0 {
		x.rollouts.addStanding(p, states)
	}
	for _, result := range x.db.texts(`SELECT json_extract(value, '$.target') || ' ' || coalesce(json_extract(value, '$.verdict'), '')
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

// checkCounted: of each target that GitHub has merged something is told, unless the promotion was ended by then.
func (x *Checks) checkCounted(p promo) {
	r := x.rollouts.rollouts[p.number]
	if x.gaps.deaf || p.state == "cancelled" || p.state == "declined" {
		return
	}
	told := x.db.texts(`SELECT json_extract(value, '$.target') FROM stays, json_each(parts) WHERE promotion = ?`, p.number)
	for _, t := range r.stage.Targets {
		if _, is := x.rollouts.mergeOf(p.number, t); is && !slices.Contains(told, t) && !r.left[t] {
			x.log.broken("every target that is merged is verified", "p%d: %s", p.number, t)
		}
	}
}

// checkChat: each promotion has one message, which says what it was to say.
func (x *Checks) checkChat() {
	if x.chat == nil || x.log.failure != nil {
		return
	}
	messages := map[string]string{}
	n := 0
	for _, m := range x.chat.Messages(shape.Room) {
		if m.User == slacksim.Bot && m.EphemeralTo == "" {
			n++
			messages[m.TS] = m.Text
		}
	}
	views := x.db.texts(`SELECT json_array(remote_id, wanted) FROM views WHERE kind = 'slack' AND wanted = shown AND surface NOT LIKE 'slack:%/%/%' AND remote_id <> ''`)
	for _, v := range views {
		var row [2]string
		var wanted struct{ Text string }
		if err := json.Unmarshal([]byte(v), &row); err != nil {
			x.log.broken("the database can be read", "%v", err)
		}
		if err := json.Unmarshal([]byte(row[1]), &wanted); err != nil {
			x.log.broken("the database can be read", "%v", err)
		}
		_, ts, _ := strings.Cut(row[0], "/")
		if said, there := messages[ts]; !there || said != wanted.Text {
			x.log.broken("Slack shows what it was to show", "%s: %q instead of %q", row[0], said, wanted.Text)
		}
	}
	begun := x.db.count(`SELECT COUNT(*) FROM views WHERE kind = 'slack' AND surface NOT LIKE 'slack:%/%/%'`)
	if n > begun+x.chat.double && !x.gaps.forgot {
		x.log.broken("a message in Slack is posted once", "%d messages for %d promotions, %d of which nobody knew whether they were posted: %s",
			n, begun, x.chat.double, fmt.Sprint(messages))
	}
}

// checkCommitted looks for a commit that a request has just put on a branch of the stages.
func (x *Checks) checkCommitted(h sight, at shape.Place, before string) {
	head := x.github.Head(at.Repo, at.Branch)
	if head == before || before == "" {
		return
	}
	c, _ := x.github.Commit(at.Repo, head)
	found := trailer.FindStringSubmatch(c.Message)
	if found == nil || len(c.Parents) != 1 || c.Parents[0] != before {
		x.log.broken("nothing that others have pushed is lost", "the branch was at %s and is at %s: %q", before, head, c.Message)
		return
	}
	n, _ := strconv.ParseInt(found[1], 10, 64)
	p := x.db.seen.promotions[n]
	x.log.note("    p%d is committed as %.7s", n, head)
	for _, other := range x.remote.committed {
		if numberOf(other.HeadBranch) == n && x.rollouts.rollouts[n] == nil {
			x.log.broken("a promotion is committed once", "p%d: %s and %s", n, other.MergeSHA, head)
		}
	}
	if slices.ContainsFunc(h.holds, func(o hold) bool { return o.stops(p) }) {
		x.log.broken("nothing is committed while it is held", "p%d in %s", n, p.stage)
	}
	if !p.active() {
		x.log.broken("nothing is committed that has ended", "p%d in %s is %s", n, p.stage, p.state)
	}
	made := githubsim.Pull{
		Repo: at.Repo, State: "merged", HeadBranch: fmt.Sprintf("waybill/%s/-/%d", p.stage, n), HeadSHA: head, BaseBranch: at.Branch, BaseSHA: before, MergeSHA: head,
		MergedBy: "waybill[bot]", MergedAt: time.Now(),
	}
	if r := x.rollouts.rollouts[n]; r != nil {
		x.checkBudget(r, made, x.remote.changedBy(at.Repo, head))
	}
	x.remote.committed = append(x.remote.committed, made)
	x.checkMerged(made)
}

// checkBarriers: a job waits exactly while a person holds the stage whose environment it wants to deploy into.
func (x *Checks) checkProtectionRules() {
	in := x.checkout.inForce()
	if x.gaps.deaf || in == nil || x.db.unread() || x.db.count(`SELECT COUNT(*) FROM views WHERE kind = 'barrier' AND wanted <> shown`) > 0 {
		return
	}
	for _, d := range x.jobs.deploying {
		s, state := in.Stage(d.stage), x.github.Barrier(d.repo, d.run, d.environment).State
		switch {
		case x.db.owes(d.stage):
		case s == nil || s.Passes || s.Settled && !slices.Contains(s.Targets, d.target):
			if state != "rejected" {
				x.log.broken("a job waits only before the environment of a stage", "run %d in %s: %q", d.run, d.environment, state)
			}
		case state == "" && !x.db.heldByPeople(s, d.target):
			x.log.broken("a job goes on when nothing stops it", "run %d in %s", d.run, d.environment)
		}
	}
}

// checkAnswered: in the end no job waits of which the program can have been told.
func (x *Checks) checkAnswered() {
	if x.gaps.forgot || x.gaps.unasked {
		return
	}
	for _, d := range x.jobs.deploying {
		if b := x.github.Barrier(d.repo, d.run, d.environment); b.State == "" {
			x.log.broken("no job waits for ever", "run %d before %s: %v", d.run, d.environment, b.Reports)
		}
	}
}

// checkDriven: where targets are driven from outside, no promotion goes to one that nobody has asked for. Rollbacks and
// repairs bring back what was there.
func (x *Checks) checkDriven(r *rollout, p githubsim.Pull, step []string) {
	promoted := x.db.seen.promotions[r.promotion]
	if !r.stage.External || promoted.class == "rollback" || promoted.repairs {
		return
	}
	for _, t := range step {
		if !x.byHand.asked[r.stage.Name+"/"+t] {
			x.log.broken("a target that is driven from outside is moved when somebody asks for it", "#%d of p%d updates %s", p.Number, r.promotion, t)
		}
	}
}

// checkBrought: where targets are driven from outside, a promotion that succeeds has come to one of those that were
// asked for.
func (x *Checks) checkBrought(r *rollout, p promo) {
	s, known := x.sources.sourceOf(p)
	has := func(t string) bool {
		_, merged := x.rollouts.lastMerge(r, p, t)
		text, _ := x.github.File(r.stage.At().Repo, r.stage.At().Branch, r.stage.File(t))
		is, _ := r.stage.Form.Says(text, p.warehouse)
		return p.goesTo(t) && (merged || known && is == r.stage.Form.Writes(s.value()))
	}
	if r.stage.External && !slices.ContainsFunc(r.stage.Targets, has) {
		x.log.broken("what succeeds has come to where it was to go", "p%d of %s in %s to %s", p.number, p.name, p.stage, p.only)
	}
}

// checkEnd: every stage hosts the last freight, and nothing is open any more.
func (x *Checks) checkEnd() {
	if x.log.failure != nil {
		return
	}
	if left := x.db.texts(`SELECT number || ' ' || stage || ' ' || freight_name || ' ' || state || ' ' || reason FROM promotions WHERE ended_at IS NULL`); len(left) > 0 {
		x.log.broken("everything comes to its end", "open: %v", left)
	}
	if left := x.db.texts(`SELECT key || ' ' || error FROM effects WHERE run_at IS NOT NULL`); len(left) > 0 {
		x.log.broken("everything comes to its end", "owed: %v", left)
	}
	if left := x.db.texts(`SELECT id || ' ' || error FROM deliveries WHERE state <> 'handled' AND NOT (? AND (state = 'parked' OR run_at > ?))`,
		x.gaps.parted, x.clock.programNow().UnixMicro()); len(left) > 0 { // what the App could not look at is left for hours
		x.log.broken("everything comes to its end", "not handled: %v", left)
	}
	for _, p := range x.remote.ours("open") {
		x.log.broken("everything comes to its end", "#%d is open", p.Number)
	}
	for _, d := range x.remote.deployments() {
		if d.Creator == "waybill[bot]" && !slices.Contains([]string{"success", "failure", "inactive"}, d.State) {
			x.log.broken("everything comes to its end", "deployment %s in %s is %q", d.Description, d.Environment, d.State)
		}
	}
	for _, s := range x.checkout.pipeline.Stages {
		for _, wh := range s.From {
			x.checkHosts(s, wh)
		}
	}
	x.checkFreight(true)
	x.checkFound(true)
	x.checkAcknowledged()
	x.checkTyped()
	x.checkReleased()
	x.checkAnswered()
}

// checkHosts: a stage says in its file and in the database that it has the last freight of a warehouse.
func (x *Checks) checkHosts(s shape.Stage, warehouse string) {
	if s.Passes {
		return
	}
	all := x.sources.inOrder(warehouse)
	last := all[len(all)-1]
	if s.Starts {
		x.checkRun(s, last)
	}
	if s.Whole {
		x.checkEnvironment(s, last)
	}
	for _, path := range s.Files() {
		text, _ := x.checkout.contentOf(path)
		if is, _ := s.Form.Says(text, warehouse); is != s.Form.Writes(last.value()) {
			x.log.broken("the last freight is everywhere", "%s does not have %s (%.7s):\n%s", path, last.name(warehouse), last.sha, text)
		}
	}
}

// checkWhole: a merge of ours into an environment branch makes everything there what it is in the freight's commit, but
// for what others have pushed since the pull request was made: that is not lost.
func (x *Checks) checkWhole(p githubsim.Pull) {
	head, _ := x.github.Commit(p.Repo, p.HeadSHA)
	promoted, known := x.sources.sourceOf(x.db.seen.promotions[numberOf(p.HeadBranch)])
	if !known || len(head.Parents) != 2 || head.Parents[1] != promoted.sha {
		x.log.broken("an environment follows from its freight", "#%d comes from %v", p.Number, head.Parents)
		return
	}
	is, want := x.remote.contents(p.Repo, p.MergeSHA), x.remote.contents(p.Repo, promoted.sha)
	was, base := x.remote.contents(p.Repo, head.Parents[0]), x.remote.contents(p.Repo, p.BaseSHA)
	for path := range union(is, want, was, base) {
		if was[path] != base[path] && is[path] != base[path] {
			x.log.broken("nothing that others have pushed is lost", "#%d: %s", p.Number, path)
		}
		if was[path] == base[path] && is[path] != want[path] {
			x.log.broken("an environment becomes what its freight is", "#%d: %s is %q, and not %q", p.Number, path, is[path], want[path])
		}
	}
}

func union(all ...map[string]string) map[string]bool {
	paths := map[string]bool{}
	for _, some := range all {
		for path := range some {
			paths[path] = true
		}
	}
	return paths
}

// checkEnvironment: an environment branch is what the last freight is.
func (x *Checks) checkEnvironment(s shape.Stage, last source) {
	is, want := x.remote.contents(s.At().Repo, s.At().Branch), x.remote.contents(last.repo, last.sha)
	for path := range union(is, want) {
		if is[path] != want[path] {
			x.log.broken("the last freight is everywhere", "%s: %s is %q, and not %q", s.At().Branch, path, is[path], want[path])
		}
	}
}

// checkFound: what a glob has found is what there was in the commit in which it was looked for. Heard says that the
// program knows of everything that has happened: then it is what is there now.
func (x *Checks) checkFound(heard bool) {
	s := x.checkout.pipeline.Fleet()
	if s == nil || !s.Glob || x.db.unread() {
		return
	}
	looked := x.db.text(`SELECT config_sha FROM pipelines WHERE config_error = ''`)
	if looked == "" {
		return
	}
	found := x.db.found()[s.File("*")]
	if there := x.remote.matching(s, looked); !slices.Equal(found, there) {
		x.log.broken("what a glob finds is what is there", "%v in %.7s, and there was %v", found, looked, there)
	}
	if there := x.remote.matching(s, "main"); heard && !slices.Equal(found, there) {
		x.log.broken("what a glob finds is what is there", "%v, and there is %v", found, there)
	}
}

// check looks at what must hold after every step, if the step has written anything.
func (x *Checks) check() {
	if x.log.failure != nil || !x.db.changed() {
		return
	}
	before := x.db.seen
	x.db.seen = x.db.load()
	x.rollouts.watchTargets(before)
	active := map[string]int64{}
	for _, p := range x.db.seen.promotions {
		old, known := before.promotions[p.number]
		if known && old.ended() && old != p {
			x.log.broken("ended promotions never change", "p%d was %+v and is %+v", p.number, old, p)
		}
		if p.active() {
			if other := active[p.stage]; other != 0 {
				x.log.broken("one promotion at a time in a stage", "p%d and p%d in %s", other, p.number, p.stage)
			}
			active[p.stage] = p.number
		}
		switch {
		case known:
		case p.repairs:
			x.checkRepair(p)
		case p.automatic:
			x.checkAutomatic(p)
		}
		if started := (!known || old.state == "queued") && (p.active() || p.state == "succeeded" || p.state == "verification-failed"); started {
			x.checkStart(p, before)
		}
		if p.rollout != old.rollout {
			x.checkProgress(old, p, before)
		}
		if p.state == "succeeded" && old.state != "succeeded" {
			x.checkArrived(p)
		}
	}
	for number := range before.promotions {
		if _, still := x.db.seen.promotions[number]; !still {
			x.log.broken("no promotion is lost", "p%d", number)
		}
	}
	x.checkPulls()
}

// checkAutomatic: automation never promotes the same freight into a stage twice, and never goes backward.
func (x *Checks) checkAutomatic(p promo) {
	for _, other := range x.db.seen.promotions {
		if other.number < p.number && other.stage == p.stage && other.warehouse == p.warehouse && !p.newerThan(other) {
			x.log.broken("automation goes forward only", "p%d (%s) after p%d (%s) in %s", p.number, p.name, other.number, other.name, p.stage)
		}
	}
}

// checkRepair: a repair brings back what was promoted before, once for each change by hand.
func (x *Checks) checkRepair(p promo) {
	had, repairs := false, 0
	for _, other := range x.db.seen.promotions {
		if other.stage != p.stage || other.freight != p.freight || other.number >= p.number {
			continue
		}
		had = had || other.mergeSHA != ""
		if other.repairs && other.state != "superseded" {
			repairs++
		}
	}
	if !had {
		x.log.broken("a repair brings back what was there", "p%d (%s) in %s", p.number, p.name, p.stage)
	}
	if repairs >= x.byHand.touched[p.stage] {
		x.log.broken("a change by hand is repaired once", "p%d is repair %d of %s in %s, whose file was changed %d times",
			p.number, repairs+1, p.name, p.stage, x.byHand.touched[p.stage])
	}
}

// checkPulls: there is one pull request for each attempt, and each of ours was written down before it was made.
func (x *Checks) checkPulls() {
	seen := map[string]int{}
	for _, p := range x.remote.ours("") {
		if p.Author != "waybill[bot]" {
			continue
		}
		x.checkPlace(p)
		if other := seen[p.HeadBranch]; other != 0 {
			x.log.broken("one pull request for each attempt", "#%d and #%d from %s", other, p.Number, p.HeadBranch)
		}
		seen[p.HeadBranch] = p.Number
		if _, known := x.db.seen.promotions[numberOf(p.HeadBranch)]; !known {
			x.log.broken("what is made was written down before", "#%d from %s", p.Number, p.HeadBranch)
		}
	}
}

// checkStart looks at a promotion that has left the queue.
func (x *Checks) checkStart(p promo, before records) {
	x.log.note("    p%d %s into %s starts (%s)", p.number, p.name, p.stage, p.class)
	x.rollouts.departs(p)
	x.checkBuilt(p)
	for _, q := range x.db.seen.promotions {
		_, known := before.promotions[q.number]
		ahead := ranks[q.class] < ranks[p.class] || ranks[q.class] == ranks[p.class] && q.number < p.number
		if known && q.stage == p.stage && q.state == "queued" && ahead && before.promotions[q.number] == q && x.free(q) {
			x.log.broken("the queue is in order", "p%d (%s) started before p%d (%s) in %s", p.number, p.class, q.number, q.class, p.stage)
		}
	}
	if p.class != "rollback" {
		x.checkEarned(p)
		if x.db.held(p) && slices.ContainsFunc(before.holds, func(o hold) bool { return o.stage == "" || o.stage == p.stage }) {
			x.log.broken("nothing starts while it is held", "p%d in %s", p.number, p.stage)
		}
	}
}

// free reports whether a promotion needs nothing but its turn.
func (x *Checks) free(q promo) bool {
	in := x.checkout.inForce()
	if in == nil {
		return false
	}
	s := in.Stage(q.stage)
	return s != nil && (q.class == "rollback" ||
		q.class == "manual" && len(s.After) == 0 && slices.Contains(s.From, q.warehouse) && x.someReady(s, q))
}

// someReady reports whether some target that a promotion goes to has been ready all the time. While none is, the
// promotion lets others pass.
func (x *Checks) someReady(s *shape.Stage, p promo) bool {
	return !s.Ready || slices.ContainsFunc(s.Targets, func(t string) bool {
		return p.goesTo(t) && !x.signals.wasShown(t, false, time.Now())
	})
}

// checkEarned: nothing is promoted past a failed or missing verdict, by what CI has really reported.
func (x *Checks) checkEarned(p promo) {
	in := x.checkout.inForce()
	if in == nil || in.Stage(p.stage) == nil || len(in.Stage(p.stage).After) == 0 {
		return
	}
	if x.db.count(`SELECT COUNT(*) FROM approvals WHERE kind = 'admit' AND stage = ? AND freight = ?`, p.stage, p.freight) > 0 {
		return
	}
	if why := x.unearned(in, in.Stage(p.stage), p, 0); why != "" {
		x.log.broken("nothing passes a failed or missing verdict", "p%d (%s) started in %s: %s", p.number, p.name, p.stage, why)
	}
}

// unearned says why freight has not earned a stage; "" if it has.
func (x *Checks) unearned(in *shape.Pipeline, s *shape.Stage, p promo, soak time.Duration) string {
	if len(s.After) == 0 {
		return ""
	}
	soak = max(soak, s.Soak)
	good, why := 0, []string{}
	for _, name := range s.After {
		up := in.Stage(name)
		text := ""
		if up.Passes {
			text = x.unearned(in, up, p, soak)
		} else {
			text = x.unverified(up, p, soak)
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
func (x *Checks) unverified(up *shape.Stage, p promo, soak time.Duration) string {
	hosted := false
	for _, q := range x.db.seen.promotions {
		if q.stage != up.Name || q.freight != p.freight || q.mergeSHA == "" {
			continue
		}
		hosted = true
		if x.db.count(`SELECT COUNT(*) FROM stays WHERE promotion = ? AND judged_by_id <> 0`, q.number) > 0 {
			return ""
		}
		since, good := x.provenIn(up, q)
		if good && time.Since(since) >= soak-time.Second-(x.clock.fast-x.clock.slow) {
			return ""
		}
	}
	if !hosted {
		return up.Name + " never had it"
	}
	return up.Name + " has not verified it, or not for long enough"
}

// provenIn returns since when what a promotion has brought is good by what CI has said, and whether it is.
func (x *Checks) provenIn(up *shape.Stage, q promo) (since time.Time, good bool) {
	if up.Starts {
		return x.signals.worked(q)
	}
	if r := x.rollouts.rollouts[q.number]; r != nil {
		return x.rollouts.provenEverywhere(r, q)
	}
	return x.evidence.proven(up, "", q.mergeSHA, time.UnixMicro(q.merged.Int64))
}

// checkMerge looks at a merge that a hand is about to make: it must not have begun under a hold.
func (x *Checks) checkMerge(h sight, r *http.Request) {
	p, found := x.remote.pulled(r)
	if !found || p.State != "open" {
		return
	}
	n := numberOf(p.HeadBranch)
	promotion := x.db.seen.promotions[n]
	for _, o := range h.holds {
		if o.stops(promotion) {
			x.log.broken("nothing is merged while it is held", "p%d in %s, hold %d", n, promotion.stage, o.id)
		}
	}
	if promotion.paused() && h.saw.promotions[n].paused() {
		x.log.broken("nothing is merged while its rollout is paused", "p%d in %s", n, promotion.stage)
	}
	x.noteGone(h, p)
	if promotion.ended() && promotion.number != 0 {
		x.log.note("    merges p%d, which is %s meanwhile", n, promotion.state)
	}
}

// checkMoves: a branch that somebody else has moved stays where it is.
func (x *Checks) checkMoves() {
	for branch, head := range x.theirs {
		if now := x.github.Head(branch.Repo, branch.Branch); now != head {
			x.log.broken("a branch that somebody else has moved is left alone", "%v was at %s and is at %q", branch, head, now)
		}
	}
	x.theirs = nil
}

// noteBranches remembers where branches are just before a request.
func (x *Checks) noteBranches(r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		x.theirs = x.remote.theirBranches()
	}
	if x.shape.Directs {
		x.were = x.remote.heads()
	}
}

// checkRequest looks at what a request has done.
func (x *Checks) checkRequest(h sight, r *http.Request) {
	x.checkMoves()
	if x.shape.Rolls {
		x.checkOpened()
	}
	if len(x.checkout.pipeline.Starters()) > 0 {
		x.checkStarted(h)
	}
	if x.shape.Directs && !isMerge(r) {
		for _, at := range x.shape.Places {
			x.checkCommitted(h, at, x.were[at])
		}
	}
	if !isMerge(r) {
		return
	}
	if p, _ := x.remote.pulled(r); p.MergeSHA != "" && p.MergeSHA == x.github.Head(p.Repo, p.BaseBranch) && p.MergedBy == "waybill[bot]" {
		x.checkMerged(p)
		x.checkSigned(p)
	}
}

// checkSigned: nothing is merged without the sign-offs that the stage and its batch ask for.
func (x *Checks) checkSigned(pull githubsim.Pull) {
	p, in := x.db.seen.promotions[numberOf(pull.HeadBranch)], x.checkout.inForce()
	if in == nil || in.Stage(p.stage) == nil {
		return
	}
	if needs, has := x.rollouts.needs(in.Stage(p.stage), pull), x.signed(p, false); has < needs {
		x.log.broken("nothing is merged without its sign-offs", "p%d of %s in %s has %d of %d", p.number, p.name, p.stage, has, needs)
	}
}

// signed counts who has signed a promotion off, of those who could ever do so: not eve, and not the author. Now leaves
// out those who may not any more, and whose time is over.
func (x *Checks) signed(p promo, now bool) (n int) {
	promoted, _ := x.sources.sourceOf(p)
	for _, who := range x.db.texts(`SELECT DISTINCT actor FROM approvals WHERE kind = 'sign-off' AND stage = ? AND freight = ? AND revoked_at IS NULL
		AND (NOT ? OR entitled AND expires_at > ?)`, p.stage, p.freight, now, x.clock.programNow().UnixMicro()) {
		if (who == "ann" || who == "bob") && who != promoted.author {
			n++
		}
	}
	return n
}

// checkMerged: a merge of ours changes the stage's file, and a folder that the stage copies, and nothing else; the
// folder is what it is in the freight's commit.
func (x *Checks) checkMerged(p githubsim.Pull) {
	if whole(p) {
		x.checkWhole(p)
		return
	}
	stage := stageIn(p)
	folder := "copied/" + stage + "/"
	beside := func(at string) []string {
		return slices.DeleteFunc(x.github.Files(p.Repo, at), func(path string) bool { return strings.HasPrefix(path, folder) })
	}
	before, after := beside(p.BaseSHA), beside(p.MergeSHA)
	if !slices.Equal(before, after) {
		x.log.broken("other files stay as they are", "#%d: %v, before %v", p.Number, after, before)
	}
	for _, path := range before {
		old, _ := x.github.File(p.Repo, p.BaseSHA, path)
		now, _ := x.github.File(p.Repo, p.MergeSHA, path)
		switch {
		case old == now:
		case shape.StageOf(path) != stage:
			x.log.broken("other files stay as they are", "#%d changes %s", p.Number, path)
		default:
			x.checkExact(p, path, old, now)
		}
	}
	x.checkStep(p)
	x.checkCopied(p, strings.TrimSuffix(folder, "/"))
}

// checkExact: what a merge of ours changes in a file is the value of its freight, and no other byte.
func (x *Checks) checkExact(p githubsim.Pull, path, old, now string) {
	promoted := x.db.seen.promotions[numberOf(p.HeadBranch)]
	f := shape.FormOf(path)
	if f == nil || f.Beside(old, promoted.warehouse) != f.Beside(now, promoted.warehouse) {
		x.log.broken("every other byte of a file stays as it is", "#%d changes %s from\n%sto\n%s", p.Number, path, old, now)
		return
	}
	is, _ := f.Says(now, promoted.warehouse)
	if s, known := x.sources.sourceOf(promoted); !known || f.Writes(s.value()) != is {
		x.log.broken("a promotion writes what its freight is", "#%d writes %s into %s for %s", p.Number, is, path, promoted.name)
	}
}

// checkCopied: a folder that a merge of ours has changed is equal to the one that it was copied from.
func (x *Checks) checkCopied(p githubsim.Pull, folder string) {
	_, was, _ := x.github.Entry(p.Repo, p.BaseSHA, folder)
	_, is, found := x.github.Entry(p.Repo, p.MergeSHA, folder)
	if !found || is == was {
		return
	}
	promoted, _ := x.sources.sourceOf(x.db.seen.promotions[numberOf(p.HeadBranch)])
	if _, want, _ := x.github.Entry(promoted.repo, promoted.sha, "api"); is != want {
		x.log.broken("a copy is exact", "#%d: %s is %s, and not %s", p.Number, folder, is, want)
	}
}

// keptFor is how long deliveries stay in any case, whatever the program's clock says.
const keptFor = 13 * 24 * time.Hour

// checkAcknowledged: what was acknowledged is still there.
func (x *Checks) checkAcknowledged() {
	acknowledged, kept := 0, time.Now().Add(-keptFor)
	for _, at := range x.acked {
		if at.After(kept) {
			acknowledged++
		}
	}
	if n := x.db.count(`SELECT COUNT(*) FROM deliveries`); n < acknowledged {
		x.log.broken("nothing acknowledged is lost", "%d deliveries were acknowledged and %d are there", acknowledged, n)
	}
}

// checkRest looks at what must hold when nothing is left to do.
func (x *Checks) checkRest() {
	if x.log.failure != nil {
		return
	}
	x.checkWaits()
	x.checkOnce()
	x.checkChat()
	x.checkQueue()
	x.checkGuards()
	x.checkProtectionRules()
	x.checkSummary()
	x.checkFreight(false)
	x.checkShown()
	x.checkFound(!x.gaps.deaf)
}

// checkWaits: what waits has a reason, and somebody looks when it is over.
func (x *Checks) checkWaits() {
	in := x.checkout.inForce()
	if in == nil || x.db.unread() || x.gaps.apart {
		return
	}
	for _, p := range x.db.seen.promotions {
		if p.ended() || in.Stage(p.stage) == nil || x.db.owes(p.stage) {
			continue
		}
		if why := x.stuck(in, in.Stage(p.stage), p); why != "" {
			x.log.broken("what waits has a reason", "p%d (%s) in %s is %s: %s", p.number, p.name, p.stage, p.state, why)
		}
	}
}

// stuck says what is missing when a promotion waits for nothing; "" if it waits for something.
func (x *Checks) stuck(in *shape.Pipeline, s *shape.Stage, p promo) string {
	held := x.db.held(p) || p.paused()
	if p.state == "verifying" && s.Rolls() && (held || p.class != "rollback" && x.badUpstream(in, s, p)) {
		return "" // no further step begins
	}
	if p.state == "running" && (s.Direct || s.Starts) && (held || p.class != "rollback" && x.badUpstream(in, s, p)) {
		return "" // it is not committed, or not started
	}
	switch p.state {
	case "queued":
		for _, q := range x.db.seen.promotions {
			if q.stage == p.stage && q.active() {
				return ""
			}
		}
		if held || len(s.After) > 0 && p.class != "rollback" || p.class == "automatic" && slices.Contains(x.checkout.pipeline.Manual, s.Name) {
			return ""
		}
		if x.db.count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND answered_at IS NULL`, p.stage) > 0 {
			return ""
		}
		if s.Ready && x.db.count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.stage) > 0 {
			return "" // GitHub is asked again whether a target is ready
		}
		return "it could start"
	case "running":
		return "nobody carries it out"
	case "waiting-for-merge":
		if held || s.Merge == "manual" || x.unsigned(s, p) || x.refused(p) || p.class != "rollback" && x.badUpstream(in, s, p) {
			return ""
		}
		return "nobody merges it"
	}
	if x.db.count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.stage) > 0 || strings.Contains(p.cause, "inconclusive") || strings.Contains(p.cause, "missing") {
		return ""
	}
	return fmt.Sprintf("nobody looks after its clock (%s)", p.cause)
}

// unsigned reports whether people have to sign off what a promotion has open.
func (x *Checks) unsigned(s *shape.Stage, p promo) bool {
	pull := x.remote.openOf(p)
	return pull.Number == 0 || x.signed(p, true) < x.rollouts.needs(s, pull)
}

// refused reports whether there is something with an open pull request that keeps us from merging it.
func (x *Checks) refused(p promo) bool {
	if x.db.count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND unmergeable <> ''`, p.number) > 0 {
		return true
	}
	// Merged, closed or moved without our knowledge: that webhook was lost.
	pull := x.remote.openOf(p)
	return pull.State != "open" || x.byHand.pushed[pull.HeadSHA] || len(x.checkout.ups) > 1 || x.atTheGate(pull)
}

// badUpstream reports whether freight has been found bad upstream, perhaps since its promotion was opened: a person
// decides.
func (x *Checks) badUpstream(in *shape.Pipeline, s *shape.Stage, p promo) bool {
	return slices.ContainsFunc(s.After, func(name string) bool {
		if up := in.Stage(name); up.Passes {
			return x.badUpstream(in, up, p)
		}
		return x.db.count(`SELECT COUNT(*) FROM stays WHERE freight = ? AND stage = ? AND verdict = 'failed'`, p.freight, name) > 0
	})
}

// checkOnce: what is made at GitHub is made once.
func (x *Checks) checkOnce() {
	for _, repo := range x.github.Repos() {
		for _, p := range x.github.Pulls(repo) {
			marks := map[string]int{}
			for _, c := range x.github.Comments(repo, p.Number) {
				if i := strings.Index(c.Body, "<!-- waybill:"); i >= 0 && c.Author == "waybill[bot]" {
					marks[c.Body[i:]]++
				}
			}
			for mark, n := range marks {
				if n > 1 {
					x.log.broken("a comment is written once", "%d times %s on %s#%d", n, mark, repo, p.Number)
				}
			}
		}
	}
	for _, s := range x.sources.sources {
		may := 0 // several tags may name one commit
		for _, other := range x.sources.sources {
			if other.sha == s.sha {
				may += len(other.warehouses)
			}
		}
		names := map[string]int{}
		for _, run := range x.github.CheckRuns(s.repo, s.sha) {
			if run.App == "waybill" {
				names[run.Name]++
			}
		}
		for name, n := range names {
			if n > may && name != "waybill / config" {
				x.log.broken("a check run is made once", "%d times %s on %s#%d", n, name, s.repo, s.number)
			}
		}
	}
	x.checkDeployments()
}

// checkDeployments: a promotion is one deployment. One that changes nothing goes by the commit of the one before, and a
// rollout by that of one of its steps.
func (x *Checks) checkDeployments() {
	may := map[string]int{}
	for _, p := range x.db.seen.promotions {
		if r := x.rollouts.rollouts[p.number]; r != nil && p.mergeSHA != "" {
			may[p.name+" in "+p.stage]++
			for _, t := range r.stage.Targets {
				may[p.name+" in "+p.stage+"/"+t]++
			}
		} else {
			may[p.mergeSHA]++
		}
	}
	for _, d := range x.remote.deployments() {
		if d.Creator != "waybill[bot]" {
			continue
		}
		by := d.Description
		if may[by] == 0 {
			by = d.SHA
		}
		if may[by]--; may[by] < 0 {
			x.log.broken("a deployment is made once", "%s %s: %s", d.Environment, d.SHA, d.Description)
		}
	}
}

// checkQueue: what is held is not in the merge queue, and what came out of it changed the stage's file and no other.
func (x *Checks) checkQueue() {
	if !x.shape.Queued {
		return
	}
	for _, pull := range x.remote.beforeGate("") {
		x.entered[pull.HeadBranch] = x.entered[pull.HeadBranch] || pull.Queued
		p := x.db.seen.promotions[numberOf(pull.HeadBranch)]
		if pull.Queued && (x.db.held(p) || p.paused()) && p.state == "waiting-for-merge" && !x.db.owes(p.stage) {
			x.log.broken("what is held leaves the merge queue", "p%d in %s", p.number, p.stage)
		}
		if pull.State == "merged" && pull.MergedBy == "waybill[bot]" && !x.cleared[pull.HeadBranch] {
			x.cleared[pull.HeadBranch] = true
			x.checkMerged(pull)
		}
	}
}

// atTheGate reports whether an open pull request waits for the merge queue or for what comes before it, or came out of
// it: that is tried again when something happens.
func (x *Checks) atTheGate(p githubsim.Pull) bool {
	passed := func(r githubsim.CheckRun) bool { return r.Name == gate && r.Conclusion == "success" }
	return x.shape.Queued && goesTo(p) == shape.Here && (p.Queued || x.entered[p.HeadBranch] || x.shape.Gated && !slices.ContainsFunc(x.github.CheckRuns(shape.Home, p.HeadSHA), passed))
}

// checkPlace: a merge of ours goes to where the files of its stage are, as the pipeline file had it when its promotion
// began.
func (x *Checks) checkPlace(p githubsim.Pull) {
	s := x.checkout.pipeline.Stage(stageIn(p))
	if s == nil {
		return
	}
	if goesTo(p) != s.At() && (s.Second == (shape.Place{}) || goesTo(p) != s.Second) {
		x.log.broken("nothing is written but where the files of a stage are", "#%d of %s goes to %v, and not to %v", p.Number, s.Name, goesTo(p), s.At())
	}
}

// checkGuards: a guarded stage lets a proposal wait exactly while something is held or verified there. What nobody has
// told the program it cannot know.
func (x *Checks) checkGuards() {
	in := x.checkout.inForce()
	if x.gaps.deaf || in == nil || x.db.unread() || x.db.count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, number := range x.proposals.proposed {
		p, _ := x.github.Pull(shape.Home, number)
		for _, s := range in.Stages {
			if p.State == "open" && s.Guard && !s.Passes && !x.db.owes(s.Name) {
				x.checkGuardCheck(p, &s)
			}
		}
	}
}

func (x *Checks) checkGuardCheck(p githubsim.Pull, s *shape.Stage) {
	stage := s.Name
	var runs []githubsim.CheckRun
	for _, run := range x.github.CheckRuns(shape.Home, p.HeadSHA) {
		if run.Name == "waybill / "+stage {
			runs = append(runs, run)
		}
	}
	if len(runs) != 1 {
		x.log.broken("a guarded stage says yes or no once", "%d times of #%d in %s", len(runs), p.Number, stage)
		return
	}
	waits := slices.ContainsFunc(x.proposals.changes[p.Number], func(path string) bool { return slices.Contains(s.Files(), path) }) && x.db.occupied(stage)
	if is := runs[0].Status != "completed"; is != waits {
		x.log.broken("a guarded stage lets people wait while something is held or verified there", "#%d waits in %s: %t (%s)", p.Number, stage, is, runs[0].Title)
	}
}

// checkReleased: in the end no check of a guarded stage waits.
func (x *Checks) checkReleased() {
	for _, sha := range x.proposals.proposals {
		for _, run := range x.github.CheckRuns(shape.Home, sha) {
			if run.App == "waybill" && run.Status != "completed" {
				x.log.broken("no check of a guarded stage waits for ever", "%s on %.7s: %s", run.Name, sha, run.Title)
			}
		}
	}
}

// checkReady: a target takes part when it has shown that it is ready.
func (x *Checks) checkReady(r *rollout, number int, target string) {
	if r.stage.Ready && x.db.seen.promotions[r.promotion].class != "rollback" && !x.signals.wasShown(target, true, r.at) {
		x.log.broken("a target takes part when it has shown that it is ready", "#%d of p%d writes %s", number, r.promotion, target)
	}
}

// checkShown: a comment that a person removes is made again while a promotion lasts of which it tells, a few times.
func (x *Checks) checkShown() {
	if x.gaps.deaf || x.db.unread() || x.db.count(`SELECT COUNT(*) FROM views WHERE kind = 'comment' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range x.sources.sources {
		if n := x.byHand.removals[where(s.repo, s.number)]; n == 0 || n > 3 || !x.lasts(s) {
			continue
		}
		if !slices.ContainsFunc(x.github.Comments(s.repo, s.number), sticky) {
			x.log.broken("what somebody removes is made again", "the comment on %s", where(s.repo, s.number))
		}
	}
}

// lasts reports whether a promotion has not ended that started with something to show.
func (x *Checks) lasts(s source) bool {
	for _, p := range x.db.seen.promotions {
		for _, warehouse := range s.warehouses {
			if p.active() && p.warehouse == warehouse && p.name == s.name(warehouse) {
				return true
			}
		}
	}
	return false
}

// checkBuilt: what waits for an image goes nowhere before it has one.
func (x *Checks) checkBuilt(p promo) {
	if x.checkout.pipeline.Built[p.warehouse] && !x.sources.images[p.name] {
		x.log.broken("freight goes nowhere without its image", "p%d of %s in %s", p.number, p.name, p.stage)
	}
}

// checkFreight: what has been brought about is freight once, of what it was first, and in its order; and nothing else
// is. Complete says that the program can know of all of it.
func (x *Checks) checkFreight(complete bool) {
	for _, warehouse := range x.checkout.pipeline.Warehouses {
		var are, want []string
		may := map[string]source{}
		for _, s := range x.sources.inOrder(warehouse) {
			may[s.name(warehouse)] = s
			if !s.doubtful {
				want = append(want, s.name(warehouse)+" "+s.sha)
			}
		}
		for _, row := range x.db.texts(`SELECT name || ' ' || sha FROM freight WHERE warehouse = ? ORDER BY merged_at, number`, warehouse) {
			name, sha, _ := strings.Cut(row, " ")
			if s, is := may[name]; !is || s.sha != sha {
				x.log.broken("nothing else is freight", "%s in %s", row, warehouse)
			} else if !s.doubtful {
				are = append(are, row)
			}
		}
		if complete && !slices.Equal(are, want) {
			x.log.broken("everything is freight once, in its order", "%s has\n%s\ninstead of\n%s", warehouse, strings.Join(are, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Checks are the invariants.
type Checks struct {
	acked     map[string]time.Time
	byHand    *ByHand
	chat      *chat
	checkout  *Checkout
	clock     *Clock
	db        *Database
	evidence  *Evidence
	gaps      *Gaps
	github    *githubsim.Server
	jobs      *Jobs
	log       *Journal
	proposals *Proposals
	remote    *Remote
	rollouts  *Rollouts
	shape     shape.Shape
	signals   *Signals
	sources   *Sources

	entered map[string]bool        // pull requests that have been in the merge queue, by branch
	cleared map[string]bool        // those that it has merged, and that were looked at
	opened  map[string]int         // the newest pull request of a repository that was looked at when it was opened
	gone    map[string][]string    // targets that a merge must not touch, by the branch of its pull request
	started int                    // runs of workflows
	were    map[shape.Place]string // where the branches of stages were before a request
	theirs  map[shape.Place]string // where those stood before it that somebody else has pushed to last
}

func newChecks(l *Ledger) *Checks {
	return &Checks{
		acked: l.acked, byHand: l.byHand, chat: l.chat, checkout: l.checkout, clock: l.clock, db: l.db, evidence: l.evidence,
		gaps: l.gaps, github: l.github, jobs: l.jobs, log: l.log, proposals: l.proposals, remote: l.remote, rollouts: l.rollouts,
		shape: l.shape, signals: l.signals, sources: l.sources,
		entered: map[string]bool{}, cleared: map[string]bool{}, opened: map[string]int{}, gone: map[string][]string{},
	}
}

// checkTyped: everybody who asks again has their answer in the end, and what was asked once was done once.
func (x *Checks) checkTyped() {
	for _, twice := range x.db.texts(`SELECT surface FROM requests WHERE surface LIKE 'api:%' OR surface LIKE 'slack:%/%/%/_%' GROUP BY surface HAVING COUNT(*) > 1`) {
		x.log.broken("a command happens once", "%s", twice)
	}
}

// checkStarted looks at the run that a request has just started: it is one for each promotion, unless GitHub has not
// said that it starts one and does not list it either; it is given what its freight is, and none starts under a hold,
// or for what has ended.
func (x *Checks) checkStarted(h sight) {
	runs := x.remote.runs("")
	if len(runs) == x.started {
		return
	}
	x.started = len(runs)
	r := runs[len(runs)-1]
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	p := x.db.seen.promotions[numberOf(name)]
	switch s, known := x.sources.sourceOf(p); {
	case nameOfRun(p) != name || p.ended():
		x.log.broken("no workflow is started for what has ended", "%s, and p%d is %s", r.Title, p.number, p.state)
	case !known || r.Title != fmt.Sprintf("Deploy %s (%s)", s.value(), name):
		x.log.broken("a workflow is given what its freight is", "%s for %s", r.Title, p.name)
	case slices.ContainsFunc(h.holds, func(o hold) bool { return o.stops(p) }):
		x.log.broken("no workflow is started while it is held", "%s", r.Title)
	case len(x.remote.runs(name+")")) == 1:
	case !x.gaps.hidden || x.db.count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND heard`, p.number) > 0:
		x.log.broken("a workflow is started once for each promotion", "%s", r.Title)
	}
}

// checkRun: the last run of a stage was given its last freight, and has succeeded.
func (x *Checks) checkRun(s shape.Stage, last source) {
	runs := x.remote.runs("waybill/" + s.Name + "/")
	if len(runs) == 0 || runs[len(runs)-1].Conclusion != "success" || !strings.Contains(runs[len(runs)-1].Title, " "+last.value()+" ") {
		x.log.broken("the last freight is everywhere", "%s has run %v, and not for %s", s.Name, runs, last.value())
	}
}
