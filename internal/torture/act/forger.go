package act

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Forger plays somebody who may write, and makes commits under the names of others. Then they, or who is named, or who
// has merged it, sign off what comes of it.
type Forger struct {
	checkout  *ledger.Checkout
	commander *Commander
	developer *Developer
	github    *githubsim.Server
	log       *ledger.Journal
	program   Program
	remote    *ledger.Remote
	shape     shape.Shape
}

// Forge has the Forger make freight under the names of others before one act of two.
func (c *Cast) Forge(act int) {
	if !c.shape.Beset {
		return
	}
	random := rand.New(rand.NewPCG(c.shape.Seed, uint64(act)+1<<31))
	draw := func() plan.Act {
		return plan.Act{ID: act, A: random.IntN(1 << 16), B: random.IntN(1 << 16), C: random.IntN(1 << 16)}
	}
	var hands []string
	if random.IntN(2) == 0 {
		hands = c.forger.forge(draw(), random.IntN(3) == 0)
		if random.IntN(3) > 0 {
			c.forger.program.Rest()
		}
	}
	for range random.IntN(4) {
		c.forger.signOff(append(hands, ledger.Forger, "ann", "bob", ledger.Leaver), draw())
	}
}

// forge makes freight for a warehouse of the pipeline, and returns the people who had a hand in it.
func (f *Forger) forge(a plan.Act, inTheirs bool) []string {
	all := f.checkout.Pipeline.Warehouses
	warehouse := all[a.A%len(all)]
	names := f.names(a)
	s := ledger.Source{Warehouses: []string{warehouse}, Kind: f.checkout.Pipeline.Kinds[warehouse],
		Repo: f.checkout.Pipeline.Sources[warehouse], Author: ledger.Forger}
	s.NoteHands(ledger.Forger)
	if s.Kind == "pull-requests" {
		f.offer(&s, names, a, inTheirs)
	} else {
		f.push(&s, names, a, inTheirs)
	}
	if s.SHA == "" {
		return nil
	}
	f.log.Note("  by %+v: the hands of %s are %v, unknown=%t", names, s.Ref(), s.Hands, s.Anybody)
	if a.C%4 != 3 {
		f.developer.BuildImages()
	}
	return slices.DeleteFunc(slices.Clone(s.Hands), func(who string) bool { return who == "eve" })
}

// names draws what a commit says: the names of colleagues, and sometimes one that GitHub does not know.
func (f *Forger) names(a plan.Act) githubsim.Names {
	n := githubsim.Names{
		Author: []string{"ann", "bob", ledger.Leaver, "ann", "bob", "ann", ledger.Leaver, "nobody"}[a.A/8%8],
		With:   []string{"", "", "", "ann", "bob", "", "nobody", ""}[a.C/8%8],
	}
	n.Committer = []string{"", "", n.Author, n.Author, "ann", "bob"}[a.B/8%6]
	return n
}

// noteNames records that the names of a commit have a hand in a source, where that is so.
func (f *Forger) noteNames(s *ledger.Source, n githubsim.Names) {
	for _, name := range []string{n.Author, n.Committer, n.With} {
		switch name {
		case "":
		case "nobody":
			s.Anybody = true
		default:
			s.NoteHands(name)
		}
	}
}

// offer merges a pull request that has a commit under the names of others: one of the Forger's, or one of somebody else
// into which the Forger pushes.
func (f *Forger) offer(s *ledger.Source, n githubsim.Names, a plan.Act, inTheirs bool) {
	f.developer.made++
	s.Nth = f.developer.made
	number, err := f.merge(s, n, a, inTheirs)
	if err != nil {
		f.log.Broken(ledger.PeopleCanWork, "forge: %v", err)
		return
	}
	s.Number = number
	f.developer.happened(*s, "opens a forged pull request")
}

