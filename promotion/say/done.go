package say

import (
	"cmp"
	"fmt"

	"waybill/promotion"
)

// HoldReport says what a person's hold stops, until when, and how to let it go. What stops is read leniently, so the
// answer says how it was understood. of is the home of the pipeline.
func HoldReport(h promotion.Hold, of promotion.Repo) Report {
	place, next := string(h.Stage), "/unhold "+string(h.Stage)
	switch {
	case h.Stage == "":
		place, next = "Every stage of "+string(of), "/unhold --all"
	case h.Target != "":
		place, next = place+"/"+string(h.Target), next+"/"+string(h.Target)
	}
	end := "without end"
	if !h.Until.IsZero() {
		end = fmt.Sprintf("until %s (for %s)", moment(h.Until), promotion.Brief(h.Until.Sub(h.At)))
	}
	report := Report{Title: fmt.Sprintf("%s is held, %s.", place, end), Next: next}
	if h.Text != "" {
		report.Notes = append(report.Notes, "The reason: "+h.Text)
	}
	return report
}

// RollbackReport says which promotion takes a stage back, and that the stage stays held.
func RollbackReport(stage promotion.StageName, p *promotion.Promotion) Report {
	return Report{
		Title: fmt.Sprintf("%s goes back to %s, by promotion %s.", stage, cmp.Or(p.Freight.Name, "what was there"), p.Number),
		Notes: []string{"Once it is there the stage is held, so that automation does not undo it, until somebody lifts the " +
			"hold."},
	}
}
