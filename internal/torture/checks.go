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
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// checkOpened looks at the pull requests of rollouts that a request has just opened.
func (x *Checks) checkOpened() {
	for _, p := range x.remote.Ours("") {
		if p.Number <= x.opened[p.Repo] {
			continue
		}
		x.opened[p.Repo] = p.Number
		if r := x.rollouts.Rollouts[ledger.NumberOf(p.HeadBranch)]; r != nil && p.Author == "waybill[bot]" {
			x.checkBudget(r, p, x.remote.PathsOf(p))
		}
	}
}

// checkBudget: a step begins when all targets of earlier steps have their verdicts and the batch before it has rested,
// it keeps what may be unavailable at once, and there is none when too many have failed.
func (x *Checks) checkBudget(r *ledger.Rollout, p githubsim.Pull, paths []string) {
	var step []string
	for _, path := range paths {
		step = append(step, shape.TargetOf(path))
	}
	x.log.Note("    #%d is a step of p%d: %v", p.Number, r.Promotion, step)
	if len(step) == 0 {
		x.log.Broken("a step updates something", "#%d of p%d", p.Number, r.Promotion)
		return
	}
	at := r.Stage.BatchOf(step[0])
	if at < 0 || slices.ContainsFunc(step, func(t string) bool { return r.Stage.BatchOf(t) != at }) {
		x.log.Broken("a step belongs to one batch", "#%d of p%d updates %v", p.Number, r.Promotion, step)
		return
	}
	if r.Stage.PerTarget && len(step) > 1 {
		x.log.Broken("each target has a pull request of its own", "#%d of p%d updates %v", p.Number, r.Promotion, step)
	}
	x.checkDriven(r, p, step)
	unavailable, failures := x.reckon(r, r.Stage.Batches[at], step)
	if limit := r.Stage.Limit(r.Stage.Batches[at]); len(unavailable) > limit {
		x.log.Broken("a rollout keeps its budget", "#%d of p%d: %v are unavailable in %s, %d may be", p.Number, r.Promotion, unavailable, r.Stage.Batches[at].Name, limit)
	}
	if in := x.checkout.InForce(); in != nil && in.Stage(r.Stage.Name) != nil && in.Stage(r.Stage.Name).Beyond != "continue" && failures > in.Stage(r.Stage.Name).MaxFailures {
		x.log.Broken("a rollout ends when too many targets have failed", "#%d of p%d: %d have, %d may", p.Number, r.Promotion, failures, r.Stage.MaxFailures)
	}
	for i := range at {
		x.checkDone(r, i, p)
	}
	if at > 0 && !x.rollouts.Begun(r, r.Stage.Batches[at]) {
		x.checkRested(r, r.Stage.Batches[at-1], p)
	}
}

// reckon returns which targets of a batch are unavailable while a step is under way, and how many of all have failed
// for certain.
func (x *Checks) reckon(r *ledger.Rollout, b shape.Batch, step []string) (unavailable []string, failures int) {
	unavailable = slices.Clone(step)
	for _, t := range r.Stage.Targets {
		merge, updated := x.rollouts.MergeOf(r.Promotion, t)
		if !updated || x.rollouts.Verified(r, t, merge) || r.Left[t] {
			continue
		}
		bad := x.rollouts.Failed(r, t, merge)
		if bad && x.rollouts.KnownBad(r, t, merge) {
			failures++
		}
		if slices.Contains(r.Stage.In(b), t) && !slices.Contains(step, t) && !(bad && x.rollouts.GoesOn(r)) {
			unavailable = append(unavailable, t)
		}
	}
	return unavailable, failures
}

// checkDone: nothing begins before the targets of earlier batches have been updated and have their verdicts.
func (x *Checks) checkDone(r *ledger.Rollout, batch int, p githubsim.Pull) {
	for _, t := range r.Stage.In(r.Stage.Batches[batch]) {
		merge, updated := x.rollouts.MergeOf(r.Promotion, t)
		switch {
		case updated && !r.Left[t] && !x.rollouts.Verified(r, t, merge) && !x.rollouts.Failed(r, t, merge):
			x.log.Broken("a step begins after the verdicts on those before it", "#%d of p%d: nothing was heard of %s", p.Number, r.Promotion, t)
		case !updated && !x.rollouts.PassedOver(r, t, x.rollouts.BaseOf(&r.Stage, t, p)):
			x.log.Broken("a rollout leaves no target out", "#%d of p%d: %s is not updated", p.Number, r.Promotion, t)
		}
	}
}

// checkRested: after its last verdict a batch rests before the next one begins.
func (x *Checks) checkRested(r *ledger.Rollout, b shape.Batch, p githubsim.Pull) {
	for _, t := range r.Stage.In(b) {
		merge, updated := x.rollouts.MergeOf(r.Promotion, t)
		if !updated || r.Left[t] || x.db.Ruled(r.Stage.Name) {
			continue
		}
		if since := x.rollouts.Judged(r, t, merge); time.Since(since) < b.Wait-time.Second-x.clock.Uncertainty() {
			x.log.Broken("a batch rests before the next one begins", "#%d of p%d: %s after the verdict on %s", p.Number, r.Promotion, time.Since(since), t)
		}
	}
}

// noteGone notes which targets a merge must not touch that a hand is about to make.
func (x *Checks) noteGone(h ledger.Sight, p githubsim.Pull) {
	r := x.rollouts.Rollouts[ledger.NumberOf(p.HeadBranch)]
	if r == nil || h.Heeds == nil || h.Heeds.Stage(r.Stage.Name) == nil {
		return
	}
	x.gone[p.HeadBranch] = h.Leaves(r)
}

// checkStep looks at what a merge of ours has changed in the targets of a stage.
func (x *Checks) checkStep(p githubsim.Pull) {
	r := x.rollouts.Rollouts[ledger.NumberOf(p.HeadBranch)]
	if r == nil {
		return
	}
	for _, t := range x.remote.TargetsIn(p) {
		x.checkReady(r, p.Number, t)
		if slices.Contains(x.gone[p.HeadBranch], t) {
			x.log.Broken("a target that is gone, held or left out stays as it is", "#%d writes %s", p.Number, t)
		}
		times := 0
		for _, merged := range x.remote.Merges() {
			if ledger.NumberOf(merged.HeadBranch) == r.Promotion && slices.Contains(x.remote.TargetsIn(merged), t) {
				times++
			}
		}
		if times > 1 && !x.byHand.Handled[r.Stage.File(t)].After(r.At) {
			x.log.Broken("a promotion updates a target once", "p%d updates %s %d times", r.Promotion, t, times)
		}
	}
}

