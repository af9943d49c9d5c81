package invariant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// restRules must hold when no work is left.
var restRules = []rule[knows]{
	{"everything that waits has a reason, and a wake time or an event that ends it", waitsForSomething},
	{"a comment is written once", commentsOnce},
	{"a check run is made once", checksOnce},
	{"a deployment is made once", deploysOnce},
	{"a message in Slack has the right text", showsInSlack},
	{"a message in Slack is posted once", postsOnce},
	{"a held promotion is not in the merge queue", leavesTheQueue},
	{"a guarded stage has one check on each pull request", guardsOnce},
	{"a guarded stage lets people wait exactly while it is held or frozen, or a promotion is verified there", guards},
	{"what leaves its pull request without being merged has no check of a guarded stage that has passed", withdraws},
	{"Waybill changes nothing of a stranger's pull request but its checks", onlyChecks},
	{"a job is refused where its environment belongs to no stage", refusesJobs},
	{"a job waits only while a person holds its stage or its target", letsJobsGo},
	{"the numbers of a rollout's targets in a check run add up", addsUp},
	{"the numbers of a rollout's targets in a check run are right", isSo},
	{"each merged target is shown", tellsOfAll},
	{"a check run says what the stage says of its freight now", saysTheVerdict},
	{"a comment says what the stage says of its freight now", commentsSayTheVerdict},
	{"a message in Slack says what the stage says of its freight now", messagesSayTheVerdict},
	{"all freight comes from acts of people and CI, and has the commit that its name meant first", isBroughtAbout},
	{"a comment that a person deletes is restored while a promotion lasts that it shows", isMadeAgain},
	{"the targets that a glob has found are those in the commit in which Waybill looked", findsAll},
	{"no tenant learns of another", tellsNoOther},
	{"a command in the channel of a stage is to that stage, whoever else has one of its name", isHeardInItsChannel},
}

// startRules must hold when the program has been started again.
var startRules = []rule[knows]{
	{"no acknowledged delivery is lost before its retention ends", keepsDeliveries},
}

// keptFor is how long deliveries are kept for certain, however far the program's clock is off.
const keptFor = 13 * 24 * time.Hour

func keepsDeliveries(l *ledger.Ledger, _ knows) string {
	acknowledged, kept := 0, time.Now().Add(-keptFor)
	for _, at := range l.Acked {
		if at.After(kept) {
			acknowledged++
		}
	}
	n := l.DB.Count(`SELECT COUNT(*) FROM main.deliveries`)
	if n >= acknowledged {
		return ""
	}
	return fmt.Sprintf("%d deliveries were acknowledged and %d are there", acknowledged, n)
}

// waitsForSomething checks that every promotion that waits has a reason, and a wake time if time ends the wait.
func waitsForSomething(l *ledger.Ledger, _ knows) string {
	in := l.Checkout.InForce()
	if in == nil || l.DB.Unread() || l.Gaps.Apart {
		return ""
	}
	for _, p := range l.DB.Seen.Promotions {
		if p.Ended() || in.Stage(p.Stage) == nil || l.DB.Owes(p.Stage) {
			continue
		}
		if why := stuck(l, in, in.Stage(p.Stage), p); why != "" {
			return fmt.Sprintf("p%d (%s) in %s is %s: %s", p.Number, p.Name, p.Stage, p.State, why)
		}
	}
	return ""
}

// stuck returns the missing step of a promotion that waits for nothing, or "" if it waits for something.
func stuck(l *ledger.Ledger, in *shape.Pipeline, s *shape.Stage, p ledger.Promo) string {
	held := l.DB.Held(p) || p.Paused() || s.Frozen(l.Clock.Now()) && p.Class != "rollback"
	bad := func() bool { return p.Class != "rollback" && badUpstream(l, in, s, p) }
	wakes := func() bool {
		return l.DB.Count(`SELECT COUNT(*) FROM stages WHERE name = ? AND wake_at IS NOT NULL`, p.Stage) > 0
	}
	if disowned(l, p) {
		return "" // somebody else takes it over
	}
	switch p.State {
	case "queued":
		return stuckInQueue(l, s, p, held, wakes)
	case "running":
		if bad() || (s.Direct || s.Starts) && held {
			return "" // its pull request is not opened, it is not committed, or not started
		}
		if wakes() {
			return "" // it rests between two rounds
		}
		return "nobody carries it out"
	case "waiting-for-merge":
		if held || s.Merge == "manual" || unsigned(l, s, p) || refused(l, p) || bad() || rests(l, p) && wakes() {
			return ""
		}
		return "nobody merges it"
	}
	if s.Rolls() && (held || bad()) {
		return "" // no further step begins
	}
	if wakes() || strings.Contains(p.Cause, "inconclusive") || strings.Contains(p.Cause, "missing") {
		return ""
	}
	return fmt.Sprintf("nobody looks after its clock (%s)", p.Cause)
}