// merge merges such a pull request, and records its hands.
func (f *Forger) merge(s *ledger.Source, n githubsim.Names, a plan.Act, inTheirs bool) (number int, err error) {
	head := fmt.Sprint("forged-", s.Nth)
	file := func(name string) map[string]*string {
		return map[string]*string{fmt.Sprintf("%s/%d%s", s.Warehouses[0], s.Nth, name): githubsim.Text("x\n")}
	}
	opens := ledger.Forger
	if inTheirs {
		opens = "ann"
		number, err = f.github.OpenPull(s.Repo, githubsim.PullSpec{Title: head, Head: head, Author: opens, Files: file("")})
	}
	if err == nil {
		_, err = f.github.PushAs(s.Repo, head, ledger.Forger, n, "Work", file("b"))
	}
	if err == nil && number == 0 {
		number, err = f.github.OpenPull(s.Repo, githubsim.PullSpec{Title: head, Head: head, Author: opens})
	}
	merger := []string{ledger.Forger, "bob", "ann"}[a.B%3]
	if err == nil {
		s.SHA, err = f.github.MergePull(s.Repo, number, merger, []string{"squash", "merge"}[a.C%2])
	}
	s.Author = opens
	s.NoteHands(opens, merger)
	f.noteNames(s, n)
	f.log.Note("  %s opens, and %s merges, %s#%d", opens, merger, s.Repo, number)
	return number, err
}

// push brings a commit under the names of others, by a push or by a pull request, with what makes it freight. Who tags,
// releases or reports it is another person, or the Forger.
func (f *Forger) push(s *ledger.Source, n githubsim.Names, a plan.Act, inTheirs bool) {
	f.developer.made++
	s.Nth = f.developer.made
	warehouse := s.Warehouses[0]
	var err error
	if inTheirs {
		_, err = f.merge(s, n, a, a.A%2 == 0)
	} else {
		s.SHA, err = f.github.PushAs(s.Repo, "main", ledger.Forger, n, "Work", map[string]*string{
			fmt.Sprintf("%s/%d", warehouse, s.Nth): githubsim.Text("x\n"),
		})
		f.noteNames(s, n)
	}
	by := []string{ledger.Forger, "ann"}[a.C%2]
	if s.Kind != "pushes" {
		s.Version = fmt.Sprintf("1.0.%d", s.Nth)
		s.Tag = warehouse + "/v" + s.Version
		s.NoteHands(by)
	}
	if err == nil {
		switch s.Kind {
		case "releases":
			err = f.github.PublishRelease(s.Repo, by, s.Tag, false)
		case "tags":
			err = f.github.PushTag(s.Repo, by, s.Tag, s.SHA)
		case "reports":
			err = f.github.Dispatch(s.Repo, by, handlers.ReportDispatch, map[string]any{
				"warehouse": warehouse, "version": s.Version, "commit": s.SHA, "pipeline": shape.Home,
			})
			s.Doubtful = true
		}
	}
	if err != nil {
		f.log.Broken(ledger.PeopleCanWork, "forge: %v", err)
		return
	}
	f.developer.happened(*s, "makes a forged commit")
}

// signOff has one of some people sign off a promotion that waits for it, by a comment or a review.
func (f *Forger) signOff(people []string, a plan.Act) {
	pulls := slices.DeleteFunc(f.remote.Ours("open"), func(p githubsim.Pull) bool {
		s := f.checkout.Pipeline.Stage(ledger.StageIn(p))
		return s == nil || s.Approvals == 0 && !s.Rolls()
	})
	if len(pulls) == 0 {
		return
	}
	p, who := pulls[a.A%len(pulls)], people[a.B%len(people)]
	if a.C%3 == 0 {
		f.log.Note("  %s approves #%d: %v", who, p.Number, f.github.Review(p.Repo, p.Number, who, "APPROVED", ""))
		f.log.Told.Prose("(%s approves the pull request %d)", who, p.Number)
		return
	}
	time.Sleep(time.Second) // of what was shown a second ago
	text := "/approve " + ledger.StageIn(p)
	_, err := f.github.Comment(p.Repo, p.Number, who, text)
	f.log.Note("  %s on %s#%d: %s: %v", who, p.Repo, p.Number, text, err)
	f.log.Told.Happening("comment %s by %s: %s", ledger.Where(p.Repo, p.Number), who, text)
}
