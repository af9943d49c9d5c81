package promotion

// Button is what a person can press on a check run that is completed.
type Button struct {
	Verb  CommandVerb
	Label string // at most 20 characters, which is what GitHub takes
	Does  string // at most 40
}

var buttons = map[CommandVerb]Button{
	CmdApprove:  {CmdApprove, "Approve", "Sign off what the pull request shows"},
	CmdDeny:     {CmdDeny, "Deny", "Refuse it: its promotion ends"},
	CmdHold:     {CmdHold, "Hold", "Stop the stage"},
	CmdRollback: {CmdRollback, "Rollback", "Go back to what was good before"},
	CmdRetry:    {CmdRetry, "Retry", "Promote it again"},
}

// Buttons returns what fits where a freight stands in its stage, three at most. Whether the stage still hosts it is asked
// when a button is pressed: else the check runs of all older freight would change whenever something newer arrives.
func Buttons(at Standing) []Button {
	var verbs []CommandVerb
	switch p := at.Promotion; {
	case p == nil:
	case at.WaitsForSignOff():
		verbs = []CommandVerb{CmdApprove, CmdDeny, CmdHold}
	case p.State.Ended():
		if p.State == Succeeded || p.State == VerificationFailed {
			verbs = append(verbs, CmdRollback)
		}
		if p.State == Failed || p.State == Declined || p.State == VerificationFailed {
			verbs = append(verbs, CmdRetry)
		}
		if len(verbs) > 0 {
			verbs = append(verbs, CmdHold)
		}
	}
	all := make([]Button, len(verbs))
	for i, v := range verbs {
		all[i] = buttons[v]
	}
	return all
}

// WaitsForSignOff reports whether people have to sign off what waits.
func (s Standing) WaitsForSignOff() bool { return s.Place == PlaceOpen && s.Reason.Code == Unapproved }

// PressText is the answer to a button, which its check run shows from then on.
func PressText(r Request, outcome string, why Reason) string {
	return "**" + Plain(string(r.By.Login)) + "** pressed " + code(string(r.Command.Verb)) + " at " + moment(r.At) + ". " + ReplyText(outcome, why)
}