// stuckInQueue is stuck for a promotion in the queue.
func stuckInQueue(l *ledger.Ledger, s *shape.Stage, p ledger.Promo, held bool, wakes func() bool) string {
	for _, q := range l.DB.Seen.Promotions {
		if q.Stage == p.Stage && q.Active() {
			return ""
		}
	}
	manual := p.Class == "automatic" && slices.Contains(l.Checkout.Pipeline.Manual, s.Name)
	if held || len(s.After) > 0 && p.Class != "rollback" || manual {
		return ""
	}
	if l.DB.Count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND answered_at IS NULL`, p.Stage) > 0 {
		return ""
	}
	if lacksItsImage(l, p) {
		return "" // it was asked for, for when it is available
	}
	if s.Ready && wakes() {
		return "" // GitHub is asked again whether a target is ready
	}
	if unasked := `SELECT COUNT(*) FROM attempts WHERE promotion = ? AND asker_again IS NOT NULL`; wakes() &&
		l.DB.Count(unasked, p.Number) > 0 {
		return "" // GitHub could not say whether who has asked for it may, and is asked again
	}
	if s.Starts && lacksItsWorkflow(l, s, p) {
		return ""
	}
	if p.Class == "automatic" && !p.Repairs && !s.ContinuesAfterFailure() && behindFailure(l, p) {
		return ""
	}
	return "it could start"
}

// lacksItsWorkflow reports whether a promotion waits because the workflow of its stage is not there (Q8).
func lacksItsWorkflow(l *ledger.Ledger, s *shape.Stage, p ledger.Promo) bool {
	path, _ := s.Workflow()
	_, is := l.GitHub.File(shape.Home, "main", path)
	return !is && l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND plan_problem <> ''`, p.Number) > 0
}

// behindFailure reports whether the stage of a promotion hosts freight of another warehouse that has failed there, so
// that it waits until that is mended (Q4).
func behindFailure(l *ledger.Ledger, p ledger.Promo) bool {
	return l.DB.Count(`SELECT COUNT(*) FROM deployments d JOIN promotions o ON o.number = d.promotion
		WHERE d.stage = ? AND d.left_at IS NULL AND d.verdict = 'failed' AND d.warehouse <> ?
			AND o.state = 'verification-failed'`, p.Stage, p.Warehouse) > 0
}

// unsigned reports whether a promotion has no pull request, or its newest one needs more sign-offs.
func unsigned(l *ledger.Ledger, s *shape.Stage, p ledger.Promo) bool {
	pull := l.Remote.OpenOf(p)
	return pull.Number == 0 || len(signed(l, p, true)) < l.Rollouts.Needs(s, pull)
}

