package invariant

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
)

// change is a promotion before and after a step.
type change struct {
	old, now ledger.Promo
	known    bool // it existed before the step
	before   ledger.Records
}

// starts reports whether the promotion has left the queue.
func (c change) starts() bool {
	return (!c.known || c.old.State == "queued") &&
		(c.now.Active() || c.now.State == "succeeded" || c.now.State == "verification-failed")
}

// changeRules apply to every promotion after every step.
var changeRules = []rule[change]{
	{"ended promotions never change", neverChanges},
	{"no number comes twice", isOfOnePromotion},
	{"one promotion at a time in a stage", isAlone},
	{"a repair restores what was promoted before", bringsBack},
	{"a change by hand is repaired once", isRepairedOnce},
	{"automation only goes forward, and promotes the same freight into a stage once", goesForward},
	{"freight that waits for an image enters no stage before CI has pushed one", hasItsImage},
	{"the queue is in order", isItsTurn},
	{"no promotion passes a failed or missing verdict, and freight has soaked", hasEarnedIt},
	{"no promotion starts while it is held", startsUnheld},
	{"no promotion fails for a reason that passes", failsForGood},
	{"no promotion succeeds by signals that the App may not read", succeedsBySignals},
	{"a commit is made anew only because others have moved the branch", collidesWithOthers},
	{"the batches of a rollout never change", keepsItsBatches},
	{"the steps of a rollout follow each other", followsItsSteps},
	{"no step begins while it is held", stepsUnheld},
	{"no step begins while the rollout is paused", stepsUnpaused},
	{"a target is left out only if a person left it out", leavesNoneOut},
	{"a rollout succeeds when CI has passed every target that took part", hasArrived},
	{"a rollout driven from outside succeeds when it has reached a requested target", hasCome},
}

func neverChanges(_ *ledger.Ledger, c change) string {
	if !c.known || !c.old.Ended() || c.old == c.now {
		return ""
	}
	return fmt.Sprintf("p%d was %+v and is %+v", c.now.Number, c.old, c.now)
}

func isOfOnePromotion(l *ledger.Ledger, c change) string {
	if first := l.DB.Numbered[c.now.Number]; c.now.What() != first {
		return fmt.Sprintf("p%d was %s and is %s", c.now.Number, first, c.now.What())
	}
	return ""
}

func failsForGood(_ *ledger.Ledger, c change) string {
	passes := strings.Contains(c.now.Cause, ledger.ForNow) || strings.Contains(c.now.Cause, ledger.NotGranted)
	if c.now.State != "failed" || !passes {
		return ""
	}
	return fmt.Sprintf("p%d in %s: %s", c.now.Number, c.now.Stage, c.now.Cause)
}

// readBy is the permission with which the App reads signals of a kind.
var readBy = map[string]string{"check": "checks", "status": "statuses", "deployment": "deployments"}

// succeedsBySignals checks that a promotion that was merged when the App could not read one of its signals any more has
// not succeeded, unless a person said so: what cannot be read is no silence (docs/github.md). A change of the pipeline
// file may have changed what verifies the stage.
func succeedsBySignals(l *ledger.Ledger, c change) string {
	in := l.Checkout.InForce()
	if c.now.State != "succeeded" || c.known && c.old.State == "succeeded" || len(l.Gaps.Denied) == 0 || in == nil ||
		in.Stage(c.now.Stage) == nil || l.Checkout.Configured() > 1 || l.DB.Ruled(c.now.Stage) {
		return ""
	}
	for _, p := range l.Remote.Merges() {
		if p.MergeSHA != c.now.MergeSHA || p.MergeSHA == "" {
			continue
		}
		for _, m := range in.Stage(c.now.Stage).Verify {
			if since, denied := l.Gaps.Denied[readBy[m.Kind]]; denied && p.MergedAt.After(since) {
				return fmt.Sprintf("p%d of %s in %s, and the App may not read the %s %s since %s", c.now.Number, c.now.Name,
					c.now.Stage, m.Kind, m.Pattern, since.Format(time.TimeOnly))
			}
		}
	}
	return ""
}

func isAlone(l *ledger.Ledger, c change) string {
	for _, other := range l.DB.Seen.Promotions {
		if c.now.Active() && other.Active() && other.Stage == c.now.Stage && other.Number != c.now.Number {
			return fmt.Sprintf("p%d and p%d in %s", other.Number, c.now.Number, c.now.Stage)
		}
	}
	return ""
}

// bringsBack checks that a repair restores freight that was promoted before.
func bringsBack(l *ledger.Ledger, c change) string {
	had := func(other ledger.Promo) bool { return other.MergeSHA != "" }
	if c.known || !c.now.Repairs || slices.ContainsFunc(sooner(l, c.now), had) {
		return ""
	}
	return fmt.Sprintf("p%d (%s) in %s", c.now.Number, c.now.Name, c.now.Stage)
}

