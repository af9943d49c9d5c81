package promotion

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// contrast is one way in which a stage differs between two versions of the pipeline files, in words that are ready to
// stand in Markdown.
type contrast struct{ What, Before, After string }

// contrasts tells how a stage differs between two pipelines. What has no words of its own is told as one.
func contrasts(before, after *Stage) []contrast {
	was, is := before.aspects(), after.aspects()
	var found []contrast
	for i := range was {
		if was[i].After != is[i].After {
			found = append(found, contrast{What: is[i].What, Before: was[i].After, After: is[i].After})
		}
	}
	if !reflect.DeepEqual(before.rest(after), after.rest(before)) {
		found = append(found, contrast{What: "other settings"})
	}
	return found
}

// rest is the stage without what its aspects tell. Of what it changes and of what verifies it they tell no details.
func (s *Stage) rest(other *Stage) Stage {
	c := *s
	c.Index, c.From, c.Automatic, c.Merge, c.Direct, c.Approvals, c.Queue, c.OnFailedVerification, c.Drift, c.Guard, c.Files = 0, nil, false, "", false, 0, "", "", "", false, Branch{}
	if s.files() != other.files() {
		c.Changes, c.Copies, c.Dispatch = nil, nil, nil
	}
	if s.Batched() != other.Batched() || s.files() != other.files() || s.awaited() != other.awaited() || s.readiness() != other.readiness() {
		c.Targets, c.Batches, c.MaxFailures, c.Beyond, c.External, c.PerTarget = nil, nil, 0, "", false, false
	}
	if s.awaited() != other.awaited() {
		c.Verify = nil
	}
	return c
}

// aspects are what people know a stage by, each in words.
func (s *Stage) aspects() []contrast {
	who := "people promote"
	if s.Automatic {
		who = "promotes by itself"
	}
	return []contrast{
		{What: "takes", After: s.gates()},
		{What: "changes", After: s.files()},
		{What: "files on", After: s.lives()},
		{What: "verified by", After: s.awaited()},
		{What: "ready with", After: s.readiness()},
		{What: "rollout", After: s.Batched()},
		{What: "promotion", After: who},
		{What: "merge", After: s.merging()},
		{What: "sign-offs", After: fmt.Sprint(s.Approvals)},
		{What: "queue", After: string(s.Queue)},
		{What: "after a failed verification", After: string(s.OnFailedVerification)},
		{What: "drift", After: string(s.Drift)},
		{What: "people's changes of its files wait", After: fmt.Sprint(s.Guard)},
	}
}

// merging tells how a promotion comes onto the branch.
func (s *Stage) merging() string {
	if s.Direct {
		return "none, it is committed directly"
	}
	return string(s.Merge)
}

// gates tells what the stage takes, and what must be true of it first.
func (s *Stage) gates() string {
	var all []string
	for _, from := range s.From {
		all = append(all, code(string(from.Warehouse))+" "+from.After.words())
	}
	return strings.Join(all, ", ")
}

// words tells what a gate asks for.
func (g *Gate) words() string {
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

// lives tells where the stage's files are.
func (s *Stage) lives() string {
	if s.Files == (Branch{}) {
		return "the branch of the pipeline"
	}
	return code(s.Files.String())
}

// files tells what the stage rewrites.
func (s *Stage) files() string {
	var all []string
	if s.Dispatch != nil {
		all = append(all, "no file, it starts "+code(s.Dispatch.Workflow))
	}
	for _, c := range s.Changes {
		all = append(all, code(fileOn(c.Files, c.Path)))
	}
	if s.Whole() {
		return "everything"
	}
	for _, c := range s.Copies {
		all = append(all, code(fileOn(c.Files, c.Path)+"/"))
	}
	return cmp.Or(strings.Join(all, ", "), "nothing")
}

// awaited tells what verifies the stage.
func (s *Stage) awaited() string {
	var all []string
	for _, m := range s.Verify {
		all = append(all, string(m.Kind)+" "+code(m.Pattern))
	}
	return cmp.Or(strings.Join(all, ", "), "nothing")
}

// readiness tells what targets must show before they take part.
func (s *Stage) readiness() string {
	var all []string
	conditions, _ := s.Conditions()
	for _, c := range conditions {
		all = append(all, string(c.Kind)+" "+code(c.Name))
	}
	return cmp.Or(strings.Join(all, ", "), "nothing")
}
