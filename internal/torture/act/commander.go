package act

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Commander gives commands at GitHub.
type Commander struct {
	byHand   *ledger.ByHand
	checkout *ledger.Checkout
	db       *ledger.Database
	github   *githubsim.Server
	log      *ledger.Journal
	remote   *ledger.Remote
	rollouts *ledger.Rollouts
	program  Program
	shape    shape.Shape
	sources  *ledger.Sources
}

// commands are the comments that people write; %s is a stage.
var commands = []string{
	"/promote %s", "/promote %s", "/promote %s --when-available", "/rollback %s", "/rollback %s",
	"/hold %s", "/hold %s for now", "/hold %s --for 30m", "/hold --all",
	"/unhold %s", "/unhold %s", "/unhold --all", "/cancel %s", "/cancel %s", "/retry %s", "/retry %s", "/verify %s",
	"/approve %s", "/deny %s no",
	"/hold *%s* for 30m", "/unhold *%s*", "/cancel *",
	`/verdict %s pass --because "looked"`, `/verdict %s fail --because "looked"`, "no command at all",
}

// comment has a person give a command on one of the newest pull requests.
func (c *Commander) comment(a plan.Act) {
	c.say([]string{"ann", "bob", "bob", "eve"}[a.C%4], c.typed(a), a.A)
}

// typed returns the command that an act chooses.
func (c *Commander) typed(a plan.Act) string {
	if c.shape.Rolls && a.C%7 == 3 {
		return c.driving(a)
	}
	text := commands[a.B%len(commands)]
	if strings.Contains(text, "%s") {
		text = fmt.Sprintf(text, c.checkout.Pipeline.Stages[a.A%len(c.checkout.Pipeline.Stages)].Name)
	}
	if a.C%13 == 12 && len(c.sources.Sources) > 0 {
		s := c.sources.Sources[a.A%len(c.sources.Sources)]
		text = fmt.Sprintf("/admit %s %s --because \"urgent\"", s.Ref(),
			c.checkout.Pipeline.Stages[a.B%len(c.checkout.Pipeline.Stages)].Name)
	}
	return text
}

// say writes a comment on one of the last pull requests.
func (c *Commander) say(who, text string, which int) {
	repo, number := c.pull(which)
	if number == 0 {
		return
	}
	_, err := c.github.Comment(repo, number, who, text)
	c.log.Note("  %s on %s#%d: %s: %v", who, repo, number, text, err)
	c.log.Told.Happening("comment %s by %s: %s", ledger.Where(repo, number), who, text)
}

// pull chooses one of the last pull requests; its number is 0 if no pull request exists.
func (c *Commander) pull(which int) (repo string, number int) {
	merged := slices.DeleteFunc(slices.Clone(c.sources.Sources), func(s ledger.Source) bool { return s.Number == 0 })
	if n := len(merged); n > 0 {
		s := merged[max(0, n-1-which%3)]
		repo, number = s.Repo, s.Number
	} else {
		repo, number = shape.Home, c.checkout.Forum
	}
	if pulls := c.remote.Ours(""); len(pulls) > 0 && which%5 == 4 {
		repo, number = pulls[which%len(pulls)].Repo, pulls[which%len(pulls)].Number
	}
	return repo, number
}

// label has a person add a label to one of the last pull requests, or remove it.
func (c *Commander) label(a plan.Act) {
	repo, number := c.pull(a.A)
	if number == 0 {
		return
	}
	stage := c.checkout.Pipeline.Stages[a.B%len(c.checkout.Pipeline.Stages)].Name
	name := []string{"promote/" + stage, "promote/" + stage, "waybill/hold", "promote/nowhere", "stage/" + stage +
		":ok"}[a.B%5]
	who, how, put := []string{"ann", "bob", "eve"}[a.C%3], "labels", c.github.AddLabel
	if a.A%4 == 3 {
		how, put = "takes a label off", c.github.RemoveLabel
	}
	c.log.Note("  %s %s %s#%d: %s: %v", who, how, repo, number, name, put(repo, number, who, name))
	c.log.Told.Prose("%s %s %s: %s", who, how, ledger.Where(repo, number), name)
}

