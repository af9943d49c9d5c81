package say

import (
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
)

// Part is the answer of one stage to a command that was given to several.
type Part struct {
	Stage   promotion.StageName
	Outcome promotion.Code
	Said    Report  // what was done, if it was
	Refusal Refusal // else
}

// words is the answer of the stage alone, without what all stages were asked.
func (p Part) words(verb promotion.CommandVerb) string {
	switch {
	case p.Outcome != promotion.Done:
		p.Refusal.Asked = promotion.Command{}
		return p.Refusal.Words()
	case verb == promotion.CmdUnhold: // what else holds the stage
		return strings.Join(append([]string{p.Said.Title}, p.Said.Notes...), " ")
	}
	return p.Said.Title
}

// TogetherReport answers a command that was given to several stages: how many have carried it out, and the answer of
// each, those that have refused it first.
func TogetherReport(r promotion.Request, parts []Part) Report {
	c := r.Command
	report := Report{Head: []string{"Stage", "Answer"}, Folds: true}
	counts := map[promotion.Code]int{}
	for _, outcome := range []promotion.Code{promotion.Refused, promotion.Done, promotion.Already} {
		for _, p := range parts {
			if p.Outcome == outcome {
				counts[outcome]++
				report.Rows = append(report.Rows, []string{string(p.Stage), p.words(c.Verb)})
			}
		}
	}
	report.Title = fmt.Sprintf("%s names %d stages: %d %s", c.Stages, len(parts), counts[promotion.Done], didTo(c.Verb))
	if n := counts[promotion.Already]; n > 0 {
		report.Title += fmt.Sprintf(", %d with nothing to do", n)
	}
	if n := counts[promotion.Refused]; n > 0 {
		report.Title += fmt.Sprintf(", %d refused", n)
	}
	report.Title += "."
	did := slices.IndexFunc(parts, func(p Part) bool { return p.Outcome == promotion.Done })
	if did >= 0 && c.Verb != promotion.CmdCancel { // what takes a hold back is the same everywhere
		report.Undo = strings.Replace(parts[did].Said.Undo, " "+string(parts[did].Stage), " "+c.Stages, 1)
	}
	if did >= 0 && c.Verb == promotion.CmdHold {
		report.Notes = parts[did].Said.Notes
	} else {
		report.note(after("The reason: ", c.Text))
	}
	return report
}

// didTo says what a command does to a stage.
func didTo(verb promotion.CommandVerb) string {
	return map[promotion.CommandVerb]string{
		promotion.CmdHold: "held", promotion.CmdUnhold: "lifted", promotion.CmdCancel: "cancelled",
	}[verb]
}

// Hidden says which of several stages a question is not answered for, because the person may not ask about them.
func (r *Report) Hidden(stages []promotion.StageName) {
	if len(stages) > 0 {
		r.note("Not shown, because you may not ask about them: " +
			strings.Join(promotion.FirstOf(promotion.Texts(stages)), ", "))
	}
}
