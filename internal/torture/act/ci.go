package act

import (
	"math/rand/v2"
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// CI reports on commits, and decides about merge queues and targets.
type CI struct {
	checkout  *ledger.Checkout
	commander *Commander
	editor    *Editor
	evidence  *ledger.Evidence
	github    *githubsim.Server
	log       *ledger.Journal
	monitor   *Monitor
	random    *rand.Rand
	remote    *ledger.Remote
	program   Program
	signals   *ledger.Signals
	sources   *ledger.Sources
	workflows *Workflows
}

// outcomes are the results that CI reports, by kind of signal.
var outcomes = map[string][]string{
	"check": {"success", "success", "failure", "cancelled", "skipped", "neutral", "in_progress", "queued",
		"timed_out", "success", "failure"},
	"status":     {"success", "failure", "pending", "error", "success"},
	"deployment": {"success", "failure", "in_progress", "error", "inactive", "success"},
}

// report has CI report a result on the commit last merged into a stage, or on the newest commit.
func (c *CI) report(a plan.Act) {
	s := c.checkout.Pipeline.Stages[a.A%len(c.checkout.Pipeline.Stages)]
	target := s.Places()[a.C/5%len(s.Places())]
	sha := c.evidence.MergedInto(s.Name, target)
	if a.C%5 == 0 {
		sha = c.github.Head(s.AtOf(target).Repo, s.AtOf(target).Branch)
	}
	if sha == "" || len(s.Verify) == 0 {
		return
	}
	m := s.Verify[a.B%len(s.Verify)].Of(target)
	all := outcomes[m.Kind]
	c.signal(s.AtOf(target), m, sha, all[(a.B/4)%len(all)])
}

// succeed has CI report success for the last commits of all stages, or of one.
func (c *CI) succeed(a plan.Act) {
	for i, s := range c.checkout.Pipeline.Stages {
		if a.B%3 == 0 && a.A%len(c.checkout.Pipeline.Stages) != i {
			continue
		}
		c.allGreen(&s)
	}
}

// allGreen has CI report success for the last commit of a stage in each of its targets.
func (c *CI) allGreen(s *shape.Stage) {
	for _, target := range s.Places() {
		c.green(s, target)
	}
}

// green has CI report success for the last commit of a stage or target, unless it has done so, and for later commits on
// which its last result is not a success.
func (c *CI) green(s *shape.Stage, target string) {
	if s.Starts {
		c.workflows.greenRun(s)
		return
	}
	sha := c.evidence.MergedInto(s.Name, target)
	if sha == "" {
		return
	}
	at := s.AtOf(target)
	c.endBegun(at, sha)
	for _, m := range s.Verify {
		m = m.Of(target)
		if c.signals.LastSaid(m, sha) != "success" {
			c.signal(at, m, sha, "success")
		}
		for _, later := range c.evidence.OnWay(s, target, sha)[1:] {
			if said := c.signals.LastSaid(m, later); said != "" && said != "success" {
				c.signal(at, m, later, "success")
			}
		}
	}
}

// endBegun has CI finish every check that runs on a commit, because a pattern waits for the whole suite.
func (c *CI) endBegun(at shape.Place, sha string) {
	for _, m := range c.signals.Checks(sha) {
		if said := c.signals.LastSaid(m, sha); said == "queued" || said == "in_progress" {
			c.signal(at, m, sha, "success")
		}
	}
}

// signal reports a result for a commit in a place.
func (c *CI) signal(at shape.Place, m shape.Matcher, sha, result string) {
	var err error
	switch m.Kind {
	case "check":
		spec := githubsim.CheckSpec{Name: m.Name(), SHA: sha, Suite: "ci", Branch: at.Branch}
		if result == "queued" || result == "in_progress" {
			spec.Status = result
		} else {
			spec.Conclusion = result
		}
		_, err = c.github.CreateCheckRun(at.Repo, spec)
	case "status":
		err = c.github.CreateStatus(at.Repo, sha, "ci-bot", m.Name(), result, "")
	case "deployment":
		var id int64
		if id, err = c.github.CreateDeployment(at.Repo, sha, "ci-bot", m.Name()); err == nil {
			err = c.github.CreateDeploymentStatus(at.Repo, id, "ci-bot", result)
		}
	}
	if err != nil {
		c.log.Broken(ledger.CICanReport, "%s %s on %s: %v", m.Kind, m.Name(), sha, err)
		return
	}
	if name, told := c.sources.At(sha); told {
		c.log.Told.Happening("%s %s %s at %s", m.Kind, m.Name(), result, name)
	} else {
		c.log.Told.Prose("(%s %s %s at %s)", m.Kind, m.Name(), result, name)
	}
	c.log.Note("  %s %s %s on %.7s", m.Kind, m.Name(), result, sha)
	c.signals.Report(m.Kind, m.Name(), sha, result)
}

// TurnGreen lets CI succeed for all merged commits, and for the commits that are merged as a consequence, so that no
// check is awaited while time passes.
func (c *CI) TurnGreen() {
	for before := -1; before < c.signals.Count() && c.log.Failure == nil; {
		before = c.signals.Count()
		for _, s := range c.checkout.Pipeline.Stages {
			c.allGreen(&s)
		}
		c.program.Rest()
	}
}

// OpenGate has CI succeed for the pull requests before the merge queue and in it.
func (c *CI) OpenGate() {
	for _, p := range c.remote.BeforeGate("open") {
		c.tryOut(p.HeadSHA, "success")
	}
	for _, p := range c.remote.BeforeGate("open") {
		c.tryOut(p.GroupSHA, "success") // the first group is merged, which may change the group behind it
	}
}

// tryOut has CI report a conclusion on a commit, unless it has reported it before.
func (c *CI) tryOut(sha, conclusion string) {
	said := func(r githubsim.CheckRun) bool { return r.Name == ledger.Gate && r.Conclusion == conclusion }
	if sha == "" || slices.ContainsFunc(c.github.CheckRuns(shape.Home, sha), said) {
		return
	}
	if _, err := c.github.CreateCheckRun(shape.Home, githubsim.CheckSpec{Name: ledger.Gate, SHA: sha, Suite: ledger.Gate,
		Conclusion: conclusion}); err != nil {
		c.log.Broken(ledger.CICanReport, "%s on %s: %v", ledger.Gate, sha, err)
	}
	c.log.Note("  %s %s on %.7s", ledger.Gate, conclusion, sha)
	c.log.Told.Prose("(%s %s at %.7s)", ledger.Gate, conclusion, sha)
}

// goOn has CI decide about the steps of a rollout one after the other: most targets succeed, some do not, and some get
// no result.
func (c *CI) goOn(a plan.Act) {
	for n := range 1 + a.A%4 {
		s := c.checkout.Pipeline.Fleet()
		if s == nil || n > 0 && a.B%5 == 0 {
			break
		}
		if s.External || (a.C/7+n)%3 == 0 {
			c.commander.say("bob", c.commander.driving(plan.Act{A: a.A + n, B: a.C/11 + n, C: a.B + n}), 0)
			c.program.Rest()
		}
		held := a.C%4 == n
		if held {
			c.commander.say("bob", "/hold "+s.Name, 0)
			c.program.Rest()
		}
		if c.decideTargets(s, a.B%5); !held && n == a.A%4 {
			c.program.Some(a.C % 60) // a person interrupts the rollout
			if c.log.Failure != nil || len(c.remote.OpenTargets(s.Name)) == 0 {
				return
			}
			switch a.B % 4 {
			case 0:
				c.editor.redraw(plan.Act{A: a.A, B: 2}, s.Name, "")
			default:
				c.commander.say("bob", c.commander.driving(plan.Act{A: a.A, B: a.C / 60, C: a.B}), 0)
			}
			return
		}
		if c.program.Rest(); c.log.Failure != nil {
			return
		}
		if held {
			c.commander.say("bob", "/unhold "+s.Name, 0)
			c.program.Rest()
		}
		if a.C%3 == 0 {
			c.program.Pass(10 * time.Minute)
		}
	}
	c.succeed(a)
}

// decideTargets has CI report results for the targets that a stage has updated last.
func (c *CI) decideTargets(s *shape.Stage, how int) {
	c.monitor.showSome(s)
	for _, target := range s.Targets {
		sha := c.evidence.MergedInto(s.Name, target)
		if sha == "" {
			continue
		}
		for _, m := range s.Verify {
			m = m.Of(target)
			switch all := outcomes[m.Kind]; {
			case c.signals.LastSaid(m, sha) == "success":
			case how > 1 && c.random.IntN(6) > 0:
				c.signal(s.AtOf(target), m, sha, "success")
			case c.random.IntN(3) > 0:
				c.signal(s.AtOf(target), m, sha, all[c.random.IntN(len(all))])
			}
		}
	}
}
