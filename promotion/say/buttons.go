package say

import (
	"unicode/utf8"

	"waybill/promotion"
)

// Button is a button of a check run that is completed, or of a message in Slack.
type Button struct {
	Verb  promotion.CommandVerb
	Label string // at most 20 characters, which is GitHub's limit
	Does  string // at most 40
}

var buttonsOf = map[promotion.CommandVerb]Button{
	promotion.CmdApprove:  {promotion.CmdApprove, "Approve", "Sign off what the pull request shows"},
	promotion.CmdDeny:     {promotion.CmdDeny, "Deny", "Refuse it: its promotion ends"},
	promotion.CmdHold:     {promotion.CmdHold, "Hold", "Stop the stage"},
	promotion.CmdRollback: {promotion.CmdRollback, "Roll back", "Go back to what was good before"},
	promotion.CmdRetry:    {promotion.CmdRetry, "Retry", "Promote it again"},
	promotion.CmdCancel:   {promotion.CmdCancel, "Cancel", "End its promotion"},
}

// onCheck returns the button with the stage that it is about, unless that is too long for a check run.
func (b Button) onCheck(stage promotion.StageName) Button {
	const maxLabel = 20
	if label := b.inSlack(stage); utf8.RuneCountInString(label) <= maxLabel {
		b.Label = label
	}
	return b
}

// inSlack is what the button says in Slack, where there is more room.
func (b Button) inSlack(stage promotion.StageName) string { return b.Label + " " + string(stage) }

// Buttons returns the buttons for a freight's place in its stage, three at most. Good freight that has left keeps its
// Rollback, and what that means is asked when it is pressed: else the check runs of all older freight would change
// whenever something newer arrives.
func Buttons(at promotion.FreightStatus) []Button {
	var verbs []promotion.CommandVerb
	switch p := at.Promotion; {
	case p == nil:
	case WaitsForSignOff(at):
		verbs = []promotion.CommandVerb{promotion.CmdApprove, promotion.CmdDeny, promotion.CmdHold}
	case p.State.Ended():
		if at.BackTo != "" || at.Good() && !at.Hosted && !at.TakenAway() {
			verbs = append(verbs, promotion.CmdRollback)
		}
		if at.Retries {
			verbs = append(verbs, promotion.CmdRetry)
		}
		if len(verbs) > 0 {
			verbs = append(verbs, promotion.CmdHold)
		}
	}
	all := make([]Button, len(verbs))
	for i, v := range verbs {
		all[i] = buttonsOf[v].onCheck(at.Promotion.Stage)
	}
	return all
}

// WaitsForSignOff reports whether the promotion waits for people to sign it off.
func WaitsForSignOff(s promotion.FreightStatus) bool {
	return s.Place == promotion.PlaceOpen && s.Reason.Code == promotion.Unapproved
}
