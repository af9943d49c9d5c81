package promotion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	Verb CommandVerb
	Seen string // what the card shows: the command counts only as long as it is so
	Ask  string // what is asked before it counts
}

// Asks reports whether the card asks for a sign-off.
func (c Card) Asks() bool {
	return slices.ContainsFunc(c.Buttons, func(b CardButton) bool { return b.Verb == CmdApprove })
}

// CardOf says where a promotion of the snapshot stands, and what can be done about it.
func CardOf(s *Snapshot, p *Promotion, at Standing) Card {
	what := fmt.Sprintf("%s to %s", p.FreightName, p.Stage)
	c := Card{
		Pipeline: s.Pipeline.ID,
		Text:     Mrkdwn(what + ": " + at.Title()),
		Body:     fmt.Sprintf("*%s* to *%s*: %s", Mrkdwn(p.FreightName), Mrkdwn(string(p.Stage)), Mrkdwn(at.Title())),
		Small:    fmt.Sprintf("Promotion %d, %s%s", p.Number, p.Class, after(", asked for by ", Mrkdwn(string(p.By.Login)))),
	}
	if link := s.Link(p.Number); link.URL != "" {
		c.Small += ", " + mrkdwnLink(link.URL, link.What)
	}
	if s.Seen() != s.attempt(p.Number).seen() {
		return c
	}
	for _, verb := range cardVerbs(p.State, at.Reason) {
		c.Buttons = append(c.Buttons, CardButton{verb, s.Seen(), strings.ToUpper(string(verb[:1])) + string(verb[1:]) + " " + what + "?"})
	}
	return c
}

// cardVerbs are the commands that fit a state.
func cardVerbs(s State, why Reason) []CommandVerb {
	switch s {
	case WaitingForMerge:
		if why.Code == Unapproved {
			return []CommandVerb{CmdApprove, CmdDeny, CmdHold}
		}
		return []CommandVerb{CmdCancel, CmdHold}
	case Running:
		return []CommandVerb{CmdCancel, CmdHold}
	case Failed, Declined:
		return []CommandVerb{CmdRetry}
	case VerificationFailed:
		return []CommandVerb{CmdRollback, CmdHold}
	}
	return nil
}

// Loud reports whether a state, and why it is so, is worth telling everybody in a channel: somebody has to act.
func Loud(s State, why Reason) bool {
	return s == Failed || s == VerificationFailed || why.Code == Unapproved
}

// Mrkdwn renders a report for Slack, as paragraphs.
func (r Report) Mrkdwn() []string {
	parts := []string{"*" + Mrkdwn(r.Title) + "*"}
	for _, row := range r.Rows {
		cells := make([]string, 0, len(row))
		for i, cell := range row {
			if cell != "" && i < len(r.Head) {
				cells = append(cells, strings.ToLower(r.Head[i])+" "+Mrkdwn(clip(cell, 300)))
			}
		}
		parts = append(parts, strings.Join(cells, ", "))
	}
	for _, note := range r.Notes {
		parts = append(parts, Mrkdwn(clip(note, 1000)))
	}
	if r.Next != "" {
		parts = append(parts, "Next: /waybill "+Mrkdwn(strings.TrimPrefix(r.Next, "/")))
	}
	return parts
}

// ReplyWords answers a command, as plain text.
func ReplyWords(outcome string, r Reason) string { return reply(outcome, r.Sentence()) }

// ReplySlack answers a command, in Slack's Markdown.
func ReplySlack(outcome string, r Reason) string { return reply(outcome, Mrkdwn(r.Sentence())) }

func reply(outcome, why string) string {
	switch Code(outcome) {
	case Done:
		return "Done."
	case Already:
		return "Nothing to do: " + cmp.Or(why, "it is so already") + "."
	}
	return "Refused: " + cmp.Or(why, "it is not allowed") + "."
}

// Via is the comment that tells on a pull request what was asked for elsewhere.
func Via(where string, c Command, by Actor) string {
	return fmt.Sprintf("%s via %s by %s: done.", code("/"+string(c.Verb)+" "+string(c.Stage)), where, Plain("@"+string(by.Login)))
}
