package say

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"waybill/promotion"
)

// contrast is one way in which a stage differs between two versions of the pipeline files, in words that are ready to
// stand in Markdown.
type contrast struct{ What, Before, After string }

// contrasts describes the differences of a stage between two pipelines. Differences without words of their own are one.
func contrasts(before, after *promotion.Stage) []contrast {
	was, is := aspects(before), aspects(after)
	var found []contrast
	differ := map[string]bool{}
	for i := range was {
		if was[i].After != is[i].After {
			found = append(found, contrast{What: is[i].What, Before: was[i].After, After: is[i].After})
			differ[is[i].What] = true
		}
	}
	if !reflect.DeepEqual(rest(before, differ), rest(after, differ)) {
		found = append(found, contrast{What: "other settings"})
	}
	return found
}

// rest is the stage without the fields that its aspects word. Of its changes and its verification they give no details,
// so it leaves these out only where they differ.
func rest(s *promotion.Stage, differ map[string]bool) promotion.Stage {
	c := *s
	c.Index, c.From, c.Delivery, c.Merge.By, c.Files = 0, nil, "", "", promotion.Branch{}
	c.Policy.Automatic, c.Policy.Approvals, c.Policy.SignRollbacks = false, 0, false
	c.Policy.Floor, c.Strategy.OneDeployment = nil, false
	if differ[whatFreezes] {
		c.Policy.Freezes = nil
	}
	c.Queue, c.OnFailedVerification, c.Drift, c.Guard, c.Groups = "", "", "", false, nil
	if differ[whatRollout] || differ[whatFiles] || differ[whatSignals] || differ[whatReady] {
		c.Targets = []promotion.Target{together(s)}
		c.Strategy = promotion.Strategy{}
	}
	if differ[whatFiles] {
		c.Targets[0].Changes, c.Targets[0].Copies, c.Dispatch = nil, nil, nil
	}
	if differ[whatSignals] {
		c.Targets[0].Verify = nil
	}
	return c
}

// together returns the targets of a stage as one, as far as they have something in common.
func together(s *promotion.Stage) promotion.Target {
	all := promotion.Target{Changes: s.Changes(), Copies: s.Copies(), Verify: s.Verify()}
	if s.Strategy.OneDeployment {
		all.Environment, all.EnvironmentURL = s.Targets[0].Environment, s.Targets[0].EnvironmentURL
	}
	return all
}

const whatFreezes = "frozen"

// The aspects of what targets have of their own.
const whatFiles, whatSignals, whatReady, whatRollout = "changes", "verified by", "ready with", "rollout"

// aspects are the properties that people know a stage by, each in words.
func aspects(s *promotion.Stage) []contrast {
	who := "people promote"
	if s.Policy.Automatic {
		who = "promotes by itself"
	}
	return []contrast{
		{What: "takes", After: gates(s)},
		{What: whatFiles, After: filesOf(s)},
		{What: "files on", After: lives(s)},
		{What: whatSignals, After: awaited(s)},
		{What: whatReady, After: readiness(s)},
		{What: whatRollout, After: batched(s)},
		{What: "promotion", After: who},
		{What: "merge", After: merging(s)},
		{What: "sign-offs", After: signing(s)},
		{What: whatFreezes, After: frozen(s)},
		{What: "queue", After: string(s.Queue)},
		{What: "takes new freight", After: string(s.Intake)},
		{What: "after a failed verification", After: string(s.OnFailedVerification)},
		{What: "drift", After: string(s.Drift)},
		{What: "people's changes of its files wait", After: fmt.Sprint(s.Guard)},
		{What: "groups", After: cmp.Or(cells(s.Groups), "none")},
	}
}

// signing describes the sign-offs that promotions need.
func signing(s *promotion.Stage) string {
	if s.Policy.SignRollbacks {
		return fmt.Sprintf("%d, rollbacks too", s.Policy.Approvals)
	}
	return fmt.Sprint(s.Policy.Approvals)
}

// gates describes the sources of the stage, and their conditions.
func gates(s *promotion.Stage) string {
	var all []string
	for _, from := range s.From {
		all = append(all, code(string(from.Warehouse))+" "+words(from.After))
	}
	return strings.Join(all, ", ")
}

// words describes the condition of a gate.
func words(g *promotion.Gate) string {
	if g == nil {
		return "straight from the warehouse"
	}
	var names []string
	for _, up := range g.Of {
		names = append(names, code(string(up.Name)))
	}
	text := "after "
	switch {
	case len(g.Of) == 1:
	case g.Need == len(g.Of):
		text += "all of "
	default:
		text += fmt.Sprintf("%d of ", g.Need)
	}
	text += strings.Join(names, ", ")
	if g.Soak > 0 {
		text += " for " + g.Soak.String()
	}
	return text
}

// frozen lists the freezes of the stage.
func frozen(s *promotion.Stage) string {
	var all []string
	for _, f := range s.Policy.Freezes {
		all = append(all, code(f.String()))
	}
	return cmp.Or(strings.Join(all, ", "), "never")
}

// lives tells where the stage's files are.
func lives(s *promotion.Stage) string {
	if s.Files == (promotion.Branch{}) {
		return "the branch of the pipeline"
	}
	return code(s.Files.String())
}

// filesOf describes the files of the stage.
func filesOf(s *promotion.Stage) string {
	var all []string
	if s.Delivery == promotion.DeliveryWorkflow {
		all = append(all, "no file, it starts "+code(s.Dispatch.Workflow))
	}
	for _, c := range s.Changes() {
		all = append(all, code(c.Files.File(c.Path)))
	}
	if s.Whole() {
		return "everything"
	}
	for _, c := range s.Copies() {
		all = append(all, code(c.Files.File(c.Path)+"/"))
	}
	return cmp.Or(strings.Join(all, ", "), "nothing")
}

// awaited describes the verification of the stage.
func awaited(s *promotion.Stage) string { return cmp.Or(matchers(s.Verify()), "nothing") }

// matchers describes a list of matchers; "" if there is none.
func matchers(list []promotion.Matcher) string {
	var all []string
	for _, m := range list {
		all = append(all, string(m.Kind)+" "+code(m.Pattern))
	}
	return strings.Join(all, ", ")
}

// readiness describes the conditions of targets before they take part.
func readiness(s *promotion.Stage) string {
	var all []string
	conditions, _ := s.Conditions()
	for _, c := range conditions {
		all = append(all, string(c.Kind)+" "+code(c.Name))
	}
	return cmp.Or(strings.Join(all, ", "), "nothing")
}
