package act

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// side is a branch besides that of the stages, which pull requests may be turned to.
const side = "side"

// Besiege plays moves around the stages that guard their files, before the act with an ID: the stranger offers changes
// of the files and does all that authors may do with their pull requests, and colleagues hold the stages meanwhile, and
// have pull requests of their own. Their draws are their own.
func (c *Cast) Besiege(act int) {
	if !c.shape.Beset || !c.shape.Guards {
		return
	}
	random := rand.New(rand.NewPCG(c.shape.Seed, uint64(act)+1<<32))
	for range 2 + random.IntN(5) {
		c.intruder.siege(plan.Act{ID: act, A: random.IntN(1 << 16), B: random.IntN(1 << 16), C: random.IntN(1 << 16)},
			random.IntN(28))
		switch random.IntN(4) {
		case 0:
			c.intruder.program.Rest()
		case 1:
			c.intruder.program.Some(random.IntN(20))
		}
	}
}

func (x *Intruder) siege(a plan.Act, which int) {
	switch which {
	case 0, 1, 2:
		x.touch(a)
	case 3:
		x.open("Harmless", x.harmless())
	case 4, 5:
		x.copy(a)
	case 6, 7:
		x.say(a)
	case 8, 9:
		x.hold(a, "/hold")
	case 10:
		x.hold(a, "/unhold")
	case 11, 12:
		x.proposer.propose(a)
	case 13:
		x.flood(a)
	default:
		x.change(a, which-14)
	}
}

// change has the author of a pull request, most often the stranger, do something with it.
func (x *Intruder) change(a plan.Act, which int) {
	p, found := x.chosen(a)
	if !found {
		x.touch(a)
		return
	}
	what, err := "", error(nil)
	switch which {
	case 0, 1:
		what, err = "pushes to", x.push(p, x.harmless())
	case 2, 3:
		what, err = "pushes a change of a guarded file to", x.push(p, x.guarded(a))
	case 4, 5:
		files := x.guarded(a)
		what, err = "pushes such a change, and takes it back at once, to", x.push(p, files)
		if err == nil {
			err = x.push(p, x.takenBack(p, files))
		}
	case 6, 7:
		what, err = "pushes earlier commits to", x.back(a, p)
	case 8:
		what, err = "closes", x.github.ClosePull(shape.Home, p.Number, p.Author)
	case 9, 10:
		what, err = "reopens", x.github.ReopenPull(shape.Home, p.Number, p.Author)
	case 11:
		what, err = "turns", x.turn(a, p)
	case 12:
		what, err = "turns to and fro", x.turn(a, p)
		for i := range 1 + a.C%3 {
			x.see(p.Number)
			if p.BaseBranch = x.base(p.Number); err == nil {
				err = x.turn(plan.Act{A: a.A + i, B: a.B}, p)
			}
		}
	case 13:
		what, err = "has it be a draft or none", x.github.SetDraft(shape.Home, p.Number, p.Author, !p.Draft)
	}
	x.see(p.Number)
	x.log.Note("  %s %s #%d: %v", p.Author, what, p.Number, err)
	x.log.Told.Prose("(%s %s the pull request %d)", p.Author, what, p.Number)
}

// see remembers a pull request of somebody as it is now.
func (x *Intruder) see(number int) {
	if p, found := x.github.Pull(shape.Home, number); found && p.Author == ledger.Stranger {
		x.intruders.Theirs[number] = p
	}
	x.proposals.Look()
}

// chosen chooses a pull request of the stranger that is not merged, or in one case of four one of a colleague.
func (x *Intruder) chosen(a plan.Act) (p githubsim.Pull, found bool) {
	all := x.proposals.Foreign()
	if a.A%4 == 3 {
		all = nil
		for _, number := range x.proposals.Proposed {
			if p, found := x.github.Pull(shape.Home, number); found {
				all = append(all, p)
			}
		}
	}
	all = slices.DeleteFunc(all, func(p githubsim.Pull) bool { return p.State == "merged" })
	if len(all) == 0 {
		return p, false
	}
	return all[len(all)-1-a.B%min(3, len(all))], true
}

// from returns the repository of the branch of a pull request.
func from(p githubsim.Pull) string {
	if !p.Fork {
		return p.Repo
	}
	_, name, _ := strings.Cut(p.Repo, "/")
	return p.Author + "/" + name
}

// harmless is a change that touches no file of a stage.
func (x *Intruder) harmless() map[string]*string {
	x.pushed++
	return map[string]*string{fmt.Sprintf("theirs/%d", x.pushed): githubsim.Text("x\n")}
}

// guarded is a change of a file that a stage guards: another text, its end, or a file in a folder that the stage
// copies.
func (x *Intruder) guarded(a plan.Act) map[string]*string {
	x.pushed++
	s := x.besieged(a)
	path, text := x.checkout.ChosenFile(s, a.B)
	changed := githubsim.Text(shape.Replicas.ReplaceAllString(text, fmt.Sprintf("${1}%d", 5000+x.pushed)))
	switch folder := s.Folder(); {
	case folder != "" && a.C%5 == 4:
		path, changed = folder+"/theirs", githubsim.Text(fmt.Sprintf("%d\n", x.pushed))
	case path == "" || s.At() != shape.Here:
		return x.harmless()
	case a.C%5 == 3:
		changed = nil
	}
	return map[string]*string{path: changed}
}

