package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// Demands says what the rules of a branch mean for the promotions of a stage there, what stops them first. app is the
// id of our own App.
func Demands(p *promotion.Pipeline, s *promotion.Stage, r promotion.BranchRules, app int64) []promotion.Demand {
	look := looks[s.Delivery]
	if look == nil {
		return nil
	}
	c := &reading{p: p, stage: s, rules: r, app: app}
	look(c)
	slices.SortStableFunc(c.all, func(a, b promotion.Demand) int {
		return cmp.Compare(slices.Index(weights, a.Weight), slices.Index(weights, b.Weight))
	})
	return c.all
}

// weights are those of demands, the heaviest first.
var weights = []promotion.Weight{promotion.Stops, promotion.AsksPeople, promotion.Takes}

// looks says who reads the rules for each way to deliver. The others write no files.
var looks = map[promotion.Delivery]func(*reading){
	promotion.DeliveryPullRequest: (*reading).ofPull, promotion.DeliveryCommit: (*reading).ofCommit,
}

// reading is the reading of the rules of a branch for a stage.
type reading struct {
	p     *promotion.Pipeline
	stage *promotion.Stage
	rules promotion.BranchRules
	app   int64
	all   []promotion.Demand
}

// add notes a demand of a rule, or of the repository if there is none.
func (c *reading) add(r *promotion.BranchRule, w promotion.Weight, do, says string, args ...any) {
	d := promotion.Demand{On: c.rules.On, Weight: w, Certain: true, Says: fmt.Sprintf(says, args...), Do: do}
	if r != nil {
		d.From, d.Certain = r.From, r.Bypass != ""
	}
	if w == promotion.Stops && !d.Certain {
		d.Says += ", unless the App may bypass that"
	}
	c.all = append(c.all, d)
}

// ofPull reads the rules for a stage whose pull requests are merged.
func (c *reading) ofPull() {
	for i := range c.rules.Rules {
		if r := &c.rules.Rules[i]; r.Binds(true) {
			c.pullRule(r)
		}
	}
	c.method()
}

// pullRule reads one rule for a pull request.
func (c *reading) pullRule(r *promotion.BranchRule) {
	switch r.Kind {
	case promotion.RuleChecks:
		c.checks(r)
	case promotion.RulePulls, promotion.RuleThreads:
		c.reviews(r)
	case promotion.RuleUpdate:
		if c.stage.Merge.By != promotion.MergeManual {
			c.add(r, promotion.Stops, letPass(r),
				"only who may bypass the rule changes the branch: Waybill cannot merge into it")
		}
	case promotion.RuleQueue:
		c.queue(r)
	case promotion.RuleDeployments:
		c.add(r, promotion.AsksPeople, "", "the commit of the pull request must have been deployed to %s; Waybill deploys "+
			"after the merge only", quoted(r.Names))
	case promotion.RuleWorkflows:
		c.add(r, promotion.Takes, "", "merged after these workflows have passed: %s", quoted(r.Names))
	case promotion.RuleSigned:
		if c.stage.Merge.By != promotion.MergeManual {
			c.signed(r)
		}
	case promotion.RuleLinear, promotion.RuleCreation, promotion.RuleDeletion,
		promotion.RuleForce: // methods aside, they are no obstacle to a merge
	default:
		c.add(r, promotion.Takes, "", "there is a rule `%s`, of which Waybill cannot say what it refuses", r.Kind)
	}
}

// checks reads which checks must pass.
func (c *reading) checks(r *promotion.BranchRule) {
	var waits []string
	for _, check := range r.Checks {
		if c.ours(r, check) {
			continue
		}
		waits = append(waits, check.Name)
	}
	if len(waits) > 0 {
		c.add(r, promotion.Takes, "", "merged after these checks have passed, which must run on its branch `waybill/...`: %s",
			quoted(waits))
	}
	if r.UpToDate {
		c.add(r, promotion.Takes, "", "made anew whenever the branch moves, because its pull request must be up to date")
	}
}

// ours reads a required check of Waybill itself, and reports whether it is one.
func (c *reading) ours(r *promotion.BranchRule, check promotion.RequiredCheck) bool {
	name, ours := strings.CutPrefix(check.Name, promotion.OwnCheck)
	if !ours {
		return false
	}
	drop := "take this check out of the rule"
	guarded := c.p.Stage(promotion.StageName(name))
	switch {
	case check.App != 0 && c.app != 0 && check.App != c.app:
		c.add(r, promotion.Stops, "name Waybill's App as the source of the check",
			"the check `%s` must come from another App, which never reports it", check.Name)
	case name == "config":
		c.add(r, promotion.Stops, drop, "the check `%s` is required, which pull requests of promotions never have",
			check.Name)
	case guarded == nil:
		c.add(r, promotion.Stops, drop, "the check `%s` is required, and there is no stage `%s`", check.Name, name)
	case !guarded.Guard || !slices.Contains(c.p.BranchesOf(guarded), c.rules.On):
		c.add(r, promotion.Stops, fmt.Sprintf("set `guard: true` in `%s`, or %s", name, drop),
			"the check `%s` is required, which only guarded stages report on pull requests", check.Name)
	}
	return true
}

// signed reads that commits must be signed, which they are where GitHub signs those that it makes.
func (c *reading) signed(r *promotion.BranchRule) {
	if c.rules.Unsigned {
		c.add(r, promotion.Stops, "have an administrator of the server set up web commit signing, or "+letPass(r),
			"commits must be signed, and GitHub has not signed the last one that Waybill had made")
	}
}

