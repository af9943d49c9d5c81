package promotion

import "slices"

// Permission is somebody's permission on the home repository. They are ordered: who may write may read.
type Permission int

// GitHub's permissions. Unasked is less than none: nobody could ask GitHub.
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
// where none matches nobody may. A verb without a list has its default (see verbs.go).
type Policy struct {
	May map[CommandVerb][]Rule
}

// Rule lets people with a permission, in one of some teams, do something in some stages.
type Rule struct {
	Name       string     // where it stands, for the audit trail: ".github/waybill.policy.yml:7"; empty: a default
	Stages     []string   // globs; empty: all
	Permission Permission // at least
	Teams      []string   // at least one of them; empty: any
	Not        []string   // "author", "requester", "last-pusher"
}

// rule returns the rule that decides who may do this in a stage, if any does.
func (p Policy) rule(verb CommandVerb, stage StageName) (Rule, bool) {
	rules, listed := p.May[verb]
	if !listed {
		rules = verb.byDefault()
	}
	for _, rule := range rules {
		if rule.covers(stage) {
			return rule, true
		}
	}
	return Rule{}, false
}

// decidedBy names the rule that decides whether a command may be given, for the audit trail.
func (p Policy) decidedBy(verb CommandVerb, stage StageName) string {
	switch rule, some := p.rule(verb, stage); {
	case !some:
		return "none"
	case rule.Name == "":
		return "default"
	default:
		return rule.Name
	}
}

// Entitles reports whether somebody with this permission and these teams may do this in a stage, whatever part they play
// in its promotion. Whoever takes a snapshot looks the givers of its approvals up with it.
func (p Policy) Entitles(verb CommandVerb, stage StageName, has Permission, teams []string) bool {
	rule, some := p.rule(verb, stage)
	return some && rule.mayNot(has, teams).IsZero()
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

// mayNot returns why the person may not have what they ask for; the zero reason if they may. To stop the whole pipeline it
// is enough to have the right in one stage, to let it go it must be in all.
func (w *work) mayNot(r Request) Reason {
	if r.Command.Stage != "" || len(w.Pipeline.Stages) == 0 {
		return w.mayNotIn(w.Stage.Name, r)
	}
	var why Reason
	for _, s := range w.Pipeline.Stages {
		why = w.mayNotIn(s.Name, r)
		if why.IsZero() == (r.Command.Verb == CmdHold) {
			break
		}
	}
	return why
}

func (w *work) mayNotIn(stage StageName, r Request) Reason {
	rule, some := w.Pipeline.Policy.rule(r.Command.Verb, stage)
	if !some {
		return Because(Forbidden, "nobody")
	}
	return w.mayNotUnder(rule, r)
}

func (w *work) mayNotUnder(rule Rule, r Request) Reason {
	if why := rule.mayNot(r.Permission, r.Teams); !why.IsZero() {
		return why
	}
	for _, not := range rule.Not {
		if w.is(not, r.By) {
			return Because(Forbidden, "not", not)
		}
	}
	return Reason{}
}

// is reports whether somebody plays a part in the active promotion: the author of its freight, who asked for it, or who
// pushed last to its branch and put back what was there.
func (w *work) is(part string, who Actor) bool {
	p := w.active()
	if p == nil {
		return false
	}
	if i := w.freight(p.Freight); part == "author" && i >= 0 {
		return w.Freight[i].Author.Is(who)
	}
	if pull := w.pull(w.attempt(p.Number)); part == "last-pusher" && pull != nil {
		return pull.Pusher.Is(who)
	}
	return part == "requester" && p.By.Is(who)
}

// mayNot returns why somebody may not, whatever part they play; the zero reason if they may.
func (r Rule) mayNot(has Permission, teams []string) Reason {
	switch {
	case has == Unasked:
		return Because(Forbidden, Unasked.String()) // not to know is no (T13)
	case has < r.Permission:
		return Because(Forbidden, r.Permission.String())
	case !r.hasTeam(teams):
		return Because(Forbidden, r.Teams...)
	}
	return Reason{}
}

func (r Rule) covers(s StageName) bool {
	for _, pattern := range r.Stages {
		if Match(pattern, string(s)) {
			return true
		}
	}
	return len(r.Stages) == 0
}

func (r Rule) hasTeam(teams []string) bool {
	for _, t := range r.Teams {
		if contains(teams, t) {
			return true
		}
	}
	return len(r.Teams) == 0
}

// byDefault returns the rules where the policy file says nothing (docs/permissions.md). Unhold asks for write here and for the owner
// or a maintainer in obeyUnhold.
func (v CommandVerb) byDefault() []Rule {
	if u := v.Usage(); u != nil {
		return u.Default
	}
	return nil
}
