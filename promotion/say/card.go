package say

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
)

// Card is a promotion as a message in a chat shows it, in Slack's Markdown.
type Card struct {
	Text     string // all of it in one line
	Body     string
	Small    string
	Buttons  []CardButton
	Pipeline int64 // whose command a button gives
}

// CardButton is a command that can be given by pressing something.
type CardButton struct {
	Verb  promotion.CommandVerb
	Words string // what the button says, with its stage
	Seen  string // the state that the card shows: the command counts only as long as it lasts
	Ask   string // the question to confirm before it counts
}

// Asks reports whether the card asks for a sign-off.
func (c Card) Asks() bool {
	return slices.ContainsFunc(c.Buttons, func(b CardButton) bool { return b.Verb == promotion.CmdApprove })
}

// CardOf says where a promotion of the pipeline stands, and, if its stage shows it, which commands fit.
func CardOf(pipeline *promotion.Pipeline, at promotion.FreightStatus) Card {
	p := at.Promotion
	what := fmt.Sprintf("%s to %s", p.Freight.Name, p.Stage)
	c := Card{
		Pipeline: pipeline.ID,
		Text:     Mrkdwn(what + ": " + Title(at)),
		Body:     fmt.Sprintf("*%s* to *%s*: %s", Mrkdwn(p.Freight.Name), Mrkdwn(string(p.Stage)), Mrkdwn(Title(at))),
		Small: fmt.Sprintf("Promotion %d, %s%s", p.Number, p.Class,
			after(", asked for by ", Mrkdwn(string(p.By.Login)))),
	}
	if at.Rejection == nil {
		c.Small += after(", "+clock(at)+" ", moment(at.Until))
	}
	if WaitsForSignOff(at) {
		c.Body += cardNotes(p, at.Notes) + around("\n", signersOut(at, at.Notes, Mrkdwn), ".")
	}
	c.Body += after("\n", letsGo(at.LetsGo, Mrkdwn, "/waybill "))
	c.Small += after(", ", CardLinks(at))
	if at.Seen == "" {
		return c
	}
	for _, verb := range cardVerbs(at) {
		ask := strings.ToUpper(string(verb[:1])) + string(verb[1:]) + " " + what + "?"
		switch {
		case verb == promotion.CmdRollback && at.BackTo == "":
			continue // there is nothing to go back to
		case verb == promotion.CmdRollback:
			ask = fmt.Sprintf("Take %s back from %s to %s, and hold %s then?", p.Stage, p.Freight.Name, at.BackTo,
				heldThen(at, "it"))
		case verb == promotion.CmdHold:
			ask = fmt.Sprintf("Hold %s until somebody lifts the hold?", p.Stage)
		}
		c.Buttons = append(c.Buttons, CardButton{verb, buttonsOf[verb].inSlack(p.Stage), at.Seen, ask})
	}
	return c
}

// RecoveredCard says below the message about a promotion that failed that its stage is good again; false if it is not.
func RecoveredCard(at promotion.FreightStatus) (Card, bool) {
	p := at.Promotion
	if p == nil || at.Recovered.IsZero() {
		return Card{}, false
	}
	text := Mrkdwn(fmt.Sprintf("%s is good again: %s. Promotion %d of %s had failed there", p.Stage,
		Sentence(at.Recovered), p.Number, p.Freight.Name))
	return Card{Text: text, Body: text, Small: CardLinks(at)}, true
}

// CardLinks are the links of a card, in Slack's Markdown: to where the promotion can be seen, and to what it failed by.
func CardLinks(at promotion.FreightStatus) string {
	var all []string
	for _, l := range []promotion.Link{at.Link, details(at)} {
		if l.URL != "" {
			all = append(all, mrkdwnLink(l.URL, l.What))
		}
	}
	return strings.Join(all, ", ")
}

