package promotion

import (
	"fmt"
	"strings"
)

// Batched tells in Markdown in which batches a promotion into the stage goes through its targets.
func (s *Stage) Batched() string {
	switch {
	case !s.Rolls():
		return "everything at once"
	case s.External:
		return "one target after the other, each when somebody asks for it" + s.whenTargetsFail()
	}
	var all []string
	for _, b := range s.Batches {
		all = append(all, fmt.Sprintf("%s (%s)%s", code(b.Name), cells(firstOf(texts(b.Targets))), b.pace()))
	}
	text := strings.Join(all, "; ")
	if s.PerTarget {
		text += "; a pull request for each target"
	}
	return text + s.whenTargetsFail()
}

// whenTargetsFail tells what becomes of the rollout, as the end of a sentence; "" is that it ends with the first.
func (s *Stage) whenTargetsFail() string {
	switch {
	case s.Beyond == BeyondContinues:
		return "; goes on when targets fail"
	case s.Beyond == BeyondRollsBack:
		return fmt.Sprintf("; goes back when more than %d fail", s.MaxFailures)
	case s.MaxFailures > 0:
		return fmt.Sprintf("; ends when more than %d fail", s.MaxFailures)
	}
	return ""
}

// Pace tells how fast the targets of a batch are updated; "" if it is one at a time.
func (b *Batch) Pace() string { return strings.TrimPrefix(b.pace(), ", ") }

// pace tells how fast the targets of a batch are updated, as the end of a sentence.
func (b *Batch) pace() string {
	text := ""
	if b.Approvals > 0 {
		text += fmt.Sprintf(", once %d have signed off", b.Approvals)
	}
	if b.AtOnce > 1 {
		text += fmt.Sprintf(", %d at once", b.AtOnce)
	}
	if b.Wait > 0 {
		text += ", then a wait of " + b.Wait.String()
	}
	return text
}

// maxNamed is how many targets of a batch are named.
const maxNamed = 10

// firstOf returns the first of many names, and how many there are besides.
func firstOf(names []string) []string {
	if more := len(names) - maxNamed; more > 0 {
		return append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return names
}
