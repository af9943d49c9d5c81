package act

import (
	"fmt"
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Cleaner removes Waybill's records of where freight is.
type Cleaner struct {
	byHand  *ledger.ByHand
	github  *githubsim.Server
	log     *ledger.Journal
	sources *ledger.Sources
}

// remove has a person remove such a record: the comment, a label, a check run or a deployment.
func (c *Cleaner) remove(a plan.Act) {
	if len(c.sources.Sources) == 0 {
		return
	}
	s := c.sources.Sources[max(0, len(c.sources.Sources)-1-a.A%3)]
	what, err := "", error(nil)
	switch a.B % 4 {
	case 0:
		all := c.github.Comments(s.Repo, s.Number)
		if i := slices.IndexFunc(all, ledger.Sticky); i >= 0 {
			what, err = "the comment of "+s.Ref(), c.github.DeleteComment(s.Repo, all[i].ID, "ann")
			c.byHand.Removals[ledger.Where(s.Repo, s.Number)]++
		}
	case 1:
		if p, found := c.github.Pull(s.Repo, s.Number); found && len(p.Labels) > 0 {
			what, err = "a label of "+s.Ref(), c.github.RemoveLabel(s.Repo, s.Number, "ann", p.Labels[a.C%len(p.Labels)])
		}
	case 2:
		all := c.github.CheckRuns(s.Repo, s.SHA)
		if i := slices.IndexFunc(all, func(run githubsim.CheckRun) bool { return run.App == "waybill" }); i >= 0 {
			what, err = fmt.Sprintf("%s of %s", all[i].Name, s.Ref()), c.github.DeleteCheckRun(s.Repo, all[i].ID)
		}
	case 3:
		if all := c.github.Deployments(shape.Home); len(all) > 0 && all[len(all)-1].Creator == "waybill[bot]" {
			d := all[len(all)-1]
			what, err = "the deployment "+d.Description, c.github.DeleteDeployment(shape.Home, d.ID)
		}
	}
	c.log.Note("  ann removes %s: %v", what, err)
	c.log.Told.Prose("(ann removes %s)", what)
}
