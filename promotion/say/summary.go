package say

import (
	"fmt"
	"strings"

	"waybill/promotion"
)

// worth is the order in which the states of targets are listed: first those that a person may have to look at.
var worth = []promotion.TargetState{promotion.TargetFailed, promotion.TargetUpdating, promotion.TargetWaiting,
	promotion.TargetSkipped, promotion.TargetRemoved, promotion.TargetToCome, promotion.TargetVerified}

// whichStand lists in Markdown which targets stand how, and why those have failed that have; some of each are named.
func whichStand(targets []promotion.TargetStatus) string {
	var b strings.Builder
	for _, state := range worth {
		var names []string
		for _, t := range targets {
			if t.State == state {
				names = append(names, code(string(t.Target))+around(" (", markdown(t.Cause), ")"))
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", state, strings.Join(promotion.FirstOf(names), ", "))
		}
	}
	return b.String()
}

// String says it in a line, such as "12/40 verified, 2 updating, 1 failed, 3 waiting, 22 to come"; "" if there are
// none.
func String(t promotion.Summary) string {
	if t.All == 0 {
		return ""
	}
	line := fmt.Sprintf("%d/%d verified", t.Verified, t.All)
	for _, one := range []struct {
		n     int
		state promotion.TargetState
	}{{t.Updating, promotion.TargetUpdating}, {t.Failed, promotion.TargetFailed}, {t.Waiting, promotion.TargetWaiting},
		{t.Skipped, promotion.TargetSkipped}, {t.Removed, promotion.TargetRemoved},
		{t.ToCome, promotion.TargetToCome}} {
		if one.n > 0 {
			line += fmt.Sprintf(", %d %s", one.n, one.state)
		}
	}
	return line
}
