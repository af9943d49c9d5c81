package torture

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// sticky reports whether a comment is ours that tells how far freight has come.
func sticky(c githubsim.Comment) bool {
	return c.Author == "waybill[bot]" && strings.Contains(c.Body, "<!-- waybill:status -->")
}

// remove has a person take away something that we made to show where freight stands: the comment, a label, a check run
// or a deployment.
func (w *World) remove(a Act) {
	if len(w.sources) == 0 {
		return
	}
	s := w.sources[max(0, len(w.sources)-1-a.A%3)]
	what, err := "", error(nil)
	switch a.B % 4 {
	case 0:
		all := w.github.Comments(s.repo, s.number)
		if i := slices.IndexFunc(all, sticky); i >= 0 {
			what, err = "the comment of "+s.ref(), w.github.DeleteComment(s.repo, all[i].ID, "ann")
			w.removals[where(s.repo, s.number)]++
		}
	case 1:
		if p, found := w.github.Pull(s.repo, s.number); found && len(p.Labels) > 0 {
			what, err = "a label of "+s.ref(), w.github.RemoveLabel(s.repo, s.number, "ann", p.Labels[a.C%len(p.Labels)])
		}
	case 2:
		all := w.github.CheckRuns(s.repo, s.sha)
		if i := slices.IndexFunc(all, func(run githubsim.CheckRun) bool { return run.App == "waybill" }); i >= 0 {
			what, err = fmt.Sprintf("%s of %s", all[i].Name, s.ref()), w.github.DeleteCheckRun(s.repo, all[i].ID)
		}
	case 3:
		if all := w.github.Deployments(shape.Home); len(all) > 0 && all[len(all)-1].Creator == "waybill[bot]" {
			d := all[len(all)-1]
			what, err = "the deployment "+d.Description, w.github.DeleteDeployment(shape.Home, d.ID)
		}
	}
	w.note("  ann removes %s: %v", what, err)
	w.told.prose("(ann removes %s)", what)
}

// checkShown: a comment that a person removes is made again while a promotion lasts of which it tells, a few times.
func (w *World) checkShown() {
	if w.deaf || w.unread() || w.count(`SELECT COUNT(*) FROM views WHERE kind = 'comment' AND wanted <> shown`) > 0 {
		return
	}
	for _, s := range w.sources {
		if n := w.removals[where(s.repo, s.number)]; n == 0 || n > 3 || !w.lasts(s) {
			continue
		}
		if !slices.ContainsFunc(w.github.Comments(s.repo, s.number), sticky) {
			w.broken("what somebody removes is made again", "the comment on %s", where(s.repo, s.number))
		}
	}
}

// lasts reports whether a promotion has not ended that started with something to show.
func (w *World) lasts(s source) bool {
	for _, p := range w.seen.promotions {
		for _, warehouse := range s.warehouses {
			if p.active() && p.warehouse == warehouse && p.name == s.name(warehouse) {
				return true
			}
		}
	}
	return false
}