func isRepairedOnce(l *ledger.Ledger, c change) string {
	if c.known || !c.now.Repairs {
		return ""
	}
	repairs := 0
	for _, other := range sooner(l, c.now) {
		if other.Repairs && other.State != "superseded" {
			repairs++
		}
	}
	changes := l.ByHand.Touched[c.now.Stage]
	for _, p := range l.Remote.Ours("merged") { // what is foreign is a change by hand (1.9)
		if ledger.StageIn(p) == c.now.Stage && l.ByHand.Pushed[p.HeadSHA] {
			changes++
		}
	}
	if repairs < changes {
		return ""
	}
	return fmt.Sprintf("p%d is repair %d of %s in %s, whose file was changed %d times",
		c.now.Number, repairs+1, c.now.Name, c.now.Stage, changes)
}

// sooner lists the earlier promotions of the same freight into the same stage.
func sooner(l *ledger.Ledger, p ledger.Promo) (all []ledger.Promo) {
	for _, other := range l.DB.Seen.Promotions {
		if other.Stage == p.Stage && other.Freight == p.Freight && other.Number < p.Number {
			all = append(all, other)
		}
	}
	return all
}

// goesForward checks that automation never promotes the same freight into a stage twice, and never goes backward. What
// a person has asked for early is no mark before it starts (Q19).
func goesForward(l *ledger.Ledger, c change) string {
	p := c.now
	if c.known || p.Repairs || !p.Automatic {
		return ""
	}
	for _, other := range l.DB.Seen.Promotions {
		if other.Early && other.By != "" && other.MergeSHA == "" {
			continue
		}
		if other.Number < p.Number && other.Stage == p.Stage && other.Warehouse == p.Warehouse && !p.NewerThan(other) {
			return fmt.Sprintf("p%d (%s) after p%d (%s) in %s", p.Number, p.Name, other.Number, other.Name, p.Stage)
		}
	}
	return ""
}

func hasItsImage(l *ledger.Ledger, c change) string {
	if !c.starts() || !lacksItsImage(l, c.now) {
		return ""
	}
	return fmt.Sprintf("p%d of %s in %s", c.now.Number, c.now.Name, c.now.Stage)
}

// lacksItsImage reports whether the freight of a promotion waits for an image that CI has not pushed.
func lacksItsImage(l *ledger.Ledger, p ledger.Promo) bool {
	return l.Checkout.Pipeline.Built[p.Warehouse] && !l.Sources.Images[p.Name]
}

func isItsTurn(l *ledger.Ledger, c change) string {
	if !c.starts() {
		return ""
	}
	p := c.now
	for _, q := range l.DB.Seen.Promotions {
		before, known := c.before.Promotions[q.Number]
		rank, other := ledger.Ranks[p.Class], ledger.Ranks[q.Class]
		ahead := other < rank || other == rank && q.Number < p.Number
		if known && q.Stage == p.Stage && q.State == "queued" && ahead && before == q && isFree(l, q) {
			return fmt.Sprintf("p%d (%s) started before p%d (%s) in %s", p.Number, p.Class, q.Number, q.Class, p.Stage)
		}
	}
	return ""
}

// isFree reports whether a promotion waits only for its turn. One whose asker's rights GitHub could not tell lets
// others pass (semantics 4.6).
func isFree(l *ledger.Ledger, q ledger.Promo) bool {
	in := l.Checkout.InForce()
	unasked := `SELECT COUNT(*) FROM attempts WHERE promotion = ? AND asker_again IS NOT NULL`
	if in == nil || l.DB.Count(unasked, q.Number) > 0 {
		return false
	}
	s := in.Stage(q.Stage)
	return s != nil && (q.Class == "rollback" ||
		q.Class == "manual" && len(s.After) == 0 && slices.Contains(s.From, q.Warehouse) && someReady(l, s, q))
}

// someReady reports whether at least one target that a promotion goes to has been ready for a minute. While none is
// ready, the promotion lets others pass.
func someReady(l *ledger.Ledger, s *shape.Stage, p ledger.Promo) bool {
	return !s.Ready || slices.ContainsFunc(s.Targets, func(t string) bool {
		return p.GoesTo(t) && !l.Signals.WasShown(t, false, time.Now())
	})
}

func startsUnheld(l *ledger.Ledger, c change) string {
	stood := func(o ledger.Hold) bool { return o.Stops(c.now) }
	if !c.starts() || c.now.Class == "rollback" || !l.DB.Held(c.now) || !slices.ContainsFunc(c.before.Holds, stood) {
		return ""
	}
	return fmt.Sprintf("p%d in %s", c.now.Number, c.now.Stage)
}