// checkArrived: a rollout succeeds when every target that took part is good.
func (x *Checks) checkArrived(p ledger.Promo) {
	r := x.rollouts.Rollouts[p.Number]
	if r == nil || x.db.Ruled(p.Stage) {
		return
	}
	if _, good := x.rollouts.ProvenEverywhere(r, p); !good {
		x.log.Broken("a stage is verified when every target that took part is", "p%d of %s in %s", p.Number, p.Name, p.Stage)
	}
	x.checkBrought(r, p)
}

// checkProgress: the batches of a rollout never change, steps follow each other, and none begins while it is held.
func (x *Checks) checkProgress(old, p ledger.Promo, before ledger.Records) {
	was, is := old.Progress(), p.Progress()
	if was.Step > 0 && fmt.Sprint(was.Batches) != fmt.Sprint(is.Batches) {
		x.log.Broken("the batches of a rollout never change", "p%d: %v, before %v", p.Number, is.Batches, was.Batches)
	}
	if is.Step < was.Step {
		x.log.Broken("the steps of a rollout follow each other", "p%d: step %d after %d", p.Number, is.Step, was.Step)
	}
	stood := func(o ledger.Hold) bool { return o.Stops(p) && slices.Contains(before.Holds, o) }
	begins := is.Step > was.Step && was.Step > 0 && old.State == "verifying"
	if begins && slices.ContainsFunc(x.db.Standing(), stood) {
		x.log.Broken("no step begins while it is held", "p%d in %s", p.Number, p.Stage)
	}
	if begins && old.Paused() && p.Paused() {
		x.log.Broken("no step begins while the rollout is paused", "p%d in %s", p.Number, p.Stage)
	}
}

// summary is the line in which a check run says how the targets of a rollout stand.
var summary = regexp.MustCompile(`(\d+)/(\d+) verified((?:, \d+ [a-z ]+)*)`)

// checkTally: the check run of the freight that was promoted last says how each target stands, and it adds up.
func (x *Checks) checkSummary() {
	if !x.shape.Rolls || x.db.Unread() || x.db.Count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range x.sources.Sources {
		for _, run := range x.github.LatestCheckRuns(s.Repo, s.SHA) {
			_, about, _ := strings.Cut(run.ExternalID, "/")
			n, _ := strconv.ParseInt(about, 10, 64)
			found := summary.FindStringSubmatch(run.Title)
			if p := x.db.Seen.Promotions[n]; run.App == "waybill" && found != nil && x.rollouts.Rollouts[n] != nil && !x.db.Owes(p.Stage) {
				x.checkSum(p, found)
				x.checkCounted(p)
			}
		}
	}
}

// checkSum compares what a check run says of targets with what is so.
func (x *Checks) checkSum(p ledger.Promo, found []string) {
	said := map[string]int{}
	said["verified"], _ = strconv.Atoi(found[1])
	sum := said["verified"]
	for _, result := range strings.Split(found[3], ", ")[1:] {
		count, state, _ := strings.Cut(result, " ")
		said[state], _ = strconv.Atoi(count)
		sum += said[state]
	}
	r := x.rollouts.Rollouts[p.Number]
	if found[2] != fmt.Sprint(len(r.Stage.Targets)) || sum != len(r.Stage.Targets) {
		x.log.Broken("what is told of targets adds up", "p%d: %s, of %v", p.Number, found[0], r.Stage.Targets)
	}
	if is := x.summaryOf(p); fmt.Sprint(said) != fmt.Sprint(is) {
		x.log.Broken("what is told of targets is so", "p%d: %s, and it is %v", p.Number, found[0], is)
	}
}

