package promotion

// Permission is somebody's permission on the home repository. They are ordered: who may write may read.
type Permission int

// GitHub's permissions. Triage is read as far as Waybill is concerned.
const (
	NoPermission Permission = iota
	Read
	Write
	Maintain
	Admin
)

var permissionNames = []string{"none", "read", "write", "maintain", "admin"}

// String returns the permission as GitHub spells it.
func (p Permission) String() string { return permissionNames[p] }

// ParsePermission reads a permission as GitHub spells it; "triage" is read.
func ParsePermission(s string) (Permission, bool) {
	if s == "triage" {
		return Read, true
	}
	for i, name := range permissionNames {
		if name == s {
			return Permission(i), true
		}
	}
	return NoPermission, false
}

// Policy says who may do what. Each rule list is read from the top; the first rule whose stages match decides, and
// where none matches nobody may. A verb without a list has its default (see defaultRules).
type Policy struct {
	May map[CommandVerb][]Rule
}

// Rule lets people with a permission, in one of some teams, do something in some stages.
type Rule struct {
	Stages     []string   // globs; empty: all
	Permission Permission // at least
	Teams      []string   // at least one of them; empty: any
	Not        []string   // "author", "requester", "last-pusher"
}