// hasEarnedIt checks by the reports of CI that no promotion passes a failed or missing verdict.
func hasEarnedIt(l *ledger.Ledger, c change) string {
	if !c.starts() || c.now.Class == "rollback" {
		return ""
	}
	p, in := c.now, l.Checkout.InForce()
	if in == nil || in.Stage(p.Stage) == nil || len(in.Stage(p.Stage).After) == 0 {
		return ""
	}
	if l.DB.Count(`SELECT COUNT(*) FROM approvals WHERE kind = 'admit' AND stage = ? AND freight = ?`,
		p.Stage, p.Freight) > 0 {
		return ""
	}
	why := unearned(l, in, in.Stage(p.Stage), p, 0)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("p%d (%s) started in %s: %s", p.Number, p.Name, p.Stage, why)
}

// unearned returns why freight may not enter a stage, or "" if it may.
func unearned(l *ledger.Ledger, in *shape.Pipeline, s *shape.Stage, p ledger.Promo, soak time.Duration) string {
	if len(s.After) == 0 {
		return ""
	}
	soak = max(soak, s.Soak)
	good, why := 0, []string{}
	for _, name := range s.After {
		up := in.Stage(name)
		text := ""
		if up.Passes {
			text = unearned(l, in, up, p, soak)
		} else {
			text = unverified(l, up, p, soak)
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

// early is how much earlier than it was a merge may count: GitHub's answer tells the second in which it was written,
// and the merge was before that, by less than the program had waited for the answer.
const early = 5 * time.Second

// unverified returns why freight is not verified upstream for long enough, or "" if it is or a person said so.
func unverified(l *ledger.Ledger, up *shape.Stage, p ledger.Promo, soak time.Duration) string {
	hosted := false
	for _, q := range l.DB.Seen.Promotions {
		if q.Stage != up.Name || q.Freight != p.Freight || q.MergeSHA == "" {
			continue
		}
		hosted = true
		if l.DB.Count(`SELECT COUNT(*) FROM deployments WHERE promotion = ? AND judged_by_id <> 0`, q.Number) > 0 {
			return ""
		}
		since, good := provenIn(l, up, q)
		if good && time.Since(since) >= soak-early-l.Clock.Uncertainty() {
			return ""
		}
	}
	if !hosted {
		return up.Name + " never had it"
	}
	return up.Name + " has not verified it, or not for long enough"
}

// provenIn returns whether CI has verified the freight of a promotion, and since when.
func provenIn(l *ledger.Ledger, up *shape.Stage, q ledger.Promo) (since time.Time, good bool) {
	if up.Starts {
		return l.Signals.Worked(q)
	}
	if r := l.Rollouts.Rollouts[q.Number]; r != nil {
		return l.Rollouts.ProvenEverywhere(r, q)
	}
	return l.Evidence.Proven(up, "", q.MergeSHA, time.UnixMicro(q.Merged.Int64))
}

// stepRules apply to all promotions after every step. Their argument is the state before it.
var stepRules = []rule[ledger.Records]{
	{"no promotion is lost", losesNone},
	{"nobody moves anything without the right to, at the time", movesByRight},
	{"a command that is told of again is obeyed once", obeysAnActOnce},
	{"a stranger is answered with no content", sparesContent},
}

func losesNone(l *ledger.Ledger, before ledger.Records) string {
	for number := range before.Promotions {
		if _, still := l.DB.Seen.Promotions[number]; !still {
			return fmt.Sprintf("p%d", number)
		}
	}
	return ""
}

// ourPull is a pull request of Waybill's, with the list of all of them.
type ourPull struct {
	githubsim.Pull
	all []githubsim.Pull
}

// pullRules apply to every pull request of Waybill's after every step.
var pullRules = []rule[ourPull]{
	{"Waybill writes only on the branch with the files of a stage", goesToItsPlace},
	{"each attempt has one pull request", isTheOnlyOne},
	{"a pull request was recorded before it was made", wasWrittenDown},
}

// goesToItsPlace checks that a pull request goes to the branch with its stage's files. No history moves those files.
func goesToItsPlace(l *ledger.Ledger, p ourPull) string {
	s, to := l.Checkout.Pipeline.Stage(ledger.StageIn(p.Pull)), ledger.GoesTo(p.Pull)
	if s == nil || to == s.At() || s.Second != (shape.Place{}) && to == s.Second {
		return ""
	}
	return fmt.Sprintf("#%d of %s goes to %v, and not to %v", p.Number, s.Name, to, s.At())
}

func isTheOnlyOne(_ *ledger.Ledger, p ourPull) string {
	for _, other := range p.all {
		if other.HeadBranch == p.HeadBranch &&
			(other.Number != p.Number || other.Repo != p.Repo) {
			return fmt.Sprintf("#%d and #%d from %s", other.Number, p.Number, p.HeadBranch)
		}
	}
	return ""
}

func wasWrittenDown(l *ledger.Ledger, p ourPull) string {
	if l.DB.Numbered[ledger.NumberOf(p.HeadBranch)] != "" {
		return ""
	}
	return fmt.Sprintf("#%d from %s", p.Number, p.HeadBranch)
}