// disowned reports whether who asked for an open promotion has lost the right to, as the program says (semantics
// 4.6).
func disowned(l *ledger.Ledger, p ledger.Promo) bool {
	if p.State != "running" && p.State != "waiting-for-merge" ||
		l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND asker_lost <> ''`, p.Number) == 0 {
		return false
	}
	gone := func(who string) int {
		return l.DB.Count(`SELECT COUNT(*) FROM promotions WHERE number = ? AND actor = ?`, p.Number, who)
	}
	return !l.Intruders.Left.IsZero() && gone(ledger.Leaver) > 0 ||
		l.Checkout.People["ann"] == "read" && gone("ann") > 0 || l.Checkout.Configured() > 1
}

// refused reports whether an obstacle keeps Waybill from merging the open pull request of a promotion.
func refused(l *ledger.Ledger, p ledger.Promo) bool {
	if l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND unmergeable <> ''`, p.Number) > 0 {
		return true
	}
	// It may have been merged, closed or moved while the webhook about that was lost.
	pull := l.Remote.OpenOf(p)
	if l.Gaps.Lost && l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND pull = ? AND head_sha <> ?`,
		p.Number, pull.Number, pull.HeadSHA) > 0 {
		return true // Waybill made it anew after the copy, and takes the commit for another person's (docs/limits.md)
	}
	return pull.State != "open" || l.ByHand.Pushed[pull.HeadSHA] || l.Checkout.Configured() > 1 || l.Remote.AtTheGate(pull)
}

// rests reports whether the commit of a promotion has been made so often that it may rest before it is made anew.
func rests(l *ledger.Ledger, p ledger.Promo) bool {
	return l.DB.Count(`SELECT COUNT(*) FROM attempts WHERE promotion = ? AND plan_round >= 3
		AND plan_round = built AND (behind = head_sha
			OR EXISTS (SELECT 1 FROM pulls g WHERE g.repo = attempts.repo AND g.number = attempts.pull AND g.conflicts))`,
		p.Number) > 0
}

// badUpstream reports whether freight has failed upstream, has drifted there, or was taken back by older freight,
// perhaps after its promotion was opened. Then a person decides. A held pass-through stage lets nothing pass (2.5).
func badUpstream(l *ledger.Ledger, in *shape.Pipeline, s *shape.Stage, p ledger.Promo) bool {
	return slices.ContainsFunc(s.After, func(name string) bool {
		if up := in.Stage(name); up.Passes {
			return l.DB.Occupied(up) != "" || badUpstream(l, in, up, p)
		}
		return l.DB.Count(`SELECT COUNT(*) FROM deployments d JOIN promotions p ON p.number = d.promotion
			WHERE d.freight = ? AND d.stage = ? AND (d.verdict = 'failed' OR d.left_at IS NULL AND d.drift <> 'null'
				OR EXISTS (SELECT 1 FROM promotions b WHERE b.stage = d.stage AND b.warehouse = d.warehouse AND b.number > p.number
					AND (b.freight_merged_at, b.freight_number) < (p.freight_merged_at, p.freight_number)
					AND (b.class = 'rollback' AND b.ended_at IS NULL
						OR (b.class = 'rollback' OR b.pins) AND b.merged_at IS NOT NULL AND d.left_at IS NOT NULL)))`,
			p.Freight, name) > 0
	})
}

func leavesTheQueue(l *ledger.Ledger, _ knows) string {
	if !l.Shape.Queued {
		return ""
	}
	for _, pull := range l.Remote.BeforeGate("") {
		p := l.DB.Seen.Promotions[ledger.NumberOf(pull.HeadBranch)]
		held := l.DB.Held(p) || p.Paused()
		if pull.Queued && held && p.State == "waiting-for-merge" && !l.DB.Owes(p.Stage) {
			return fmt.Sprintf("p%d in %s", p.Number, p.Stage)
		}
	}
	return ""
}

// jobs visits the deployment jobs, unless the program may have missed some.
func jobs(l *ledger.Ledger, visit func(d ledger.Deploying, s *shape.Stage, state string) string) string {
	in := l.Checkout.InForce()
	if l.Gaps.Missed("deployment_protection_rule", "push") || in == nil || l.DB.Unread() || l.DB.Unshown("barrier") {
		return ""
	}
	for _, d := range l.Jobs.Deploying {
		if l.DB.Owes(d.Stage) {
			continue
		}
		s := in.Stage(d.Stage)
		if s != nil && (s.Passes || s.Settled && !slices.Contains(s.Targets, d.Target)) {
			s = nil
		}
		if wrong := visit(d, s, l.GitHub.DeploymentRule(d.Repo, d.Run, d.Environment).State); wrong != "" {
			return wrong
		}
	}
	return ""
}

func refusesJobs(l *ledger.Ledger, _ knows) string {
	return jobs(l, func(d ledger.Deploying, s *shape.Stage, state string) string {
		if s != nil || state == "rejected" {
			return ""
		}
		return fmt.Sprintf("run %d in %s: %q", d.Run, d.Environment, state)
	})
}

// letsJobsGo checks that a job waits only while a person holds the stage or target of its environment.
func letsJobsGo(l *ledger.Ledger, _ knows) string {
	return jobs(l, func(d ledger.Deploying, s *shape.Stage, state string) string {
		if s == nil || state != "" || l.DB.HeldByPeople(s, d.Target) || s.Frozen(l.Clock.Now()) {
			return ""
		}
		return fmt.Sprintf("run %d in %s", d.Run, d.Environment)
	})
}

// findsAll checks that the targets found by a glob are those in the commit in which Waybill looked. If the program
// knows all recent events, they must also be those on the branch now.
func findsAll(l *ledger.Ledger, k knows) string {
	s := l.Checkout.Pipeline.Fleet()
	if s == nil || !s.Glob || l.DB.Unread() {
		return ""
	}
	looked := l.DB.Text(`SELECT config_sha FROM pipelines WHERE config_error = ''`)
	if looked == "" {
		return ""
	}
	found := l.DB.Found()[s.File("*")]
	if there := l.Remote.Matching(s, looked); !slices.Equal(found, there) {
		return fmt.Sprintf("%v in %.7s, and there was %v", found, looked, there)
	}
	if there := l.Remote.Matching(s, "main"); k.lately && !slices.Equal(found, there) {
		return fmt.Sprintf("%v, and there is %v", found, there)
	}
	return ""
}
