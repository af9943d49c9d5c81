package story

import (
	"encoding/json"
	"fmt"
	"io"

	"waybill/promotion"
)

// jsonStep is one step of a story as a line of JSON.
type jsonStep struct {
	Story     string        `json:"story"`
	Line      int           `json:"line"`
	Happening string        `json:"happening"`
	AsWritten bool          `json:"asWritten"`
	Outcomes  []jsonOutcome `json:"outcomes"`
}

// jsonOutcome is one outcome: its text in the notation of stories, and its parts.
type jsonOutcome struct {
	Text      string           `json:"text"`
	After     string           `json:"after,omitempty"`
	Where     string           `json:"where"`
	Promotion promotion.Number `json:"promotion,omitempty"`
	Freight   string           `json:"freight,omitempty"`
	Class     promotion.Class  `json:"class,omitempty"`
	Acts      []jsonAct        `json:"acts"`
	Because   []string         `json:"because,omitempty"`
}

type jsonAct struct {
	Word string   `json:"word"`
	Args []string `json:"args,omitempty"`
}

// WriteJSON writes each step of a played story as one line of JSON, which also says whether the outcomes are as
// written.
func WriteJSON(to io.Writer, written, played Story) error {
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	for i, step := range played.Steps {
		err := lines.Encode(jsonStep{
			Story: played.Name, Line: step.Line, Happening: step.source(),
			AsWritten: sameOutcomes(written.Steps[i], step), Outcomes: jsonOutcomes(step.Outcomes),
		})
		if err != nil {
			return fmt.Errorf("write step %d of %s: %w", i+1, played.Name, err)
		}
	}
	return nil
}

func sameOutcomes(a, b Step) bool {
	if len(a.Outcomes) != len(b.Outcomes) {
		return false
	}
	for i := range a.Outcomes {
		if a.Outcomes[i].String() != b.Outcomes[i].String() {
			return false
		}
	}
	return true
}

func jsonOutcomes(outcomes []Outcome) []jsonOutcome {
	all := make([]jsonOutcome, len(outcomes))
	for i, o := range outcomes {
		all[i] = jsonOutcome{
			Text: o.String(), Where: o.Where, Promotion: o.Promotion, Freight: o.Freight, Class: o.Class,
		}
		if o.Timed {
			all[i].After = promotion.Brief(o.Offset)
		}
		for _, a := range o.Acts {
			all[i].Acts = append(all[i].Acts, jsonAct(a))
		}
		if !o.Because.IsZero() {
			all[i].Because = append([]string{string(o.Because.Code)}, o.Because.Args...)
		}
	}
	return all
}