// press has a person press a button of a check run, or rerun one that has no buttons.
func (c *Commander) press(a plan.Act) {
	if len(c.sources.Sources) == 0 {
		return
	}
	s := c.sources.Sources[max(0, len(c.sources.Sources)-1-a.A%3)]
	runs := c.github.CheckRuns(s.Repo, s.SHA)
	if len(runs) == 0 {
		return
	}
	who, run := []string{"ann", "bob", "eve"}[a.C%3], runs[a.B%len(runs)]
	if len(run.Buttons) == 0 {
		c.rerun(s, run, who, a.A%2 == 1)
		return
	}
	button := run.Buttons[a.A%len(run.Buttons)]
	c.log.Note("  %s presses %s of %s: %v", who, button, run.Name, c.github.PressButton(s.Repo, run.ID, who, button))
	c.log.Told.Prose("%s presses %s of %s", who, button, run.Name)
}

// rerun has a person ask for a check run again, or for all on its commit.
func (c *Commander) rerun(s ledger.Source, run githubsim.CheckRun, who string, all bool) {
	c.byHand.Reruns[s.SHA]++
	if all {
		c.log.Note("  %s runs all checks on %s again: %v", who, s.SHA, c.github.RerequestSuite(s.Repo, s.SHA, who))
		return
	}
	c.log.Note("  %s runs %s again: %v", who, run.Name, c.github.Rerequest(s.Repo, run.ID, who))
}

// review has a person review a pull request of Waybill.
func (c *Commander) review(a plan.Act) {
	pulls := c.remote.Ours("open")
	if len(pulls) == 0 {
		return
	}
	p := pulls[a.A%len(pulls)]
	who, state := []string{"ann", "bob", "eve"}[a.C%3], []string{"APPROVED", "APPROVED", "COMMENTED",
		"CHANGES_REQUESTED"}[a.B%4]
	body := []string{"", "fine", "/hold " + c.checkout.Pipeline.Stages[a.B%len(c.checkout.Pipeline.Stages)].Name}[a.A%3]
	if body == "" && state != "APPROVED" {
		body = "well"
	}
	c.log.Note("  %s reviews #%d: %s %q: %v", who, p.Number, state, body,
		c.github.Review(p.Repo, p.Number, who, state, body))
	c.log.Told.Prose("%s reviews the pull request %d: %s %q", who, p.Number, state, body)
}

// grantAnn changes the permission of ann.
func (c *Commander) grantAnn(a plan.Act) {
	c.Grant("ann", []string{"write", "read", "maintain"}[a.A%3])
}

func (c *Commander) Grant(who, level string) {
	c.checkout.People[who] = level
	err := c.github.SetPermission(shape.Home, who, level)
	c.log.Note("  %s has %s: %v", who, level, err)
	c.log.Told.Happening("grant %s %s", who, level)
}

// Commands about a running rollout and its targets.

// drives are commands about a rollout or one target; STAGE and TARGET are placeholders.
var drives = []string{
	"/pause STAGE", "/pause STAGE", "/resume STAGE", "/skip STAGE/TARGET", "/skip STAGE/TARGET", "/hold STAGE/TARGET",
	"/hold STAGE/TARGET",
	"/hold STAGE/TARGET --for 30m", "/unhold STAGE/TARGET", "/promote STAGE/TARGET", "/promote STAGE/TARGET",
	"/promote STAGE/TARGET FREIGHT",
}