// takenBack is a change that takes another one back, and makes a harmless one.
func (x *Intruder) takenBack(p githubsim.Pull, files map[string]*string) map[string]*string {
	back := x.harmless()
	for path := range files {
		back[path] = nil
		if was, is := x.github.File(shape.Home, p.BaseSHA, path); is {
			back[path] = githubsim.Text(was)
		}
	}
	return back
}

// besieged chooses a stage, one that guards its files if there is any.
func (x *Intruder) besieged(a plan.Act) *shape.Stage {
	var all []*shape.Stage
	for i := range x.checkout.Pipeline.Stages {
		if s := &x.checkout.Pipeline.Stages[i]; s.Guard {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return &x.checkout.Pipeline.Stages[a.A%len(x.checkout.Pipeline.Stages)]
	}
	return all[a.A/4%len(all)]
}

// push has the author of a pull request push to it.
func (x *Intruder) push(p githubsim.Pull, files map[string]*string) error {
	_, err := x.github.PushFiles(from(p), p.HeadBranch, p.Author, "More", files)
	x.see(p.Number)
	return err
}

// back has the author of a pull request push a commit again that was its head before.
func (x *Intruder) back(a plan.Act, p githubsim.Pull) error {
	all := x.proposals.HeadsOf(p.Number)
	if len(all) == 0 {
		return nil
	}
	return x.github.CreateBranch(from(p), p.HeadBranch, p.Author, all[a.C%len(all)])
}

// turn has the author of a pull request change the branch that it goes into: to that of the stages, to another, or to
// that of a colleague's pull request.
func (x *Intruder) turn(a plan.Act, p githubsim.Pull) error {
	to := "main"
	if p.BaseBranch == to {
		to = side
		if all := x.proposals.Proposed; len(all) > 0 && a.A%2 == 0 {
			if q, found := x.github.Pull(shape.Home, all[a.B%len(all)]); found && q.Number != p.Number {
				to = q.HeadBranch
			}
		}
	}
	return x.github.RetargetPull(shape.Home, p.Number, p.Author, to)
}

func (x *Intruder) base(number int) string {
	p, _ := x.github.Pull(shape.Home, number)
	return p.BaseBranch
}

// copy has the stranger offer the commit of another pull request, a colleague's or one of Waybill's own, as it is or
// with something else on top.
func (x *Intruder) copy(a plan.Act) {
	var all []githubsim.Pull
	for _, p := range x.github.Pulls(shape.Home) {
		if p.BaseBranch == "main" && p.Author != ledger.Stranger {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return
	}
	p := all[len(all)-1-a.A%min(4, len(all))]
	x.opened++
	_, name, _ := strings.Cut(shape.Home, "/")
	fork, branch := ledger.Stranger+"/"+name, fmt.Sprint("copied-", x.opened)
	if x.github.Head(fork, "main") == "" {
		x.touch(a) // which makes the fork
		return
	}
	err := x.github.CreateBranch(fork, branch, ledger.Stranger, p.HeadSHA)
	if err == nil && a.B%3 == 0 {
		_, err = x.github.PushFiles(fork, branch, ledger.Stranger, "More", x.harmless())
	}
	number := 0
	if err == nil {
		number, err = x.github.OpenPull(shape.Home, githubsim.PullSpec{
			Title: "Copied", Head: branch, Fork: true, Author: ledger.Stranger, Draft: a.C%4 == 0,
		})
	}
	x.see(number)
	x.log.Note("  %s offers #%d with the commit of #%d: %v", ledger.Stranger, number, p.Number, err)
	x.log.Told.Prose("(%s offers the pull request %d with the commit of %d)", ledger.Stranger, number, p.Number)
}

// say has the stranger give a command on a pull request of their own, or a colleague have its check made again.
func (x *Intruder) say(a plan.Act) {
	all := x.proposals.Foreign()
	if len(all) == 0 {
		return
	}
	p := all[a.B%len(all)]
	runs := x.github.CheckRuns(shape.Home, p.HeadSHA)
	if a.A%2 == 0 && len(runs) > 0 {
		run := runs[len(runs)-1]
		x.byHand.Reruns[p.HeadSHA]++
		x.log.Note("  bob runs %s on #%d again: %v", run.Name, p.Number, x.github.Rerequest(shape.Home, run.ID, "bob"))
		x.log.Told.Prose("(bob runs %s on the pull request %d again)", run.Name, p.Number)
		return
	}
	text := x.commander.typed(a)
	_, err := x.github.Comment(shape.Home, p.Number, ledger.Stranger, text)
	x.log.Note("  %s on #%d of theirs: %s: %v", ledger.Stranger, p.Number, text, err)
	x.log.Told.Happening("comment %s by %s: %s", ledger.Where(shape.Home, p.Number), ledger.Stranger, text)
}

// hold has a colleague hold a stage that guards its files, or lift the hold.
func (x *Intruder) hold(a plan.Act, command string) {
	text := command + " " + x.besieged(a).Name
	if command == "/hold" && a.B%3 == 0 {
		text += " --for 30m"
	}
	x.commander.say("bob", text, 0)
}

// flood has the stranger, now and then, offer more changes of a guarded file than Waybill follows.
func (x *Intruder) flood(a plan.Act) {
	if x.floods > 0 || a.A%6 > 0 {
		x.touch(a)
		return
	}
	x.floods++
	x.log.Note("  %s comes with a crowd", ledger.Stranger)
	for range 102 {
		x.open("Crowd", x.guarded(plan.Act{A: a.A, B: a.B}))
	}
}
