package torture

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// trailer is by what a commit says that it is a promotion's. Outside the home repository it names the pipeline, too.
var trailer = regexp.MustCompile(`(?m)^Waybill-Promotion: (?:\d+/)?(\d+)$`)

// merges are the merged pull requests of ours, and the commits that went to the branch of the stages without one, as if
// they were merged pull requests without a number, in the order in which they came.
func (w *World) merges() []githubsim.Pull {
	all := append(w.ours("merged"), w.committed...)
	if len(w.committed) > 0 || len(w.shape.Places) > 1 {
		slices.SortStableFunc(all, func(a, b githubsim.Pull) int { return a.MergedAt.Compare(b.MergedAt) })
	}
	return all
}

// checkCommitted looks for a commit that a request has just put on a branch of the stages.
func (w *World) checkCommitted(h sight, at shape.Place, before string) {
	head := w.github.Head(at.Repo, at.Branch)
	if head == before || before == "" {
		return
	}
	c, _ := w.github.Commit(at.Repo, head)
	found := trailer.FindStringSubmatch(c.Message)
	if found == nil || len(c.Parents) != 1 || c.Parents[0] != before {
		w.broken("nothing that others have pushed is lost", "the branch was at %s and is at %s: %q", before, head, c.Message)
		return
	}
	n, _ := strconv.ParseInt(found[1], 10, 64)
	p := w.seen.promotions[n]
	w.note("    p%d is committed as %.7s", n, head)
	for _, other := range w.committed {
		if numberOf(other.HeadBranch) == n && w.rollouts[n] == nil {
			w.broken("a promotion is committed once", "p%d: %s and %s", n, other.MergeSHA, head)
		}
	}
	if slices.ContainsFunc(h.holds, func(o hold) bool { return o.stops(p) }) {
		w.broken("nothing is committed while it is held", "p%d in %s", n, p.stage)
	}
	if !p.active() {
		w.broken("nothing is committed that has ended", "p%d in %s is %s", n, p.stage, p.state)
	}
	made := githubsim.Pull{
		Repo: at.Repo, State: "merged", HeadBranch: fmt.Sprintf("waybill/%s/-/%d", p.stage, n), HeadSHA: head, BaseBranch: at.Branch, BaseSHA: before, MergeSHA: head,
		MergedBy: "waybill[bot]", MergedAt: time.Now(),
	}
	if r := w.rollouts[n]; r != nil {
		w.checkBudget(r, made, w.changedBy(at.Repo, head))
	}
	w.committed = append(w.committed, made)
	w.checkMerged(made)
}
