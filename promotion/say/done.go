package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
)

// Deed is a command that has been carried out, with what its answer tells.
type Deed struct {
	Request promotion.Request
	Home    promotion.Repo          // of the pipeline
	Zone    *time.Location          // of its clocks; nil: its file names none
	At      promotion.FreightStatus // of the promotion that it was about, as things are now; of /admit: of the freight
	Holds   []promotion.Hold        // that stand now in the stage, or in all stages
	Hold    promotion.Hold          // of /hold
	Lifted  []promotion.Hold        // of /unhold: those of just what it named
	Expires time.Time               // of a sign-off or an admission; the zero time if it counts no more
	Undo    promotion.Command       // the command that would take it back now; without a verb there is none
	Why     promotion.Reason        // that the answer had: what else was done
}

// Report answers the command: what was done, to what, until when, and how to undo it.
func (d Deed) Report() Report {
	c, by := d.Request.Command, string(d.Request.By.Login)
	freight, number := cmp.Or(d.At.Name, c.Freight, "what is there"), d.number()
	report := Report{}
	switch c.Verb {
	case promotion.CmdHold:
		report = HoldReport(d.Hold, d.Home)
		if command.ByClock(c, d.Hold) {
			report.note(clocks(d.Zone))
		}
		return report
	case promotion.CmdRollback:
		report = RollbackReport(c, d.At)
	case promotion.CmdPromote:
		report.Title = fmt.Sprintf("%s goes to %s, by promotion %s.", freight, c.Place(), number)
		if d.At.Promotion != nil && d.At.Promotion.Early {
			report.Title = fmt.Sprintf("%s goes to %s once it may, by promotion %s.", freight, c.Place(), number)
			report.note("That ends when newer freight is promoted there, or with /cancel p" + number)
		}
	case promotion.CmdRetry:
		report.Title = fmt.Sprintf("%s goes to %s once more, by promotion %s.", freight, c.Stage, number)
	case promotion.CmdApprove:
		if c.Withdraw {
			report.Title = fmt.Sprintf("%s has taken back the sign-off of promotion %s, %s to %s.", by, number, freight, c.Stage)
			break
		}
		report.Title = fmt.Sprintf("%s has signed off promotion %s, %s to %s%s.", by, number, freight, c.Stage, d.until())
		report.note(fmt.Sprintf("The sign-off is void if what would be merged changes. /approve %s --withdraw takes it "+
			"back, and /deny %s ends the promotion", c.Stage, c.Stage))
	case promotion.CmdDeny:
		report.Title = fmt.Sprintf("%s denied promotion %s, %s to %s; it has ended.", by, number, freight, c.Stage)
	case promotion.CmdCancel:
		report.Title = fmt.Sprintf("Promotion %s, %s to %s, is cancelled.", number, freight, c.Stage)
	case promotion.CmdAdmit:
		report.Title = fmt.Sprintf("%s is available to %s%s.", freight, c.Stage, d.until())
		report.note(fmt.Sprintf("An admission is not taken back; /hold %s keeps it from starting", c.Stage))
	case promotion.CmdUnreject:
		report.Title = fmt.Sprintf("%s is rejected no more%s.", freight, after(" in ", string(c.Stage)))
	case promotion.CmdFixes:
		report.Title = fmt.Sprintf("%s repairs what was rejected%s: it and later freight are taken again.", freight,
			after(" in ", string(c.Stage)))
	case promotion.CmdUnhold:
		report.Title = fmt.Sprintf("The hold of %s is lifted.", d.place("every stage", "freight"))
		switch {
		case slices.ContainsFunc(d.Holds, d.staysHeld):
			report.Title = fmt.Sprintf("%s stays held; %s.", d.place("Every stage", "Freight"), d.lifted())
		case c.Stage == "" && len(d.Holds) > 0:
			report.Title = "The hold of every stage is lifted; some stages have holds of their own."
		}
		if !d.Why.IsZero() {
			report.note(capital(Sentence(d.Why)))
		}
		for _, h := range d.Lifted {
			if !h.By.Is(d.Request.By) {
				report.note(cmp.Or(string(h.Stage), "Every stage") + " was " + HoldSentence(h))
			}
		}
	case promotion.CmdPause:
		report.Title = fmt.Sprintf("The rollout of %s in %s is paused until somebody resumes it.", freight, c.Stage)
	case promotion.CmdResume:
		report.Title = fmt.Sprintf("The rollout of %s in %s goes on.", freight, c.Stage)
	case promotion.CmdSkip:
		report.Title = fmt.Sprintf("The rollout of %s leaves out %s.", freight, c.Place())
	case promotion.CmdVerify:
		report.Title = fmt.Sprintf("GitHub was asked again about %s in %s.", freight, c.Stage)
	case promotion.CmdVerdict:
		verdict := "bad"
		if c.Pass {
			verdict = "good"
		}
		report.Title = fmt.Sprintf("%s has decided that %s in %s is %s.", by, freight, c.Stage, verdict)
	default:
		report.Title = fmt.Sprintf("%s is done.", command.Write(c))
	}
	report.note(after("The reason: ", c.Text))
	d.now(&report)
	if d.Undo.Verb != "" {
		report.Undo = command.Write(d.Undo)
	}
	return report
}