// driving returns such a command. Most of them move a target if the stage is driven from outside.
func (c *Commander) driving(a plan.Act) string {
	s := c.checkout.Pipeline.Fleet()
	if s == nil {
		return "no command at all"
	}
	text := drives[a.B%len(drives)]
	if s.External && a.C%3 > 0 {
		text = "/promote STAGE/TARGET"
	}
	freight := ""
	if all := c.sources.InOrder(s.From[0]); len(all) > 0 {
		freight = all[a.C%len(all)].Name(s.From[0])
	}
	target := s.Targets[a.A%len(s.Targets)]
	if open := c.remote.OpenTargets(s.Name); len(open) > 0 && a.A%3 == 0 {
		target = open[a.B%len(open)]
	}
	return strings.TrimSpace(strings.NewReplacer("STAGE/TARGET", c.byHand.AsksFor(s.Name, target), "STAGE", s.Name,
		"FREIGHT", freight).Replace(text))
}

// drive has a person drive a rollout: by a command, or by a label that moves a target.
func (c *Commander) drive(a plan.Act) {
	repo, number := c.pull(a.A)
	s := c.checkout.Pipeline.Fleet()
	if s == nil || number == 0 || a.B%5 > 0 {
		c.say([]string{"ann", "bob", "bob", "eve"}[a.C%4], c.driving(a), a.A)
		return
	}
	who, name := []string{"ann", "bob", "eve"}[a.C%3], "promote/"+c.byHand.AsksFor(s.Name, s.Targets[a.A%len(s.Targets)])
	c.log.Note("  %s labels %s#%d: %s: %v", who, repo, number, name, c.github.AddLabel(repo, number, who, name))
	c.log.Told.Prose("%s labels %s: %s", who, ledger.Where(repo, number), name)
}

// lettingGo returns the commands that lift holds on single targets and resume rollouts.
func (c *Commander) lettingGo() (all []string) {
	for _, o := range c.db.Seen.Kept {
		all = append(all, "/unhold "+o.Stage+"/"+o.Target)
	}
	for _, p := range c.db.Seen.Promotions {
		if !p.Ended() && p.Paused() {
			all = append(all, "/resume "+p.Stage)
		}
	}
	return all
}

// DriveOn has a person move the last freight to every target that is driven from outside and lacks it. It reports
// whether any target was moved.
func (c *Commander) DriveOn() (moved bool) {
	for _, s := range c.checkout.Pipeline.Stages {
		if !s.External {
			continue
		}
		for _, wh := range s.From {
			all := c.sources.InOrder(wh)
			for _, t := range s.Targets {
				text, _ := c.checkout.ContentOf(s.File(t))
				if is, _ := s.Form.Says(text, wh); len(all) > 0 && is != s.Form.Writes(all[len(all)-1].Value()) {
					c.say("bob", fmt.Sprintf("/promote %s %s", c.byHand.AsksFor(s.Name, t), all[len(all)-1].Name(wh)), 0)
					moved = true
				}
			}
		}
	}
	if moved {
		c.program.Rest()
	}
	return moved
}

// SignOff has people sign off the promotions that need approvals.
func (c *Commander) SignOff() {
	for _, p := range c.remote.Ours("open") {
		stage := ledger.StageIn(p)
		if s := c.checkout.Pipeline.Stage(stage); s != nil && (s.Approvals > 0 || s.Rolls()) && c.rollouts.Needs(s, p) > 0 {
			c.say("ann", "/approve "+stage, 0)
			c.say("bob", "/approve "+stage, 0)
		}
	}
	c.program.Rest()
}

// LetGo has a person lift every hold, and resume every paused rollout.
func (c *Commander) LetGo() {
	commands := c.lettingGo()
	if c.db.Count(`SELECT COUNT(*) FROM holds WHERE lifted_at IS NULL AND target = ''`) > 0 {
		commands = append(commands, "/unhold --all")
		for _, s := range c.checkout.Pipeline.Stages {
			commands = append(commands, "/unhold "+s.Name)
		}
	}
	for _, command := range commands {
		c.say("bob", command, 0)
	}
	if len(commands) > 0 {
		c.program.Rest()
	}
}
