package act

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Intruder plays the people who wish a history ill: a stranger to the public repositories, somebody who loses their
// rights, somebody who has got hold of signed webhooks, and slow clients. Their draws are their own.
type Intruder struct {
	apiUser   *APIUser
	byHand    *ledger.ByHand
	checkout  *ledger.Checkout
	commander *Commander
	github    *githubsim.Server
	intruders *ledger.Intruders
	log       *ledger.Journal
	program   Program
	proposals *ledger.Proposals
	proposer  *Proposer
	remote    *ledger.Remote
	shape     shape.Shape

	repos  []string
	opened int // pull requests of the stranger
	crowds int // those with thousands of files
	floods int // of pull requests
	pushed int // counts the changes of the stranger
}

// Admit makes the repositories public and creates the people who wish the history ill.
func (c *Cast) Admit(repos []string) error {
	if !c.shape.Beset {
		return nil
	}
	x := c.intruder
	x.repos = repos
	errs := []error{x.github.CreateUser(ledger.Stranger), x.github.CreateUser(ledger.Leaver),
		x.github.CreateUser(ledger.Forger)}
	for _, repo := range repos {
		errs = append(errs, x.github.SetPublic(repo, true), x.github.SetPermission(repo, ledger.Leaver, "write"),
			x.github.SetPermission(repo, ledger.Forger, "write"))
	}
	return errors.Join(append(errs, x.github.CreateBranch(shape.Home, side, "bob", "main"))...)
}

// Intrude plays up to three moves of people who wish the history ill, before the act with an ID.
func (c *Cast) Intrude(act int) {
	if !c.shape.Beset {
		return
	}
	random := rand.New(rand.NewPCG(c.shape.Seed, uint64(act)+1<<30))
	for range 1 + random.IntN(3) {
		c.intruder.move(plan.Act{ID: act, A: random.IntN(1 << 16), B: random.IntN(1 << 16), C: random.IntN(1 << 16)},
			random.IntN(14))
	}
}

func (x *Intruder) move(a plan.Act, which int) {
	switch which {
	case 0:
		x.offer(a)
	case 1, 2:
		x.commander.say(ledger.Stranger, x.commander.typed(a), a.A)
	case 3:
		x.edit(a)
	case 4:
		x.review(ledger.Stranger, a)
	case 5, 6:
		x.commander.say(ledger.Leaver, x.commander.typed(a), a.A)
	case 7:
		x.leave(a)
	case 8:
		x.review(ledger.Leaver, a)
	case 9:
		x.replay(a)
	case 10:
		x.log.Note("  slow clients come: %s", x.program.Crowd(a.B))
		x.log.Told.Prose("(many clients begin requests and do not end them)")
		x.replay(a)
	case 11:
		x.touch(a)
	case 12:
		x.crowd(a)
	case 13:
		x.call(a)
	}
}

// touch has the stranger change the file of a stage, which may guard it, in a pull request from a fork.
func (x *Intruder) touch(a plan.Act) { x.open("Theirs", x.guarded(a)) }

// crowd has the stranger offer thousands of files, and push more to them, twice in a history.
func (x *Intruder) crowd(a plan.Act) {
	if x.crowds++; x.crowds > 2 {
		return
	}
	files := map[string]*string{}
	for i := range 1000 + a.A%2500 {
		files[fmt.Sprintf("crowd/%d", i)] = githubsim.Text("x\n")
	}
	if a.B%2 == 0 {
		maps.Copy(files, x.guarded(a))
	}
	if number := x.open("Everything", files); number != 0 {
		p, _ := x.github.Pull(shape.Home, number)
		_, name, _ := strings.Cut(shape.Home, "/")
		_, err := x.github.PushFiles(ledger.Stranger+"/"+name, p.HeadBranch, ledger.Stranger, "More",
			map[string]*string{"crowd/more": githubsim.Text("x\n")})
		x.see(number)
		x.log.Note("  %s pushes to it: %v", ledger.Stranger, err)
	}
}

// call has the stranger give a command over the API: with a token of theirs, with one that nobody gave them, or with
// none.
func (x *Intruder) call(a plan.Act) {
	who := []string{ledger.Stranger, "nobody", ""}[a.A%3]
	status, answer := x.apiUser.give(sent{who, fmt.Sprint("theirs ", a.ID), x.commander.typed(a)})
	x.log.Note("  %q over the API: %d %s", who, status, answer.Outcome)
	x.log.Told.Prose("(%s gives a command over the API)", ledger.Stranger)
}

