package promotion

import (
	"slices"
	"strings"
	"time"
)

// BranchRules are what GitHub demands of whoever changes a branch, as far as the App may read it: the rules of the
// rulesets that apply to the branch, and its classic protection. They are set by people on GitHub's pages and may
// change at any time, so they explain and choose, and no decision is made by them.
type BranchRules struct {
	On      Branch    `json:"-"`
	Read    time.Time `json:"-"` // when they were read
	Unknown string    `json:"unknown,omitempty"`
	// Settings are the ways to merge that the repository's settings allow, the best one first; empty: not known
	Settings []string     `json:"settings,omitempty"`
	Rules    []BranchRule `json:"rules,omitempty"`
	// Unsigned says that GitHub has not signed the last commit that Waybill had made, as far as that is known.
	Unsigned bool `json:"unsigned,omitempty"`
}

// UpToDate reports whether a rule wants the head of a pull request to contain the base. Unread rules want nothing.
func (r BranchRules) UpToDate() bool {
	return slices.ContainsFunc(r.Rules, func(one BranchRule) bool { return one.UpToDate })
}

// RuleKind is a kind of rule, called as in GitHub's API.
type RuleKind string

// The kinds of rules that mean something to promotions. GitHub has others.
const (
	RuleChecks      RuleKind = "required_status_checks"
	RulePulls       RuleKind = "pull_request"
	RuleQueue       RuleKind = "merge_queue"
	RuleUpdate      RuleKind = "update"
	RuleLinear      RuleKind = "required_linear_history"
	RuleSigned      RuleKind = "required_signatures"
	RuleDeployments RuleKind = "required_deployments"
	RuleWorkflows   RuleKind = "workflows"
	RuleCreation    RuleKind = "creation"
	RuleDeletion    RuleKind = "deletion"
	RuleForce       RuleKind = "non_fast_forward"
	// RuleThreads is what classic protection has of its own; in a ruleset it belongs to RulePulls
	RuleThreads RuleKind = "conversations"
)

// BranchRule is a rule that binds whoever changes a branch.
type BranchRule struct {
	Kind   RuleKind `json:"kind"`
	From   string   `json:"from"` // where people find it: "ruleset 7 of acme/deploy"
	Bypass Bypass   `json:"bypass,omitempty"`
	// Classic says that it belongs to the protection of the branch, and to no ruleset.
	Classic bool `json:"classic,omitempty"`

	Checks     []RequiredCheck `json:"checks,omitempty"`
	UpToDate   bool            `json:"up_to_date,omitempty"` // the head must contain the base
	Approvals  int             `json:"approvals,omitempty"`  // of people with write access, as reviews
	CodeOwners bool            `json:"code_owners,omitempty"`
	LastPush   bool            `json:"last_push,omitempty"` // approvals of whoever has pushed last do not count
	Threads    bool            `json:"threads,omitempty"`   // every conversation must be resolved
	Methods    []string        `json:"methods,omitempty"`   // the only ways to merge; none: all
	Names      []string        `json:"names,omitempty"`     // of environments or workflows
}

// RequiredCheck is a check run or a commit status that must have passed.
type RequiredCheck struct {
	Name string `json:"name"`
	App  int64  `json:"app,omitempty"` // the App that must have reported it; 0: anybody may
}

// Bypass says whether the App may do without a rule. The zero value: GitHub does not say.
type Bypass string

// The App may bypass a rule always, only by merging pull requests, or never.
const (
	BypassAlways Bypass = "always"
	BypassPulls  Bypass = "pull_requests_only"
	BypassNever  Bypass = "never"
)

// Bypasses are all that GitHub may say.
var Bypasses = []Bypass{BypassAlways, BypassPulls, BypassNever}

// Binds reports whether the rule binds what the App does: merging a pull request, or else a commit on the branch
// itself. Where GitHub does not say who may bypass it, it may.
func (r *BranchRule) Binds(pull bool) bool {
	return r.Bypass != BypassAlways && !(pull && r.Bypass == BypassPulls)
}

// Has reports whether one of the rules is of a kind and binds merges of pull requests.
func (r *BranchRules) Has(kind RuleKind) bool {
	return slices.ContainsFunc(r.Rules, func(one BranchRule) bool { return one.Kind == kind && one.Binds(true) })
}

// OwnCheck is how the names of Waybill's own check runs begin. The rest is the name of a stage, or "config".
const OwnCheck = "waybill / "

// OthersChecks returns the names of the required checks that are not Waybill's, each once.
func (r *BranchRules) OthersChecks() (names []string) {
	for _, rule := range r.Rules {
		for _, check := range rule.Checks {
			if rule.Binds(true) && !strings.HasPrefix(check.Name, OwnCheck) && !slices.Contains(names, check.Name) {
				names = append(names, check.Name)
			}
		}
	}
	return names
}

// Demand is what a rule of a branch means for the promotions of a stage.
type Demand struct {
	On     Branch
	From   string // where people find the rule
	Weight Weight
	// Certain says that it binds the App: GitHub has not left open that the App may bypass the rule.
	Certain bool
	Says    string // what is so, for people
	Do      string // what to do about it; empty: nothing need be done
}

// Weight is how much a demand is in the way.
type Weight string

const (
	// Stops lets no promotion through before something is changed.
	Stops Weight = "stops"
	// AsksPeople lets a promotion through when people have done something on GitHub.
	AsksPeople Weight = "asks people"
	// Takes lets a promotion through by itself, or may.
	Takes Weight = "takes"
)
