package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
)

// Asks is a hash of what the pipeline file has promotions write into the targets of a stage, or give to its workflow.
// Two files that agree in it write the same of the same freight.
func (s *Stage) Asks() string {
	sum := sha256.New()
	say := func(words ...string) {
		for _, w := range words {
			io.WriteString(sum, w)
			sum.Write([]byte{0})
		}
	}
	say(string(s.Delivery))
	if d := s.Dispatch; d != nil {
		say("dispatch", d.Workflow)
		for i := range d.Inputs {
			say(d.Inputs[i].Name, d.Inputs[i].Value.Source())
		}
	}
	for i := range s.Targets {
		t := &s.Targets[i]
		say("target", string(t.Name))
		for _, c := range t.Changes {
			say("change", string(c.Files.Repo), c.Files.Name, c.Path)
			for _, a := range c.Set {
				say(string(a.Kind), a.Key, a.Value.Source())
			}
		}
		for _, c := range t.Copies {
			say("copy", string(c.Files.Repo), c.Files.Name, c.Path, c.From, string(c.Warehouse), string(c.Stage))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// WritesAs reports whether a plan, which a changed pipeline file asks for, writes what another one does. Where folders
// are copied, only the contents tell.
func (p *Plan) WritesAs(o *Plan, copies bool) bool {
	same := p.Hash == o.Hash || !copies && slices.Equal(p.Values, o.Values)
	return same && p.Problem.IsZero() && len(p.Absent) == 0 && slices.Equal(p.Paths, o.Paths)
}

// Replaced reports whether the pipeline file has a stage write something else now than the plan of an attempt does. Of
// old plans it is not known, and they stand.
func (a Attempt) Replaced(by *Stage) bool {
	return a.Plan != nil && a.Plan.Asks != "" && a.Plan.Asks != by.Asks()
}

// PlannedElsewhere is what a plan asks for that was made where the stage's files were before: no pipeline file asks for
// that, so that the plan is made anew.
const PlannedElsewhere = "elsewhere"

// MoveTo has a promotion that waits go to another branch.
func (a *Attempt) MoveTo(b Branch) {
	a.Files = b
	if a.Plan != nil {
		plan := *a.Plan
		plan.Asks, a.Plan = PlannedElsewhere, &plan
	}
}
