package torture

import (
	"fmt"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// propose has a person open a pull request that changes a stage's file or does not, push to it, merge it, or close it.
func (x *Proposer) propose(a Act) {
	var open []githubsim.Pull
	for _, number := range x.proposals.proposed {
		if p, found := x.github.Pull(shape.Home, number); found && p.State == "open" {
			open = append(open, p)
		}
	}
	if len(open) == 0 || a.A%6 < 2 {
		x.openProposal(a)
		return
	}
	p := open[a.B%len(open)]
	what, err := "", error(nil)
	switch a.A % 6 {
	case 2, 3:
		what = "pushes to"
		files := x.proposal(a)
		if _, err = x.github.PushFiles(shape.Home, p.HeadBranch, "ann", "More", files); err == nil {
			x.proposals.changes[p.Number] = append(x.proposals.changes[p.Number], keys(files)...)
		}
	case 4:
		what = "merges"
		if x.shape.Queued && a.C%2 == 0 {
			what = "puts into the merge queue"
			err = x.github.Enqueue(shape.Home, p.Number, "ann")
		} else if _, err = x.github.MergePull(shape.Home, p.Number, "ann", "squash"); err == nil {
			x.checkout.touchAll() // it may have changed anything
		}
	case 5:
		what, err = "closes", x.github.ClosePull(shape.Home, p.Number, "ann")
	}
	x.log.note("  ann %s #%d: %v", what, p.Number, err)
	x.log.told.prose("(ann %s the pull request %d of hers)", what, p.Number)
	x.proposals.headsOf(p.Number)
}

func (x *Proposer) openProposal(a Act) {
	files := x.proposal(a)
	number, err := x.github.OpenPull(shape.Home, githubsim.PullSpec{Title: "By hand", Head: fmt.Sprintf("by-hand-%d", a.ID), Author: "ann", Files: files})
	if err != nil {
		return // she has one from that branch
	}
	x.proposals.proposed = append(x.proposals.proposed, number)
	x.proposals.changes[number] = keys(files)
	x.log.note("  ann proposes #%d: %v", number, keys(files))
	x.log.told.prose("(ann opens the pull request %d, which changes %v)", number, keys(files))
	x.proposals.headsOf(number)
}

// proposal is a change of a stage's file, or in one case of three of something else.
func (x *Proposer) proposal(a Act) map[string]*string {
	s := &x.checkout.pipeline.Stages[a.B%len(x.checkout.pipeline.Stages)]
	path, text := x.checkout.chosenFile(s, a.C/3)
	if path == "" || s.At() != shape.Here || a.C%3 == 0 {
		return map[string]*string{fmt.Sprintf("notes/%d", a.ID): githubsim.Text("x\n")}
	}
	return map[string]*string{path: githubsim.Text(shape.Replicas.ReplaceAllString(text, fmt.Sprintf("${1}%d", 1000+a.ID)))}
}

// Proposer is who opens pull requests that change files of stages, or do not.
type Proposer struct {
	checkout  *Checkout
	github    *githubsim.Server
	log       *Journal
	proposals *Proposals
	shape     shape.Shape
}