// tallyOf counts how the targets of a rollout stand: what has been brought to them, and what keeps the others from it.
func (x *Checks) summaryOf(p ledger.Promo) map[string]int {
	at, tally := p.Progress(), map[string]int{"verified": 0}
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
		if states[t] == "" && !p.Ended() {
			states[t] = "updating"
		}
	}
	if !p.Ended() && x.db.Count(`SELECT COUNT(*) FROM stays WHERE promotion = ?`, p.Number) == 0 {
		x.rollouts.AddStanding(p, states)
	}
	for _, result := range x.db.Texts(`SELECT json_extract(value, '$.target') || ' ' || coalesce(json_extract(value, '$.verdict'), '')
		FROM stays, json_each(parts) WHERE promotion = ?`, p.Number) {
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
func (x *Checks) checkCounted(p ledger.Promo) {
	r := x.rollouts.Rollouts[p.Number]
	if x.gaps.Deaf || p.State == "cancelled" || p.State == "declined" {
		return
	}
	told := x.db.Texts(`SELECT json_extract(value, '$.target') FROM stays, json_each(parts) WHERE promotion = ?`, p.Number)
	for _, t := range r.Stage.Targets {
		if _, is := x.rollouts.MergeOf(p.Number, t); is && !slices.Contains(told, t) && !r.Left[t] {
			x.log.Broken("every target that is merged is verified", "p%d: %s", p.Number, t)
		}
	}
}

// checkChat: each promotion has one message, which says what it was to say.
func (x *Checks) checkChat() {
	if x.chat == nil || x.log.Failure != nil {
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
	views := x.db.Texts(`SELECT json_array(remote_id, wanted) FROM views WHERE kind = 'slack' AND wanted = shown AND surface NOT LIKE 'slack:%/%/%' AND remote_id <> ''`)
	for _, v := range views {
		var row [2]string
		var wanted struct{ Text string }
		if err := json.Unmarshal([]byte(v), &row); err != nil {
			x.log.Broken("the database can be read", "%v", err)
		}
		if err := json.Unmarshal([]byte(row[1]), &wanted); err != nil {
			x.log.Broken("the database can be read", "%v", err)
		}
		_, ts, _ := strings.Cut(row[0], "/")
		if said, there := messages[ts]; !there || said != wanted.Text {
			x.log.Broken("Slack shows what it was to show", "%s: %q instead of %q", row[0], said, wanted.Text)
		}
	}
	begun := x.db.Count(`SELECT COUNT(*) FROM views WHERE kind = 'slack' AND surface NOT LIKE 'slack:%/%/%'`)
	if n > begun+x.chat.Double && !x.gaps.Forgot {
		x.log.Broken("a message in Slack is posted once", "%d messages for %d promotions, %d of which nobody knew whether they were posted: %s",
			n, begun, x.chat.Double, fmt.Sprint(messages))
	}
}

// checkCommitted looks for a commit that a request has just put on a branch of the stages.
func (x *Checks) checkCommitted(h ledger.Sight, at shape.Place, before string) {
	head := x.github.Head(at.Repo, at.Branch)
	if head == before || before == "" {
		return
	}
	c, _ := x.github.Commit(at.Repo, head)
	found := ledger.Trailer.FindStringSubmatch(c.Message)
	if found == nil || len(c.Parents) != 1 || c.Parents[0] != before {
		x.log.Broken("nothing that others have pushed is lost", "the branch was at %s and is at %s: %q", before, head, c.Message)
		return
	}
	n, _ := strconv.ParseInt(found[1], 10, 64)
	p := x.db.Seen.Promotions[n]
	x.log.Note("    p%d is committed as %.7s", n, head)
	for _, other := range x.remote.Committed {
		if ledger.NumberOf(other.HeadBranch) == n && x.rollouts.Rollouts[n] == nil {
			x.log.Broken("a promotion is committed once", "p%d: %s and %s", n, other.MergeSHA, head)
		}
	}
	if slices.ContainsFunc(h.Holds, func(o ledger.Hold) bool { return o.Stops(p) }) {
		x.log.Broken("nothing is committed while it is held", "p%d in %s", n, p.Stage)
	}
	if !p.Active() {
		x.log.Broken("nothing is committed that has ended", "p%d in %s is %s", n, p.Stage, p.State)
	}
	made := githubsim.Pull{
		Repo: at.Repo, State: "merged", HeadBranch: fmt.Sprintf("waybill/%s/-/%d", p.Stage, n), HeadSHA: head, BaseBranch: at.Branch, BaseSHA: before, MergeSHA: head,
		MergedBy: "waybill[bot]", MergedAt: time.Now(),
	}
	if r := x.rollouts.Rollouts[n]; r != nil {
		x.checkBudget(r, made, x.remote.ChangedBy(at.Repo, head))
	}
	x.remote.Committed = append(x.remote.Committed, made)
	x.checkMerged(made)
}

// checkBarriers: a job waits exactly while a person holds the stage whose environment it wants to deploy into.
func (x *Checks) checkProtectionRules() {
	in := x.checkout.InForce()
	if x.gaps.Deaf || in == nil || x.db.Unread() || x.db.Count(`SELECT COUNT(*) FROM views WHERE kind = 'barrier' AND wanted <> shown`) > 0 {
		return
	}
	for _, d := range x.jobs.Deploying {
		s, state := in.Stage(d.Stage), x.github.DeploymentRule(d.Repo, d.Run, d.Environment).State
		switch {
		case x.db.Owes(d.Stage):
		case s == nil || s.Passes || s.Settled && !slices.Contains(s.Targets, d.Target):
			if state != "rejected" {
				x.log.Broken("a job waits only before the environment of a stage", "run %d in %s: %q", d.Run, d.Environment, state)
			}
		case state == "" && !x.db.HeldByPeople(s, d.Target):
			x.log.Broken("a job goes on when nothing stops it", "run %d in %s", d.Run, d.Environment)
		}
	}
}

// checkAnswered: in the end no job waits of which the program can have been told.
func (x *Checks) checkAnswered() {
	if x.gaps.Forgot || x.gaps.Unasked {
		return
	}
	for _, d := range x.jobs.Deploying {
		if b := x.github.DeploymentRule(d.Repo, d.Run, d.Environment); b.State == "" {
			x.log.Broken("no job waits for ever", "run %d before %s: %v", d.Run, d.Environment, b.Reports)
		}
	}
}

// checkDriven: where targets are driven from outside, no promotion goes to one that nobody has asked for. Rollbacks and
// repairs bring back what was there.
func (x *Checks) checkDriven(r *ledger.Rollout, p githubsim.Pull, step []string) {
	promoted := x.db.Seen.Promotions[r.Promotion]
	if !r.Stage.External || promoted.Class == "rollback" || promoted.Repairs {
		return
	}
	for _, t := range step {
		if !x.byHand.Asked[r.Stage.Name+"/"+t] {
			x.log.Broken("a target that is driven from outside is moved when somebody asks for it", "#%d of p%d updates %s", p.Number, r.Promotion, t)
		}
	}
}

// checkBrought: where targets are driven from outside, a promotion that succeeds has come to one of those that were
// asked for.
func (x *Checks) checkBrought(r *ledger.Rollout, p ledger.Promo) {
	s, known := x.sources.SourceOf(p)
	has := func(t string) bool {
		_, merged := x.rollouts.LastMerge(r, p, t)
		text, _ := x.github.File(r.Stage.At().Repo, r.Stage.At().Branch, r.Stage.File(t))
		is, _ := r.Stage.Form.Says(text, p.Warehouse)
		return p.GoesTo(t) && (merged || known && is == r.Stage.Form.Writes(s.Value()))
	}
	if r.Stage.External && !slices.ContainsFunc(r.Stage.Targets, has) {
		x.log.Broken("what succeeds has come to where it was to go", "p%d of %s in %s to %s", p.Number, p.Name, p.Stage, p.Only)
	}
}

// checkEnd: every stage hosts the last freight, and nothing is open any more.
func (x *Checks) checkEnd() {
	if x.log.Failure != nil {
		return
	}
	if left := x.db.Texts(`SELECT number || ' ' || stage || ' ' || freight_name || ' ' || state || ' ' || reason FROM promotions WHERE ended_at IS NULL`); len(left) > 0 {
		x.log.Broken("everything comes to its end", "open: %v", left)
	}
	if left := x.db.Texts(`SELECT key || ' ' || error FROM effects WHERE run_at IS NOT NULL`); len(left) > 0 {
		x.log.Broken("everything comes to its end", "owed: %v", left)
	}
	if left := x.db.Texts(`SELECT id || ' ' || error FROM deliveries WHERE state <> 'handled' AND NOT (? AND (state = 'parked' OR run_at > ?))`,
		x.gaps.Parted, x.clock.Now().UnixMicro()); len(left) > 0 { // what the App could not look at is left for hours
		x.log.Broken("everything comes to its end", "not handled: %v", left)
	}
	for _, p := range x.remote.Ours("open") {
		x.log.Broken("everything comes to its end", "#%d is open", p.Number)
	}
	for _, d := range x.remote.Deployments() {
		if d.Creator == "waybill[bot]" && !slices.Contains([]string{"success", "failure", "inactive"}, d.State) {
			x.log.Broken("everything comes to its end", "deployment %s in %s is %q", d.Description, d.Environment, d.State)
		}
	}
	for _, s := range x.checkout.Pipeline.Stages {
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
	all := x.sources.InOrder(warehouse)
	last := all[len(all)-1]
	if s.Starts {
		x.checkRun(s, last)
	}
	if s.Whole {
		x.checkEnvironment(s, last)
	}
	for _, path := range s.Files() {
		text, _ := x.checkout.ContentOf(path)
		if is, _ := s.Form.Says(text, warehouse); is != s.Form.Writes(last.Value()) {
			x.log.Broken("the last freight is everywhere", "%s does not have %s (%.7s):\n%s", path, last.Name(warehouse), last.SHA, text)
		}
	}
}

// checkWhole: a merge of ours into an environment branch makes everything there what it is in the freight's commit, but
// for what others have pushed since the pull request was made: that is not lost.
func (x *Checks) checkWhole(p githubsim.Pull) {
	head, _ := x.github.Commit(p.Repo, p.HeadSHA)
	promoted, known := x.sources.SourceOf(x.db.Seen.Promotions[ledger.NumberOf(p.HeadBranch)])
	if !known || len(head.Parents) != 2 || head.Parents[1] != promoted.SHA {
		x.log.Broken("an environment follows from its freight", "#%d comes from %v", p.Number, head.Parents)
		return
	}
	is, want := x.remote.Contents(p.Repo, p.MergeSHA), x.remote.Contents(p.Repo, promoted.SHA)
	was, base := x.remote.Contents(p.Repo, head.Parents[0]), x.remote.Contents(p.Repo, p.BaseSHA)
	for path := range union(is, want, was, base) {
		if was[path] != base[path] && is[path] != base[path] {
			x.log.Broken("nothing that others have pushed is lost", "#%d: %s", p.Number, path)
		}
		if was[path] == base[path] && is[path] != want[path] {
			x.log.Broken("an environment becomes what its freight is", "#%d: %s is %q, and not %q", p.Number, path, is[path], want[path])
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
func (x *Checks) checkEnvironment(s shape.Stage, last ledger.Source) {
	is, want := x.remote.Contents(s.At().Repo, s.At().Branch), x.remote.Contents(last.Repo, last.SHA)
	for path := range union(is, want) {
		if is[path] != want[path] {
			x.log.Broken("the last freight is everywhere", "%s: %s is %q, and not %q", s.At().Branch, path, is[path], want[path])
		}
	}
}

// checkFound: what a glob has found is what there was in the commit in which it was looked for. Heard says that the
// program knows of everything that has happened: then it is what is there now.
func (x *Checks) checkFound(heard bool) {
	s := x.checkout.Pipeline.Fleet()
	if s == nil || !s.Glob || x.db.Unread() {
		return
	}
	looked := x.db.Text(`SELECT config_sha FROM pipelines WHERE config_error = ''`)
	if looked == "" {
		return
	}
	found := x.db.Found()[s.File("*")]
	if there := x.remote.Matching(s, looked); !slices.Equal(found, there) {
		x.log.Broken("what a glob finds is what is there", "%v in %.7s, and there was %v", found, looked, there)
	}
	if there := x.remote.Matching(s, "main"); heard && !slices.Equal(found, there) {
		x.log.Broken("what a glob finds is what is there", "%v, and there is %v", found, there)
	}
}

// check looks at what must hold after every step, if the step has written anything.
func (x *Checks) check() {
	if x.log.Failure != nil || !x.db.Changed() {
		return
	}
	before := x.db.Seen
	x.db.Seen = x.db.Load()
	x.rollouts.WatchTargets(before)
	active := map[string]int64{}
	for _, p := range x.db.Seen.Promotions {
		old, known := before.Promotions[p.Number]
		if known && old.Ended() && old != p {
			x.log.Broken("ended promotions never change", "p%d was %+v and is %+v", p.Number, old, p)
		}
		if p.Active() {
			if other := active[p.Stage]; other != 0 {
				x.log.Broken("one promotion at a time in a stage", "p%d and p%d in %s", other, p.Number, p.Stage)
			}
			active[p.Stage] = p.Number
		}
		switch {
		case known:
		case p.Repairs:
			x.checkRepair(p)
		case p.Automatic:
			x.checkAutomatic(p)
		}
		if started := (!known || old.State == "queued") && (p.Active() || p.State == "succeeded" || p.State == "verification-failed"); started {
			x.checkStart(p, before)
		}
		if p.Rollout != old.Rollout {
			x.checkProgress(old, p, before)
		}
		if p.State == "succeeded" && old.State != "succeeded" {
			x.checkArrived(p)
		}
	}
	for number := range before.Promotions {
		if _, still := x.db.Seen.Promotions[number]; !still {
			x.log.Broken("no promotion is lost", "p%d", number)
		}
	}
	x.checkPulls()
}

// checkAutomatic: automation never promotes the same freight into a stage twice, and never goes backward.
func (x *Checks) checkAutomatic(p ledger.Promo) {
	for _, other := range x.db.Seen.Promotions {
		if other.Number < p.Number && other.Stage == p.Stage && other.Warehouse == p.Warehouse && !p.NewerThan(other) {
			x.log.Broken("automation goes forward only", "p%d (%s) after p%d (%s) in %s", p.Number, p.Name, other.Number, other.Name, p.Stage)
		}
	}
}

// checkRepair: a repair brings back what was promoted before, once for each change by hand.
func (x *Checks) checkRepair(p ledger.Promo) {
	had, repairs := false, 0
	for _, other := range x.db.Seen.Promotions {
		if other.Stage != p.Stage || other.Freight != p.Freight || other.Number >= p.Number {
			continue
		}
		had = had || other.MergeSHA != ""
		if other.Repairs && other.State != "superseded" {
			repairs++
		}
	}
	if !had {
		x.log.Broken("a repair brings back what was there", "p%d (%s) in %s", p.Number, p.Name, p.Stage)
	}
	if repairs >= x.byHand.Touched[p.Stage] {
		x.log.Broken("a change by hand is repaired once", "p%d is repair %d of %s in %s, whose file was changed %d times",
			p.Number, repairs+1, p.Name, p.Stage, x.byHand.Touched[p.Stage])
	}
}

// checkPulls: there is one pull request for each attempt, and each of ours was written down before it was made.
func (x *Checks) checkPulls() {
	seen := map[string]int{}
	for _, p := range x.remote.Ours("") {
		if p.Author != "waybill[bot]" {
			continue
		}
		x.checkPlace(p)
		if other := seen[p.HeadBranch]; other != 0 {
			x.log.Broken("one pull request for each attempt", "#%d and #%d from %s", other, p.Number, p.HeadBranch)
		}
		seen[p.HeadBranch] = p.Number
		if _, known := x.db.Seen.Promotions[ledger.NumberOf(p.HeadBranch)]; !known {
			x.log.Broken("what is made was written down before", "#%d from %s", p.Number, p.HeadBranch)
		}
	}
}

// checkStart looks at a promotion that has left the queue.
func (x *Checks) checkStart(p ledger.Promo, before ledger.Records) {
	x.log.Note("    p%d %s into %s starts (%s)", p.Number, p.Name, p.Stage, p.Class)
	x.rollouts.Departs(p)
	x.checkBuilt(p)
	for _, q := range x.db.Seen.Promotions {
		_, known := before.Promotions[q.Number]
		ahead := ledger.Ranks[q.Class] < ledger.Ranks[p.Class] || ledger.Ranks[q.Class] == ledger.Ranks[p.Class] && q.Number < p.Number
		if known && q.Stage == p.Stage && q.State == "queued" && ahead && before.Promotions[q.Number] == q && x.free(q) {
			x.log.Broken("the queue is in order", "p%d (%s) started before p%d (%s) in %s", p.Number, p.Class, q.Number, q.Class, p.Stage)
		}
	}
	if p.Class != "rollback" {
		x.checkEarned(p)
		if x.db.Held(p) && slices.ContainsFunc(before.Holds, func(o ledger.Hold) bool { return o.Stage == "" || o.Stage == p.Stage }) {
			x.log.Broken("nothing starts while it is held", "p%d in %s", p.Number, p.Stage)
		}
	}
}

// free reports whether a promotion needs nothing but its turn.
func (x *Checks) free(q ledger.Promo) bool {
	in := x.checkout.InForce()
	if in == nil {
		return false
	}
	s := in.Stage(q.Stage)
	return s != nil && (q.Class == "rollback" ||
		q.Class == "manual" && len(s.After) == 0 && slices.Contains(s.From, q.Warehouse) && x.someReady(s, q))
}

// someReady reports whether some target that a promotion goes to has been ready all the time. While none is, the
// promotion lets others pass.
func (x *Checks) someReady(s *shape.Stage, p ledger.Promo) bool {
	return !s.Ready || slices.ContainsFunc(s.Targets, func(t string) bool {
		return p.GoesTo(t) && !x.signals.WasShown(t, false, time.Now())
	})
}

// checkEarned: nothing is promoted past a failed or missing verdict, by what CI has really reported.
func (x *Checks) checkEarned(p ledger.Promo) {
	in := x.checkout.InForce()
	if in == nil || in.Stage(p.Stage) == nil || len(in.Stage(p.Stage).After) == 0 {
		return
	}
	if x.db.Count(`SELECT COUNT(*) FROM approvals WHERE kind = 'admit' AND stage = ? AND freight = ?`, p.Stage, p.Freight) > 0 {
		return
	}
	if why := x.unearned(in, in.Stage(p.Stage), p, 0); why != "" {
		x.log.Broken("nothing passes a failed or missing verdict", "p%d (%s) started in %s: %s", p.Number, p.Name, p.Stage, why)
	}
}

// unearned says why freight has not earned a stage; "" if it has.
func (x *Checks) unearned(in *shape.Pipeline, s *shape.Stage, p ledger.Promo, soak time.Duration) string {
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
func (x *Checks) unverified(up *shape.Stage, p ledger.Promo, soak time.Duration) string {
	hosted := false
	for _, q := range x.db.Seen.Promotions {
		if q.Stage != up.Name || q.Freight != p.Freight || q.MergeSHA == "" {
			continue
		}
		hosted = true
		if x.db.Count(`SELECT COUNT(*) FROM stays WHERE promotion = ? AND judged_by_id <> 0`, q.Number) > 0 {
			return ""
		}
		since, good := x.provenIn(up, q)
		if good && time.Since(since) >= soak-time.Second-x.clock.Uncertainty() {
			return ""
		}
	}
	if !hosted {
		return up.Name + " never had it"
	}
	return up.Name + " has not verified it, or not for long enough"
}

// provenIn returns since when what a promotion has brought is good by what CI has said, and whether it is.
func (x *Checks) provenIn(up *shape.Stage, q ledger.Promo) (since time.Time, good bool) {
	if up.Starts {
		return x.signals.Worked(q)
	}
	if r := x.rollouts.Rollouts[q.Number]; r != nil {
		return x.rollouts.ProvenEverywhere(r, q)
	}
	return x.evidence.Proven(up, "", q.MergeSHA, time.UnixMicro(q.Merged.Int64))
}

// checkMerge looks at a merge that a hand is about to make: it must not have begun under a hold.
func (x *Checks) checkMerge(h ledger.Sight, r *http.Request) {
	p, found := x.remote.Pulled(r)
	if !found || p.State != "open" {
		return
	}
	n := ledger.NumberOf(p.HeadBranch)
	promotion := x.db.Seen.Promotions[n]
	for _, o := range h.Holds {
		if o.Stops(promotion) {
			x.log.Broken("nothing is merged while it is held", "p%d in %s, hold %d", n, promotion.Stage, o.ID)
		}
	}
	if promotion.Paused() && h.Saw.Promotions[n].Paused() {
		x.log.Broken("nothing is merged while its rollout is paused", "p%d in %s", n, promotion.Stage)
	}
	x.noteGone(h, p)
	if promotion.Ended() && promotion.Number != 0 {
		x.log.Note("    merges p%d, which is %s meanwhile", n, promotion.State)
	}
}

// checkMoves: a branch that somebody else has moved stays where it is.
func (x *Checks) checkMoves() {
	for branch, head := range x.theirs {
		if now := x.github.Head(branch.Repo, branch.Branch); now != head {
			x.log.Broken("a branch that somebody else has moved is left alone", "%v was at %s and is at %q", branch, head, now)
		}
	}
	x.theirs = nil
}

// noteBranches remembers where branches are just before a request.
func (x *Checks) noteBranches(r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		x.theirs = x.remote.TheirBranches()
	}
	if x.shape.Directs {
		x.were = x.remote.Heads()
	}
}

// checkRequest looks at what a request has done.
func (x *Checks) checkRequest(h ledger.Sight, r *http.Request) {
	x.checkMoves()
	if x.shape.Rolls {
		x.checkOpened()
	}
	if len(x.checkout.Pipeline.Starters()) > 0 {
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
	if p, _ := x.remote.Pulled(r); p.MergeSHA != "" && p.MergeSHA == x.github.Head(p.Repo, p.BaseBranch) && p.MergedBy == "waybill[bot]" {
		x.checkMerged(p)
		x.checkSigned(p)
	}
}

// checkSigned: nothing is merged without the sign-offs that the stage and its batch ask for.
func (x *Checks) checkSigned(pull githubsim.Pull) {
	p, in := x.db.Seen.Promotions[ledger.NumberOf(pull.HeadBranch)], x.checkout.InForce()
	if in == nil || in.Stage(p.Stage) == nil {
		return
	}
	if needs, has := x.rollouts.Needs(in.Stage(p.Stage), pull), x.signed(p, false); has < needs {
		x.log.Broken("nothing is merged without its sign-offs", "p%d of %s in %s has %d of %d", p.Number, p.Name, p.Stage, has, needs)
	}
}

// signed counts who has signed a promotion off, of those who could ever do so: not eve, and not the author. Now leaves
// out those who may not any more, and whose time is over.
func (x *Checks) signed(p ledger.Promo, now bool) (n int) {
	promoted, _ := x.sources.SourceOf(p)
	for _, who := range x.db.Texts(`SELECT DISTINCT actor FROM approvals WHERE kind = 'sign-off' AND stage = ? AND freight = ? AND revoked_at IS NULL
		AND (NOT ? OR entitled AND expires_at > ?)`, p.Stage, p.Freight, now, x.clock.Now().UnixMicro()) {
		if (who == "ann" || who == "bob") && who != promoted.Author {
			n++
		}
	}
	return n
}

// checkMerged: a merge of ours changes the stage's file, and a folder that the stage copies, and nothing else; the
// folder is what it is in the freight's commit.
func (x *Checks) checkMerged(p githubsim.Pull) {
	if ledger.Whole(p) {
		x.checkWhole(p)
		return
	}
	stage := ledger.StageIn(p)
	folder := "copied/" + stage + "/"
	beside := func(at string) []string {
		return slices.DeleteFunc(x.github.Files(p.Repo, at), func(path string) bool { return strings.HasPrefix(path, folder) })
	}
	before, after := beside(p.BaseSHA), beside(p.MergeSHA)
	if !slices.Equal(before, after) {
		x.log.Broken("other files stay as they are", "#%d: %v, before %v", p.Number, after, before)
	}
	for _, path := range before {
		old, _ := x.github.File(p.Repo, p.BaseSHA, path)
		now, _ := x.github.File(p.Repo, p.MergeSHA, path)
		switch {
		case old == now:
		case shape.StageOf(path) != stage:
			x.log.Broken("other files stay as they are", "#%d changes %s", p.Number, path)
		default:
			x.checkExact(p, path, old, now)
		}
	}
	x.checkStep(p)
	x.checkCopied(p, strings.TrimSuffix(folder, "/"))
}

// checkExact: what a merge of ours changes in a file is the value of its freight, and no other byte.
func (x *Checks) checkExact(p githubsim.Pull, path, old, now string) {
	promoted := x.db.Seen.Promotions[ledger.NumberOf(p.HeadBranch)]
	f := shape.FormOf(path)
	if f == nil || f.Beside(old, promoted.Warehouse) != f.Beside(now, promoted.Warehouse) {
		x.log.Broken("every other byte of a file stays as it is", "#%d changes %s from\n%sto\n%s", p.Number, path, old, now)
		return
	}
	is, _ := f.Says(now, promoted.Warehouse)
	if s, known := x.sources.SourceOf(promoted); !known || f.Writes(s.Value()) != is {
		x.log.Broken("a promotion writes what its freight is", "#%d writes %s into %s for %s", p.Number, is, path, promoted.Name)
	}
}

// checkCopied: a folder that a merge of ours has changed is equal to the one that it was copied from.
func (x *Checks) checkCopied(p githubsim.Pull, folder string) {
	_, was, _ := x.github.Entry(p.Repo, p.BaseSHA, folder)
	_, is, found := x.github.Entry(p.Repo, p.MergeSHA, folder)
	if !found || is == was {
		return
	}
	promoted, _ := x.sources.SourceOf(x.db.Seen.Promotions[ledger.NumberOf(p.HeadBranch)])
	if _, want, _ := x.github.Entry(promoted.Repo, promoted.SHA, "api"); is != want {
		x.log.Broken("a copy is exact", "#%d: %s is %s, and not %s", p.Number, folder, is, want)
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
	if n := x.db.Count(`SELECT COUNT(*) FROM deliveries`); n < acknowledged {
		x.log.Broken("nothing acknowledged is lost", "%d deliveries were acknowledged and %d are there", acknowledged, n)
	}
}

// checkRest looks at what must hold when nothing is left to do.
func (x *Checks) checkRest() {
	if x.log.Failure != nil {
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
	x.checkFound(!x.gaps.Deaf)
}

// checkWaits: what waits has a reason, and somebody looks when it is over.
func (x *Checks) checkWaits() {
	in := x.checkout.InForce()
	if in == nil || x.db.Unread() || x.gaps.Apart {
		return
	}
	for _, p := range x.db.Seen.Promotions {
		if p.Ended() || in.Stage(p.Stage) == nil || x.db.Owes(p.Stage) {
			continue
		}
		if why := x.stuck(in, in.Stage(p.Stage), p); why != "" {
			x.log.Broken("what waits has a reason", "p%d (%s) in %s is %s: %s", p.Number, p.Name, p.Stage, p.State, why)
		}
	}
}

// stuck says what is missing when a promotion waits for nothing; "" if it waits for something.
func (x *Checks) stuck(in *shape.Pipeline, s *shape.Stage, p ledger.Promo) string {
	held := x.db.Held(p) || p.Paused()
	if p.State == "verifying" && s.Rolls() && (held || p.Class != "rollback" && x.badUpstream(in, s, p)) {
		return "" // no further step begins
	}
	if p.State == "running" && (s.Direct || s.Starts) && (held || p.Class != "rollback" && x.badUpstream(in, s, p)) {
		return "" // it is not committed, or not started
	}
	switch p.State {
	case "queued":
		for _, q := range x.db.Seen.Promotions {
			if q.Stage == p.Stage && q.Active() {
				return ""
			}
		}
		if held || len(s.After) > 0 && p.Class != "rollback" || p.Class == "automatic" && slices.Contains(x.checkout.Pipeline.Manual, s.Name) {
			return ""
		}
		if x.db.Count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND answered_at IS NULL`, p.Stage) > 0 {
			return ""
		}
		if s.Ready && x.db.Count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.Stage) > 0 {
			return "" // GitHub is asked again whether a target is ready
		}
		return "it could start"
	case "running":
		return "nobody carries it out"
	case "waiting-for-merge":
		if held || s.Merge == "manual" || x.unsigned(s, p) || x.refused(p) || p.Class != "rollback" && x.badUpstream(in, s, p) {
			return ""
		}
		return "nobody merges it"
	}
	if x.db.Count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.Stage) > 0 || strings.Contains(p.Cause, "inconclusive") || strings.Contains(p.Cause, "missing") {
		return ""
	}
	return fmt.Sprintf("nobody looks after its clock (%s)", p.Cause)
}

// unsigned reports whether people have to sign off what a promotion has open.
func (x *Checks) unsigned(s *shape.Stage, p ledger.Promo) bool {
	pull := x.remote.OpenOf(p)
	return pull.Number == 0 || x.signed(p, true) < x.rollouts.Needs(s, pull)
}

// refused reports whether there is something with an open pull request that keeps us from merging it.
func (x *Checks) refused(p ledger.Promo) bool {
	if x.db.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND unmergeable <> ''`, p.Number) > 0 {
		return true
	}
	// Merged, closed or moved without our knowledge: that webhook was lost.
	pull := x.remote.OpenOf(p)
	return pull.State != "open" || x.byHand.Pushed[pull.HeadSHA] || len(x.checkout.Ups) > 1 || x.atTheGate(pull)
}

// badUpstream reports whether freight has been found bad upstream, perhaps since its promotion was opened: a person
// decides.
func (x *Checks) badUpstream(in *shape.Pipeline, s *shape.Stage, p ledger.Promo) bool {
	return slices.ContainsFunc(s.After, func(name string) bool {
		if up := in.Stage(name); up.Passes {
			return x.badUpstream(in, up, p)
		}
		return x.db.Count(`SELECT COUNT(*) FROM stays WHERE freight = ? AND stage = ? AND verdict = 'failed'`, p.Freight, name) > 0
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
					x.log.Broken("a comment is written once", "%d times %s on %s#%d", n, mark, repo, p.Number)
				}
			}
		}
	}
	for _, s := range x.sources.Sources {
		may := 0 // several tags may name one commit
		for _, other := range x.sources.Sources {
			if other.SHA == s.SHA {
				may += len(other.Warehouses)
			}
		}
		names := map[string]int{}
		for _, run := range x.github.CheckRuns(s.Repo, s.SHA) {
			if run.App == "waybill" {
				names[run.Name]++
			}
		}
		for name, n := range names {
			if n > may && name != "waybill / config" {
				x.log.Broken("a check run is made once", "%d times %s on %s#%d", n, name, s.Repo, s.Number)
			}
		}
	}
	x.checkDeployments()
}

// checkDeployments: a promotion is one deployment. One that changes nothing goes by the commit of the one before, and a
// rollout by that of one of its steps.
func (x *Checks) checkDeployments() {
	may := map[string]int{}
	for _, p := range x.db.Seen.Promotions {
		if r := x.rollouts.Rollouts[p.Number]; r != nil && p.MergeSHA != "" {
			may[p.Name+" in "+p.Stage]++
			for _, t := range r.Stage.Targets {
				may[p.Name+" in "+p.Stage+"/"+t]++
			}
		} else {
			may[p.MergeSHA]++
		}
	}
	for _, d := range x.remote.Deployments() {
		if d.Creator != "waybill[bot]" {
			continue
		}
		by := d.Description
		if may[by] == 0 {
			by = d.SHA
		}
		if may[by]--; may[by] < 0 {
			x.log.Broken("a deployment is made once", "%s %s: %s", d.Environment, d.SHA, d.Description)
		}
	}
}

// checkQueue: what is held is not in the merge queue, and what came out of it changed the stage's file and no other.
func (x *Checks) checkQueue() {
	if !x.shape.Queued {
		return
	}
	for _, pull := range x.remote.BeforeGate("") {
		x.entered[pull.HeadBranch] = x.entered[pull.HeadBranch] || pull.Queued
		p := x.db.Seen.Promotions[ledger.NumberOf(pull.HeadBranch)]
		if pull.Queued && (x.db.Held(p) || p.Paused()) && p.State == "waiting-for-merge" && !x.db.Owes(p.Stage) {
			x.log.Broken("what is held leaves the merge queue", "p%d in %s", p.Number, p.Stage)
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
	passed := func(r githubsim.CheckRun) bool { return r.Name == ledger.Gate && r.Conclusion == "success" }
	return x.shape.Queued && ledger.GoesTo(p) == shape.Here && (p.Queued || x.entered[p.HeadBranch] || x.shape.Gated && !slices.ContainsFunc(x.github.CheckRuns(shape.Home, p.HeadSHA), passed))
}

// checkPlace: a merge of ours goes to where the files of its stage are, as the pipeline file had it when its promotion
// began.
func (x *Checks) checkPlace(p githubsim.Pull) {
	s := x.checkout.Pipeline.Stage(ledger.StageIn(p))
	if s == nil {
		return
	}
	if ledger.GoesTo(p) != s.At() && (s.Second == (shape.Place{}) || ledger.GoesTo(p) != s.Second) {
		x.log.Broken("nothing is written but where the files of a stage are", "#%d of %s goes to %v, and not to %v", p.Number, s.Name, ledger.GoesTo(p), s.At())
	}
}

// checkGuards: a guarded stage lets a proposal wait exactly while something is held or verified there. What nobody has
// told the program it cannot know.
func (x *Checks) checkGuards() {
	in := x.checkout.InForce()
	if x.gaps.Deaf || in == nil || x.db.Unread() || x.db.Count(`SELECT COUNT(*) FROM views WHERE kind = 'check' AND wanted <> shown`) > 0 {
		return
	}
	for _, number := range x.proposals.Proposed {
		p, _ := x.github.Pull(shape.Home, number)
		for _, s := range in.Stages {
			if p.State == "open" && s.Guard && !s.Passes && !x.db.Owes(s.Name) {
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
		x.log.Broken("a guarded stage says yes or no once", "%d times of #%d in %s", len(runs), p.Number, stage)
		return
	}
	waits := slices.ContainsFunc(x.proposals.Changes[p.Number], func(path string) bool { return slices.Contains(s.Files(), path) }) && x.db.Occupied(stage)
	if is := runs[0].Status != "completed"; is != waits {
		x.log.Broken("a guarded stage lets people wait while something is held or verified there", "#%d waits in %s: %t (%s)", p.Number, stage, is, runs[0].Title)
	}
}

// checkReleased: in the end no check of a guarded stage waits.
func (x *Checks) checkReleased() {
	for _, sha := range x.proposals.Proposals {
		for _, run := range x.github.CheckRuns(shape.Home, sha) {
			if run.App == "waybill" && run.Status != "completed" {
				x.log.Broken("no check of a guarded stage waits for ever", "%s on %.7s: %s", run.Name, sha, run.Title)
			}
		}
	}
}

// checkReady: a target takes part when it has shown that it is ready.
func (x *Checks) checkReady(r *ledger.Rollout, number int, target string) {
	if r.Stage.Ready && x.db.Seen.Promotions[r.Promotion].Class != "rollback" && !x.signals.WasShown(target, true, r.At) {
		x.log.Broken("a target takes part when it has shown that it is ready", "#%d of p%d writes %s", number, r.Promotion, target)
	}
}

// checkShown: a comment that a person removes is made again while a promotion lasts of which it tells, a few times.
func (x *Checks) checkShown() {
	if x.gaps.Deaf || x.db.Unread() || x.db.Count(`SELECT COUNT(*) FROM views WHERE kind = 'comment' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range x.sources.Sources {
		if n := x.byHand.Removals[ledger.Where(s.Repo, s.Number)]; n == 0 || n > 3 || !x.lasts(s) {
			continue
		}
		if !slices.ContainsFunc(x.github.Comments(s.Repo, s.Number), ledger.Sticky) {
			x.log.Broken("what somebody removes is made again", "the comment on %s", ledger.Where(s.Repo, s.Number))
		}
	}
}

// lasts reports whether a promotion has not ended that started with something to show.
func (x *Checks) lasts(s ledger.Source) bool {
	for _, p := range x.db.Seen.Promotions {
		for _, warehouse := range s.Warehouses {
			if p.Active() && p.Warehouse == warehouse && p.Name == s.Name(warehouse) {
				return true
			}
		}
	}
	return false
}

// checkBuilt: what waits for an image goes nowhere before it has one.
func (x *Checks) checkBuilt(p ledger.Promo) {
	if x.checkout.Pipeline.Built[p.Warehouse] && !x.sources.Images[p.Name] {
		x.log.Broken("freight goes nowhere without its image", "p%d of %s in %s", p.Number, p.Name, p.Stage)
	}
}

// checkFreight: what has been brought about is freight once, of what it was first, and in its order; and nothing else
// is. Complete says that the program can know of all of it.
func (x *Checks) checkFreight(complete bool) {
	for _, warehouse := range x.checkout.Pipeline.Warehouses {
		var are, want []string
		may := map[string]ledger.Source{}
		for _, s := range x.sources.InOrder(warehouse) {
			may[s.Name(warehouse)] = s
			if !s.Doubtful {
				want = append(want, s.Name(warehouse)+" "+s.SHA)
			}
		}
		for _, row := range x.db.Texts(`SELECT name || ' ' || sha FROM freight WHERE warehouse = ? ORDER BY merged_at, number`, warehouse) {
			name, sha, _ := strings.Cut(row, " ")
			if s, is := may[name]; !is || s.SHA != sha {
				x.log.Broken("nothing else is freight", "%s in %s", row, warehouse)
			} else if !s.Doubtful {
				are = append(are, row)
			}
		}
		if complete && !slices.Equal(are, want) {
			x.log.Broken("everything is freight once, in its order", "%s has\n%s\ninstead of\n%s", warehouse, strings.Join(are, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Checks are the invariants.
type Checks struct {
	acked     map[string]time.Time
	byHand    *ledger.ByHand
	chat      *ledger.Chat
	checkout  *ledger.Checkout
	clock     *ledger.Clock
	db        *ledger.Database
	evidence  *ledger.Evidence
	gaps      *ledger.Gaps
	github    *githubsim.Server
	jobs      *ledger.Jobs
	log       *ledger.Journal
	proposals *ledger.Proposals
	remote    *ledger.Remote
	rollouts  *ledger.Rollouts
	shape     shape.Shape
	signals   *ledger.Signals
	sources   *ledger.Sources

	entered map[string]bool        // pull requests that have been in the merge queue, by branch
	cleared map[string]bool        // those that it has merged, and that were looked at
	opened  map[string]int         // the newest pull request of a repository that was looked at when it was opened
	gone    map[string][]string    // targets that a merge must not touch, by the branch of its pull request
	started int                    // runs of workflows
	were    map[shape.Place]string // where the branches of stages were before a request
	theirs  map[shape.Place]string // where those stood before it that somebody else has pushed to last
}

func newChecks(l *ledger.Ledger) *Checks {
	return &Checks{
		acked: l.Acked, byHand: l.ByHand, chat: l.Chat, checkout: l.Checkout, clock: l.Clock, db: l.DB, evidence: l.Evidence,
		gaps: l.Gaps, github: l.GitHub, jobs: l.Jobs, log: l.Log, proposals: l.Proposals, remote: l.Remote, rollouts: l.Rollouts,
		shape: l.Shape, signals: l.Signals, sources: l.Sources,
		entered: map[string]bool{}, cleared: map[string]bool{}, opened: map[string]int{}, gone: map[string][]string{},
	}
}

// checkTyped: everybody who asks again has their answer in the end, and what was asked once was done once.
func (x *Checks) checkTyped() {
	for _, twice := range x.db.Texts(`SELECT surface FROM requests WHERE surface LIKE 'api:%' OR surface LIKE 'slack:%/%/%/_%' GROUP BY surface HAVING COUNT(*) > 1`) {
		x.log.Broken("a command happens once", "%s", twice)
	}
}

// checkStarted looks at the run that a request has just started: it is one for each promotion, unless GitHub has not
// said that it starts one and does not list it either; it is given what its freight is, and none starts under a hold,
// or for what has ended.
func (x *Checks) checkStarted(h ledger.Sight) {
	runs := x.remote.Runs("")
	if len(runs) == x.started {
		return
	}
	x.started = len(runs)
	r := runs[len(runs)-1]
	_, name, _ := strings.Cut(strings.TrimSuffix(r.Title, ")"), "(")
	p := x.db.Seen.Promotions[ledger.NumberOf(name)]
	switch s, known := x.sources.SourceOf(p); {
	case ledger.NameOfRun(p) != name || p.Ended():
		x.log.Broken("no workflow is started for what has ended", "%s, and p%d is %s", r.Title, p.Number, p.State)
	case !known || r.Title != fmt.Sprintf("Deploy %s (%s)", s.Value(), name):
		x.log.Broken("a workflow is given what its freight is", "%s for %s", r.Title, p.Name)
	case slices.ContainsFunc(h.Holds, func(o ledger.Hold) bool { return o.Stops(p) }):
		x.log.Broken("no workflow is started while it is held", "%s", r.Title)
	case len(x.remote.Runs(name+")")) == 1:
	case !x.gaps.Hidden || x.db.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND heard`, p.Number) > 0:
		x.log.Broken("a workflow is started once for each promotion", "%s", r.Title)
	}
}

// checkRun: the last run of a stage was given its last freight, and has succeeded.
func (x *Checks) checkRun(s shape.Stage, last ledger.Source) {
	runs := x.remote.Runs("waybill/" + s.Name + "/")
	if len(runs) == 0 || runs[len(runs)-1].Conclusion != "success" || !strings.Contains(runs[len(runs)-1].Title, " "+last.Value()+" ") {
		x.log.Broken("the last freight is everywhere", "%s has run %v, and not for %s", s.Name, runs, last.Value())
	}
}
