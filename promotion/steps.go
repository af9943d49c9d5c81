package promotion

import (
	"slices"
)

// The steps of a rollout (semantics 5). Each is carried out as a whole promotion is in a stage without targets: one pull
// request, its merge, the verdict. Then comes the next.

// step returns the number of the step that is under way; 0 of a promotion without targets.
func (p *Promotion) Step() int {
	if p.Rollout == nil {
		return 0
	}
	return p.Rollout.Step
}

// lacks reports whether a target cannot take part yet.
func (p *Plan) Lacks(t TargetName) bool { return slices.Contains(p.Absent, t) }

// texts are names as the arguments of a reason.
func Texts(targets []TargetName) []string {
	all := make([]string, len(targets))
	for i, t := range targets {
		all[i] = string(t)
	}
	return all
}