// replay has somebody post an earlier webhook again.
func (x *Intruder) replay(a plan.Act) {
	if what := x.program.Replay(a.A); what != "" {
		x.log.Note("  somebody replays %s", what)
		x.log.Told.Prose("(somebody posts an earlier webhook again)")
	}
}

// offer has the stranger open a pull request from a fork that changes the pipeline file: to a broken or a large one, or
// to one with a stage more.
func (x *Intruder) offer(a plan.Act) {
	text := x.checkout.Pipeline.Text()
	switch a.A % 3 {
	case 0:
		text += "  nonsense: {from: nowhere}\n"
	case 1:
		text += strings.Repeat("# "+strings.Repeat("x", 77)+"\n", 500)
	case 2:
		text += "  theirs: {from: api, set: {theirs.yaml: {tag: \"${api.short}\"}}}\n"
	}
	x.open("Better", map[string]*string{".github/waybill.yml": githubsim.Text(text)})
}

// open has the stranger open a pull request from a fork. It returns its number; 0 if GitHub does not take it.
func (x *Intruder) open(title string, files map[string]*string) (number int) {
	x.opened++
	head := fmt.Sprint("better-", x.opened)
	if x.opened%4 == 0 {
		head = fmt.Sprintf("waybill/%s/%d", x.checkout.Pipeline.Stages[0].Name, x.opened) // as promotions call theirs
	}
	number, err := x.github.OpenPull(shape.Home, githubsim.PullSpec{
		Title: title, Head: head, Fork: true, Author: ledger.Stranger, Files: files,
	})
	x.see(number)
	x.log.Note("  %s offers #%d with %d files from a fork: %v", ledger.Stranger, number, len(files), err)
	x.log.Told.Prose("(%s offers the pull request %d from a fork)", ledger.Stranger, number)
	if err != nil {
		return 0
	}
	return number
}

// edit has the stranger turn a comment of theirs into a command.
func (x *Intruder) edit(a plan.Act) {
	repo, number := x.commander.pull(a.A)
	if number == 0 {
		return
	}
	id, err := x.github.Comment(repo, number, ledger.Stranger, "Nice!")
	if err == nil {
		err = x.github.EditComment(repo, id, ledger.Stranger, x.commander.typed(a))
	}
	x.log.Note("  %s edits a comment on %s#%d: %v", ledger.Stranger, repo, number, err)
	x.log.Told.Prose("(%s edits a comment on %s)", ledger.Stranger, ledger.Where(repo, number))
}

// review has somebody approve a pull request of Waybill's, with or without a command.
func (x *Intruder) review(who string, a plan.Act) {
	pulls := x.remote.Ours("open")
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.A%len(pulls)]
	body := []string{"", "/approve " + ledger.StageIn(p), "/hold " + ledger.StageIn(p)}[a.B%3]
	x.log.Note("  %s approves #%d %q: %v", who, p.Number, body, x.github.Review(p.Repo, p.Number, who, "APPROVED", body))
	x.log.Told.Prose("(%s approves the pull request %d: %q)", who, p.Number, body)
}

// leave takes the right to write from the one who has just used it, in one case of two without a webhook, and has them
// go on when Waybill may not count it any more.
func (x *Intruder) leave(a plan.Act) {
	if !x.intruders.Left.IsZero() {
		x.commander.say(ledger.Leaver, x.commander.typed(a), a.A)
		return
	}
	stage := x.checkout.Pipeline.Stages[0].Name
	x.commander.say(ledger.Leaver, "/hold "+stage, a.A) // Waybill knows the right
	x.program.Rest()
	x.intruders.Left = time.Now()
	before := x.github.Waiting()
	var errs []error
	for _, repo := range x.repos {
		errs = append(errs, x.github.SetPermission(repo, ledger.Leaver, "read"))
	}
	if a.A%2 == 0 {
		for _, d := range x.github.Waiting() {
			if !slices.ContainsFunc(before, func(was githubsim.Delivery) bool { return was.ID == d.ID }) {
				x.github.Lose(d.ID)
			}
		}
	}
	x.log.Note("  %s may only read now: %v", ledger.Leaver, errors.Join(errs...))
	x.log.Told.Happening("grant %s read", ledger.Leaver)
	x.program.Pass(6 * time.Minute)
	x.commander.say(ledger.Leaver, "/hold "+stage, a.A)
	x.commander.say(ledger.Leaver, "/unhold "+stage, a.A)
}
