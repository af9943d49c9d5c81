package say

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

// lowered tells which gates of stages would ask for less than now, each in a line. Then it tells which floors would,
// that no gate of their stage follows.
func (p Proposal) lowered() (lines []string) {
	for _, is := range p.After.Stages {
		was := p.Before.Stage(is.Name)
		if was == nil {
			continue
		}
		gates := promotion.GatesOf(was).Lowered(promotion.GatesOf(is))
		for _, low := range gates {
			lines = append(lines, lowering(is, low, "the gate is **lower**"))
		}
		for _, low := range promotion.FloorOf(was).Lowered(promotion.FloorOf(is)) {
			if !slices.Contains(gates, low) {
				lines = append(lines, lowering(is, low, "the policy's floor is **lower**"))
			}
		}
	}
	return lines
}

// lowering says in Markdown which gate of a stage asks for less, and what it asks for.
func lowering(s *promotion.Stage, low promotion.Lowering, what string) string {
	gate := low.Gate
	switch {
	case low.Warehouse != "" && len(s.From) > 1:
		gate += " of " + code(string(low.Warehouse))
	case low.Target != "":
		gate += " of " + code(string(low.Target))
	}
	return fmt.Sprintf("⚠️ %s: %s: %s %s, was %s", code(string(s.Name)), what, gate, code(low.Is), code(low.Was))
}