// cardNotes says in Slack's Markdown what somebody signs off: where the stage goes, what comes along, and which values
// change.
func cardNotes(p *promotion.Promotion, n *promotion.Notes) string {
	if n == nil {
		return ""
	}
	text := "\n" + arrow(n, p.Freight.Name, Mrkdwn)
	if url := Compare(n); url != "" {
		text += " (" + mrkdwnLink(url, "compare") + ")"
	}
	text += after(", ", Mrkdwn(p.Words))
	for i, c := range n.Cargo[:min(len(n.Cargo), someSaid)] {
		if i == 0 {
			text += "\n" + cargoTitle(n) + ":"
		}
		text += "\n• " + Mrkdwn(c.Name) + after(" ", Mrkdwn(promotion.Clip(c.Title, 100))) +
			after(", by ", Mrkdwn(string(c.Author)))
	}
	if more := len(n.Cargo) + n.Left - someSaid; more > 0 {
		text += fmt.Sprintf("\n• and %d more", more)
	}
	text += after("\n", Risks(n, Mrkdwn))
	for _, e := range n.Edits[:min(len(n.Edits), fewEdits)] {
		text += "\n" + Mrkdwn(e.Place) + ": " + Mrkdwn(promotion.Clip(e.Was, 100)) + " → " +
			Mrkdwn(promotion.Clip(e.Is, 100))
	}
	if more := len(n.Edits) + n.Hidden - fewEdits; more > 0 {
		text += fmt.Sprintf("\nand %d more values", more)
	}
	return text + around("\n", Mrkdwn(Earnings(n, func(s string) string { return s })), "")
}

// cardVerbs are the commands that fit where a promotion stands.
func cardVerbs(at promotion.FreightStatus) []promotion.CommandVerb {
	if at.Bad() && at.Hosted {
		return []promotion.CommandVerb{promotion.CmdRollback, promotion.CmdHold}
	}
	switch at.Promotion.State {
	case promotion.WaitingForMerge:
		if at.Reason.Code == promotion.Unapproved {
			return []promotion.CommandVerb{promotion.CmdApprove, promotion.CmdDeny, promotion.CmdHold}
		}
		return []promotion.CommandVerb{promotion.CmdCancel, promotion.CmdHold}
	case promotion.Running:
		return []promotion.CommandVerb{promotion.CmdCancel, promotion.CmdHold}
	case promotion.Failed, promotion.Declined:
		if at.Retries {
			return []promotion.CommandVerb{promotion.CmdRetry}
		}
	}
	return nil
}

// Loud reports whether a state, with its reason, is worth telling everybody in a channel: a person has to act.
func Loud(s promotion.State, why promotion.Reason) bool {
	return s == promotion.Failed || s == promotion.VerificationFailed || why.Code == promotion.Unapproved
}

// mostInSlack is how many rows a message in Slack shows, so that what stands behind them has room in its 50 blocks.
const mostInSlack = 25

// Mrkdwn renders a report for Slack, as paragraphs. Of the rows that have no room it gives the names.
func (r Report) Mrkdwn() []string {
	results, shown := []string{"*" + Mrkdwn(r.Title) + "*"}, min(r.seen(len(r.Rows)), mostInSlack)
	for _, row := range r.Rows[:shown] {
		cells := make([]string, 0, len(row))
		if len(row) == 2 { // what the first is of says the title
			results = append(results, Mrkdwn(row[0])+": "+Mrkdwn(promotion.Clip(row[1], 300)))
			continue
		}
		for i, cell := range row {
			if i > 0 && cell != "" && i < len(r.Head) {
				cells = append(cells, strings.ToLower(r.Head[i])+" "+Mrkdwn(promotion.Clip(cell, 300)))
			}
		}
		results = append(results, "*"+Mrkdwn(row[0])+"*: "+strings.Join(cells, ", "))
	}
	if folded := r.Rows[shown:]; len(folded) > 0 {
		var names []string
		for _, row := range folded {
			names = append(names, row[0])
		}
		results = append(results, Mrkdwn(promotion.Clip(fmt.Sprintf("%d more: %s", len(folded),
			strings.Join(names, ", ")), 1000)))
	}
	for _, note := range r.Notes {
		results = append(results, Mrkdwn(promotion.Clip(note, 1000)))
	}
	if links := r.links(mrkdwnLink); links != "" {
		results = append(results, links)
	}
	if r.Next != "" {
		results = append(results, "Next: /waybill "+Mrkdwn(strings.TrimPrefix(r.Next, "/")))
	}
	if r.Undo != "" {
		results = append(results, "To undo it: /waybill "+Mrkdwn(strings.TrimPrefix(r.Undo, "/")))
	}
	return results
}

// Via is the comment on a pull request about a command that was given elsewhere, and what it has done.
func Via(where string, c promotion.Command, by promotion.Actor, done Report) string {
	return fmt.Sprintf("%s via %s by %s: %s", code(command.Write(c)), where, plain("@"+string(by.Login)),
		plain(cmp.Or(done.Title, "done.")))
}