// reviews reads which people must have looked at a pull request.
func (c *reading) reviews(r *promotion.BranchRule) {
	var wants []string
	switch {
	case r.Approvals == 1:
		wants = append(wants, "an approving review")
	case r.Approvals > 1:
		wants = append(wants, fmt.Sprintf("%d approving reviews", r.Approvals))
	}
	if r.CodeOwners {
		wants = append(wants, "one of the owners of the changed files, if they have any")
	}
	if r.LastPush {
		wants = append(wants, "one of somebody who has not pushed to it last")
	}
	if len(wants) > 0 {
		c.add(r, promotion.AsksPeople, c.instead(r), "its pull request needs %s; /approve gives none",
			strings.Join(wants, ", and "))
	}
	if r.Threads {
		c.add(r, promotion.Takes, "", "not merged while a conversation on its pull request is unresolved")
	}
}

// instead says how a stage does without reviews.
func (c *reading) instead(r *promotion.BranchRule) string {
	if c.stage.Merge.By == promotion.MergeManual {
		return ""
	}
	return "let people review each promotion; or " + letPass(r) + ", and have the policy file ask for `approvals`"
}

// queue reads what a merge queue means.
func (c *reading) queue(r *promotion.BranchRule) {
	if c.stage.Merge.By == promotion.MergeManual {
		return
	}
	with := ""
	if len(r.Methods) > 0 {
		with = ", by " + r.Methods[0]
		if said := c.stage.Merge.Method; said != "" && said != r.Methods[0] {
			with += " and not by " + said + " as the pipeline file says"
		}
	}
	c.add(r, promotion.Takes, "", "merged by the merge queue%s", with)
}

// method reads by which method a pull request can be merged. People and queues choose their own.
func (c *reading) method() {
	s := c.stage
	if s.Merge.By == promotion.MergeManual || c.rules.Has(promotion.RuleQueue) || len(c.rules.Settings) == 0 {
		return
	}
	allowed := Methods(c.rules.Settings, c.rules)
	rule := c.forbidding(s.Merge.Method)
	switch said := s.Merge.Method; {
	case len(allowed) == 0:
		c.add(rule, promotion.Stops, "allow one of them in both",
			"no merge method is left: the repository's settings allow %s, the branch's rules none of these",
			strings.Join(c.rules.Settings, ", "))
	case said != "" && !slices.Contains(allowed, said):
		c.add(rule, promotion.Stops, "write one of these, or no `merge-method`",
			"`merge-method: %s` is not allowed, but %s", said, strings.Join(allowed, ", "))
	case said == "" && s.Whole() && !slices.Contains(allowed, "merge"):
		c.add(c.forbidding("merge"), promotion.Takes, "",
			"no merge commits are allowed: its pull requests are merged by %s, and the branch does not descend from the "+
				"freight",
			Method(s, allowed))
	}
}

// forbidding returns the first rule that forbids a method; nil if none does.
func (c *reading) forbidding(method string) *promotion.BranchRule {
	for i := range c.rules.Rules {
		if forbids(&c.rules.Rules[i], method) {
			return &c.rules.Rules[i]
		}
	}
	return nil
}

// ofCommit reads the rules for a stage that commits to the branch itself.
func (c *reading) ofCommit() {
	for i := range c.rules.Rules {
		if r := &c.rules.Rules[i]; r.Binds(false) {
			c.commitRule(r)
		}
	}
}

// refusesCommit says for each kind of rule why it refuses a commit without a pull request.
var refusesCommit = map[promotion.RuleKind]string{
	promotion.RulePulls:       "changes must be made through a pull request",
	promotion.RuleChecks:      "required checks must have passed before",
	promotion.RuleQueue:       "changes must be made through the merge queue",
	promotion.RuleUpdate:      "only who may bypass the rule changes the branch",
	promotion.RuleDeployments: "it must have been deployed before",
	promotion.RuleWorkflows:   "required workflows must have passed before",
}

func (c *reading) commitRule(r *promotion.BranchRule) {
	why := refusesCommit[r.Kind]
	switch {
	case why != "":
		c.add(r, promotion.Stops, letPass(r)+"; or let the stage be promoted by pull requests, without `commit: direct`",
			"%s: Waybill cannot commit to the branch", why)
	case r.Kind == promotion.RuleLinear && c.stage.Whole():
		c.add(r, promotion.Stops, letPass(r), "the history must be linear, and the commit that joins branch and freight has "+
			"two parents")
	case r.Kind == promotion.RuleSigned:
		c.signed(r)
	case r.Kind == promotion.RuleLinear, r.Kind == promotion.RuleCreation, r.Kind == promotion.RuleDeletion,
		r.Kind == promotion.RuleForce, r.Kind == promotion.RuleThreads: // it goes forward, and nothing is deleted
	default:
		c.add(r, promotion.Takes, "", "there is a rule `%s`, of which Waybill cannot say what it refuses", r.Kind)
	}
}

// letPass says how the App is let past a rule.
func letPass(r *promotion.BranchRule) string {
	switch {
	case r.Classic && r.Kind == promotion.RuleChecks:
		return "make a ruleset of this protection, which can let the App bypass required checks"
	case r.Classic && r.Kind == promotion.RuleSigned:
		return "make a ruleset of this protection, which can let the App bypass required signatures"
	case r.Classic && r.Kind == promotion.RuleUpdate:
		return "add the App to those who may push to the branch"
	case r.Classic:
		return "let the App bypass required pull requests in the protection of the branch"
	}
	return "put the App on the bypass list of " + r.From + " (Always allow)"
}

// quoted lists names.
func quoted(names []string) string {
	const most = 10
	var all []string
	for _, name := range names[:min(len(names), most)] {
		all = append(all, "`"+name+"`")
	}
	if len(names) > most {
		all = append(all, fmt.Sprintf("and %d others", len(names)-most))
	}
	return strings.Join(all, ", ")
}
