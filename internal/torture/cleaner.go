package torture

import (
	"fmt"
	"slices"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// remove has a person take away something that we made to show where freight stands: the comment, a label, a check run
// or a deployment.
func (c *Cleaner) remove(a Act) {
	if len(c.sources.sources) == 0 {
		return
	}
	s := c.sources.sources[max(0, len(c.sources.sources)-1-a.A%3)]
	what, err := "", error(nil)
	switch a.B % 4 {
	case 0:
		all := c.github.Comments(s.repo, s.number)
		if i := slices.IndexFunc(all, sticky); i >= 0 {
			what, err = "the comment of "+s.ref(), c.github.DeleteComment(s.repo, all[i].ID, "ann")
			c.byHand.removals[where(s.repo, s.number)]++
		}
	case 1:
		if p, found := c.github.Pull(s.repo, s.number); found && len(p.Labels) > 0 {
			what, err = "a label of "+s.ref(), c.github.RemoveLabel(s.repo, s.number, "ann", p.Labels[a.C%len(p.Labels)])
		}
	case 2:
		all := c.github.CheckRuns(s.repo, s.sha)
		if i := slices.IndexFunc(all, func(run githubsim.CheckRun) bool { return run.App == "waybill" }); i >= 0 {
			what, err = fmt.Sprintf("%s of %s", all[i].Name, s.ref()), c.github.DeleteCheckRun(s.repo, all[i].ID)
		}
	case 3:
		if all := c.github.Deployments(shape.Home); len(all) > 0 && all[len(all)-1].Creator == "waybill[bot]" {
			d := all[len(all)-1]
			what, err = "the deployment "+d.Description, c.github.DeleteDeployment(shape.Home, d.ID)
		}
	}
	c.log.note("  ann removes %s: %v", what, err)
	c.log.told.prose("(ann removes %s)", what)
}

// Cleaner is who removes what we made to show where freight stands.
type Cleaner struct {
	byHand  *ByHand
	github  *githubsim.Server
	log     *Journal
	sources *Sources
}
