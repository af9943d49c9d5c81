package act

import (
	"fmt"
	"net/http"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Maintainer merges, closes and pushes to pull requests of Waybill.
type Maintainer struct {
	byHand *ledger.ByHand
	ci     *CI
	github *githubsim.Server
	log    *ledger.Journal
	remote *ledger.Remote

	Meddles []plan.Act // acts that happen just before the next merges
}

// pullDone has a person act on a pull request of Waybill.
func (m *Maintainer) pullDone(a plan.Act) {
	state := "open"
	if a.B%8 == 7 {
		state = "closed"
	}
	pulls := m.remote.Ours(state)
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.A%len(pulls)]
	m.doneTo(p, a.B%8)
}

// Meddle has a person act on a pull request of Waybill just before its merge.
func (m *Maintainer) Meddle(r *http.Request) {
	if p, found := m.remote.Pulled(r); found && p.State == "open" && len(m.Meddles) > 0 {
		m.doneTo(p, []int{5, 5, 3, 0}[m.Meddles[0].B%4])
		m.Meddles = m.Meddles[1:]
	}
}

// doneTo has a person act on a pull request of Waybill.
func (m *Maintainer) doneTo(p githubsim.Pull, how int) {
	what, err := "", error(nil)
	switch how {
	case 0, 1, 2:
		what = "merges"
		_, err = m.github.MergePull(p.Repo, p.Number, "ann", "squash")
	case 3, 4:
		what = "closes"
		err = m.github.ClosePull(p.Repo, p.Number, "ann")
	case 5:
		what = "pushes to the branch of"
		var sha string
		sha, err = m.github.PushFiles(p.Repo, p.HeadBranch, "ann", "By hand",
			map[string]*string{"by-hand": githubsim.Text(fmt.Sprint(len(m.byHand.Pushed)))})
		m.byHand.Pushed[sha] = true
	case 6:
		what = "deletes the branch of"
		err = m.github.DeleteBranch(p.Repo, p.HeadBranch, "ann")
	case 7:
		what = "reopens"
		err = m.github.ReopenPull(p.Repo, p.Number, "ann")
	}
	m.log.Note("  ann %s #%d (%s): %v", what, p.Number, p.HeadBranch, err)
	if word, known := map[string]string{"merges": "merge", "closes": "close", "reopens": "reopen"}[what]; known {
		m.log.Told.Happening("%s p%d by ann", word, ledger.NumberOf(p.HeadBranch))
	} else {
		m.log.Told.Prose("(ann %s p%d)", what, ledger.NumberOf(p.HeadBranch))
	}
}

// atGate has CI decide about a pull request in the merge queue, or a person add one to the queue or remove it.
func (m *Maintainer) atGate(a plan.Act) {
	pulls := m.remote.BeforeGate("open")
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.B%len(pulls)]
	switch a.A % 5 {
	case 0, 1:
		m.ci.OpenGate()
	case 2:
		m.ci.tryOut(p.GroupSHA, "failure")
	case 3:
		m.ci.tryOut(p.HeadSHA, "failure")
	case 4:
		how, act := "takes out of", m.github.Dequeue
		if !p.Queued {
			how, act = "puts into", m.github.Enqueue
		}
		err := act(shape.Home, p.Number, "ann")
		m.log.Note("  ann %s the merge queue #%d: %v", how, p.Number, err)
		m.log.Told.Prose("(ann %s the merge queue p%d)", how, ledger.NumberOf(p.HeadBranch))
	}
}
