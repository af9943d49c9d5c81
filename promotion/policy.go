package promotion

import (
	"slices"
)

// Permission is a person's permission on the home repository. They are ordered: whoever may write may read.
type Permission int

// GitHub's permissions. Unasked is less than none: GitHub could not be asked.
const (
	Unasked Permission = iota - 1
	NoPermission
	Read
	Triage
	Write
	Maintain
	Admin
)

var permissionNames = []string{"unasked", "none", "read", "triage", "write", "maintain", "admin"}

// String returns the permission as GitHub spells it.
func (p Permission) String() string { return permissionNames[p-Unasked] }

// ParsePermission reads a permission as GitHub spells it.
func ParsePermission(s string) (Permission, bool) {
	for i, name := range permissionNames {
		if name == s {
			return Permission(i) + Unasked, true
		}
	}
	return NoPermission, false
}

// Policy says who may do what. Each rule list is read from the top; the first rule whose stages match decides, and
// where none matches, the command is refused. A verb without a list has its default (see verbs.go).
type Policy struct {
	May map[CommandVerb][]Rule
	// Narrows has the verbs whose list is that of the server alone: their defaults are in force as well, because the
	// server's policy takes rights away and gives none.
	Narrows map[CommandVerb]bool
}

// Rule lets people with a permission, in one of some teams, do something in some stages.
type Rule struct {
	Name       string     // where it stands, for the audit trail: ".github/waybill.policy.yml:7"; empty: a default
	Stages     []string   // globs; empty: all
	Permission Permission // at least
	Teams      []string   // at least one of them; empty: any
	Not        []string   // "author", "requester", "last-pusher"
}

// LeavesOutMakers reports whether a rule may leave out who has made the freight of a stage: one of the policy file, or
// that for sign-offs, where the stage asks for some.
func (p *Pipeline) LeavesOutMakers(stage *Stage) bool {
	if stage.SignsOff() {
		return true
	}
	for _, rules := range p.Policy.May {
		if slices.ContainsFunc(rules, func(r Rule) bool { return slices.Contains(r.Not, "author") }) {
			return true
		}
	}
	return false
}

// Signers are those who sign off no promotion, unless the policy file says `not` itself.
func Signers() (not []string) { return []string{"author", "requester"} }

// And returns the rule that demands what both demand, and whether it can be met. Where both ask for teams, a team must
// be in both lists: being in one team of each is not enough, which is narrower than it needs to be but never wider. It
// is about no stage in particular.
func (r Rule) And(more Rule) (both Rule, possible bool) {
	both = Rule{
		Name:       r.Name + " and " + more.Name,
		Permission: max(r.Permission, more.Permission),
		Teams:      r.Teams,
		Not:        slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Not, more.Not)))),
	}
	if r.Name == "" || more.Name == "" { // one is a default
		both.Name = r.Name + more.Name
	}
	if len(r.Teams) == 0 {
		both.Teams = more.Teams
	} else if len(more.Teams) > 0 {
		both.Teams = nil
		for _, team := range r.Teams {
			if slices.Contains(more.Teams, team) {
				both.Teams = append(both.Teams, team)
			}
		}
		return both, len(both.Teams) > 0
	}
	return both, true
}

// Teams returns the teams that rules name, each once.
func (p Policy) Teams() []string {
	var teams []string
	for _, rules := range p.May {
		for _, rule := range rules {
			teams = append(teams, rule.Teams...)
		}
	}
	slices.Sort(teams)
	return slices.Compact(teams)
}

// Right says whether a person may give a command in a stage, and by which rule.
type Right struct {
	Verb CommandVerb
	Rule string // where the rule stands: ".github/waybill.policy.yml:7"; "default"; or "none", and it is refused
	Why  Reason // why they may not; the zero reason if they may
	// who is left out even so, by the part they play in the promotion: "author", "requester", "last-pusher"
	Not []string
	Own bool // they may lift their own holds and those of Waybill, and no others
}