// now adds how things are by now.
func (d Deed) now(report *Report) {
	if d.At.Promotion != nil {
		report.note("Now: " + Title(d.At) + after(", "+clock(d.At)+" ", moment(d.At.Until)))
	}
	switch d.Request.Command.Verb {
	case promotion.CmdUnhold, promotion.CmdPromote, promotion.CmdRetry, promotion.CmdAdmit:
		for _, h := range d.Holds {
			report.note(cmp.Or(string(h.Stage), "Every stage") + " is " + HoldSentence(h) + lifting(h))
		}
	}
}

// number is that of the promotion that the command was about.
func (d Deed) number() string {
	if d.At.Promotion == nil {
		return ""
	}
	return d.At.Promotion.Number.String()
}

// until says how long an approval counts.
func (d Deed) until() string { return after(", until ", moment(d.Expires)) }

// staysHeld reports whether a hold is of the same place as the one that was lifted.
func (d Deed) staysHeld(h promotion.Hold) bool {
	c := d.Request.Command
	return h.Stage == c.Stage && h.Target == c.Target && strings.EqualFold(string(h.Warehouse), c.Rest)
}

// lifted counts the holds that were lifted.
func (d Deed) lifted() string {
	if len(d.Lifted) > 1 {
		return fmt.Sprintf("%d holds are lifted", len(d.Lifted))
	}
	return "one hold is lifted"
}

// place is what the command was about: a stage, a target, freight of a warehouse, or all stages, in these words.
func (d Deed) place(all, freight string) string {
	c := d.Request.Command
	if c.Stage != "" && c.Rest != "" {
		return freight + " of " + c.Rest + " in " + string(c.Stage)
	}
	return cmp.Or(c.Place(), all+" of "+string(d.Home))
}

// HoldReport says what a person's hold stops, until when, and how to lift it. What stops is read leniently, so the
// answer says how it was understood. of is the home of the pipeline.
func HoldReport(h promotion.Hold, of promotion.Repo) Report {
	place, undo := string(h.Stage), "/unhold "+string(h.Stage)
	switch {
	case h.Stage == "":
		place, undo = "Every stage of "+string(of), "/unhold --all"
	case h.Target != "":
		place, undo = place+"/"+string(h.Target), undo+"/"+string(h.Target)
	case h.Warehouse != "":
		place, undo = "Freight of "+string(h.Warehouse)+" in "+place, undo+" "+string(h.Warehouse)
	}
	end := " until somebody lifts the hold"
	if !h.Until.IsZero() {
		end = fmt.Sprintf(", until %s (for %s)", moment(h.Until), promotion.Brief(h.Until.Sub(h.At)))
	}
	report := Report{Title: fmt.Sprintf("%s is held%s.", place, end), Undo: undo}
	if h.Text != "" {
		report.Notes = append(report.Notes, "The reason: "+h.Text)
	}
	return report
}

// clocks says whose clocks a person meant.
func clocks(zone *time.Location) string {
	if zone == nil {
		return "The time was read as UTC, because the pipeline file has no `timezone`."
	}
	return "The time was read as that of " + zone.String() + ", the pipeline's `timezone`."
}

// RejectReport says what a person's reject means, and what ends it.
func RejectReport(r promotion.Reject, p *promotion.Pipeline) Report {
	place, in := "everywhere", ""
	who := "No stage counts it as verified any more. No stage behind another takes it, not even with `/admit`."
	if r.Stage != "" {
		place, in = "in "+string(r.Stage), " "+string(r.Stage)
		who = string(r.Stage) + " no longer counts it as verified. Stages behind it no longer take it from there, not even " +
			"with `/admit`."
	}
	later, contains := "The same is true of later freight of "+string(r.Freight.Warehouse), ", which contains it"
	if w := p.Warehouse(r.Freight.Warehouse); w == nil || w.Kind != promotion.FromPulls && w.Kind != promotion.FromPushes {
		contains = "; whether that contains it Waybill does not check"
	}
	return Report{
		Title: fmt.Sprintf("%s is rejected %s.", r.Freight.Name, place),
		Notes: []string{"The reason: " + r.Text, who,
			later + contains + ". `/fixes FREIGHT" + in + "` names the freight that repairs it."},
		Undo: "/unreject " + r.Freight.Name + in,
	}
}

// heldThen is what a rollback holds: freight of its warehouse, or, in these words, the whole stage.
func heldThen(at promotion.FreightStatus, whole string) string {
	if at.Stage != nil && at.Promotion != nil && at.Stage.Holds(at.Promotion.Freight.Warehouse) != "" {
		return "freight of " + string(at.Promotion.Freight.Warehouse)
	}
	return whole
}

// RollbackReport says which promotion takes a stage or a target back, and that the stage stays held.
func RollbackReport(c promotion.Command, at promotion.FreightStatus) Report {
	report := Report{Title: fmt.Sprintf("%s goes back to %s", c.Place(), cmp.Or(at.Name, "what was there"))}
	if at.Promotion != nil {
		report.Title += ", by promotion " + at.Promotion.Number.String()
	}
	report.Title += "."
	report.note("Once it is there " + heldThen(at, "the stage") + " is held, so that automation does not undo it; " +
		"/unhold " + string(c.Stage) + " lets automation go on.")
	return report
}
