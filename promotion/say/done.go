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

// RejectReport says what a person's reject means, and what ends it.
func RejectReport(r promotion.Reject, p *promotion.Pipeline) Report {
	place, in := "everywhere", ""
	who := "No stage vouches for it any more, and none behind another one takes it, `/admit` or not."
	if r.Stage != "" {
		place, in = "in "+string(r.Stage), " "+string(r.Stage)
		who = string(r.Stage) + " vouches for it no more, and stages behind it take it from there no more, `/admit` or not."
	}
	later := "The same is true of later freight of " + string(r.Freight.Warehouse) + ", which contains it"
	if w := p.Warehouse(r.Freight.Warehouse); w == nil || w.Kind != promotion.FromPulls && w.Kind != promotion.FromPushes {
		later += " as far as Waybill knows"
	}
	return Report{
		Title: fmt.Sprintf("%s is rejected %s.", r.Freight.Name, place),
		Notes: []string{"The reason: " + r.Text, who,
			later + ". `/fixes FREIGHT" + in + "` names the freight that repairs it."},
		Next: "/unreject " + r.Freight.Name + in,
	}
}

// RollbackReport says which promotion takes a stage back, and that the stage stays held.
func RollbackReport(stage promotion.StageName, p *promotion.Promotion) Report {
	return Report{
		Title: fmt.Sprintf("%s goes back to %s, by promotion %s.", stage, cmp.Or(p.Freight.Name, "what was there"), p.Number),
		Notes: []string{"Once it is there the stage is held, so that automation does not undo it, until somebody lifts the " +
			"hold."},
	}
}
