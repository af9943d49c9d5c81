package act

import (
	"fmt"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Proposer opens pull requests, most of which change files of stages.
type Proposer struct {
	checkout  *ledger.Checkout
	github    *githubsim.Server
	log       *ledger.Journal
	proposals *ledger.Proposals
	shape     shape.Shape
}

// propose has a person open a pull request, push to it, merge it, or close it.
func (x *Proposer) propose(a plan.Act) {
	var open []githubsim.Pull
	for _, number := range x.proposals.Proposed {
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
		_, err = x.github.PushFiles(shape.Home, p.HeadBranch, "ann", "More", x.proposal(a))
	case 4:
		what = "merges"
		if x.shape.Queued && a.C%2 == 0 {
			what = "puts into the merge queue"
			err = x.github.Enqueue(shape.Home, p.Number, "ann")
		} else if _, err = x.github.MergePull(shape.Home, p.Number, "ann", "squash"); err == nil {
			x.checkout.TouchAll() // the merge may have changed any file
		}
	case 5:
		what, err = "closes", x.github.ClosePull(shape.Home, p.Number, "ann")
	}
	x.log.Note("  ann %s #%d: %v", what, p.Number, err)
	x.log.Told.Prose("(ann %s the pull request %d of hers)", what, p.Number)
	x.proposals.Look()
}

func (x *Proposer) openProposal(a plan.Act) {
	files := x.proposal(a)
	number, err := x.github.OpenPull(shape.Home, githubsim.PullSpec{Title: "By hand",
		Head: fmt.Sprintf("by-hand-%d", a.ID), Author: "ann", Files: files})
	if err != nil {
		return // she has a pull request from that branch
	}
	x.proposals.Proposed = append(x.proposals.Proposed, number)
	x.log.Note("  ann proposes #%d: %v", number, ledger.Keys(files))
	x.log.Told.Prose("(ann opens the pull request %d, which changes %v)", number, ledger.Keys(files))
	x.proposals.Look()
}

// proposal returns a change of a stage's file, or in one case of three of another file.
func (x *Proposer) proposal(a plan.Act) map[string]*string {
	s := &x.checkout.Pipeline.Stages[a.B%len(x.checkout.Pipeline.Stages)]
	path, text := x.checkout.ChosenFile(s, a.C/3)
	if path == "" || s.At() != shape.Here || a.C%3 == 0 {
		return map[string]*string{fmt.Sprintf("notes/%d", a.ID): githubsim.Text("x\n")}
	}
	return map[string]*string{path: githubsim.Text(shape.Replicas.ReplaceAllString(text,
		fmt.Sprintf("${1}%d", 1000+a.ID)))}
}
