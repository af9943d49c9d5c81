package say

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// batched tells in Markdown in which batches a promotion into the stage goes through its targets.
func batched(s *promotion.Stage) string {
	switch {
	case !s.Rolls():
		return "everything at once"
	case s.Strategy.External:
		return "one target after the other, each when somebody asks for it" + back(s) + whenTargetsFail(s)
	}
	var all []string
	for _, b := range s.Strategy.Batches {
		all = append(all, fmt.Sprintf("%s (%s)%s", code(b.Name), cells(promotion.FirstOf(promotion.Texts(b.Targets))),
			paceAfter(&b)))
	}
	text := strings.Join(all, "; ")
	if s.Strategy.PerTarget {
		text += "; a pull request for each target"
	}
	return text + back(s) + whenTargetsFail(s)
}

// back tells how rollbacks go through the targets, as the end of a sentence; "" if by the batches.
func back(s *promotion.Stage) string {
	if s.Strategy.BackAtOnce == 0 {
		return ""
	}
	return fmt.Sprintf("; rollbacks take %d at once", s.Strategy.BackAtOnce)
}

// whenTargetsFail describes the reaction of the rollout to failures, as the end of a sentence; "": it ends with the
// first.
func whenTargetsFail(s *promotion.Stage) string {
	switch {
	case s.Strategy.Beyond == promotion.BeyondContinues:
		return "; goes on when targets fail"
	case s.Strategy.Beyond == promotion.BeyondRollsBack:
		return fmt.Sprintf("; goes back when more than %d fail", s.Strategy.MaxFailures)
	case s.Strategy.MaxFailures > 0:
		return fmt.Sprintf("; ends when more than %d fail", s.Strategy.MaxFailures)
	}
	return ""
}

// Pace tells how fast the targets of a batch are updated; "" if it is one at a time.
func Pace(b *promotion.Batch) string { return strings.TrimPrefix(paceAfter(b), ", ") }

// pace tells how fast the targets of a batch are updated, as the end of a sentence.
func paceAfter(b *promotion.Batch) string {
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
