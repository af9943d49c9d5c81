package slack

import (
	"fmt"
	"unicode/utf8"

	"github.com/slack-go/slack"
)

// Message is a message in Slack. All of its texts are in Slack's Markdown, with text of other people escaped.
type Message struct {
	Text      string // the whole message in one line, for notifications and those who cannot see blocks
	Parts     []Part
	Broadcast bool // in a thread: shown in the channel, too
}

// Part is one block of a message.
type Part struct {
	Text    string // a paragraph
	Small   string // a line in small print
	Buttons []Button
}

// Button is something to press.
type Button struct {
	Action string // identifies it within the message
	Words  string
	Value  string
	URL    string // where it leads; empty: nowhere, it is told to us
	Style  string // "", "primary" or "danger"
	Ask    string // the question to confirm before it counts; empty: none
}

// The budget of a message: less than Slack takes, which it does not document in full.
const (
	maxBlocks  = 45
	maxChars   = 12_000
	maxSection = 2900
	maxSmall   = 1900
	maxText    = 3000
)

// options are the message as slack-go takes it. Nothing in it is ever looked at for names to ping.
func (m Message) options() []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(m.text(), false), slack.MsgOptionBlocks(m.blocks(maxBlocks)...), slack.MsgOptionParse(false),
		slack.MsgOptionLinkNames(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
}

func (m Message) text() string { return clip(m.Text, maxText) }

// blocks renders the parts within the budget: parts that do not fit are counted, and buttons always fit.
func (m Message) blocks(most int) []slack.Block {
	blocks := []slack.Block{}
	left, dropped := maxChars-m.reserved(), 0
	for _, p := range m.Parts {
		need := utf8.RuneCountInString(clip(p.Text, maxSection)) + utf8.RuneCountInString(clip(p.Small, maxSmall))
		if len(p.Buttons) == 0 && (need > left || len(blocks) >= most-2) {
			dropped++
			continue
		}
		left -= need
		blocks = append(blocks, p.blocks(len(blocks))...)
	}
	if dropped > 0 {
		blocks = append(blocks, small(fmt.Sprintf("+%d more", dropped)))
	}
	return blocks
}

// reserved is the buttons' part of the budget.
func (m Message) reserved() (n int) {
	for _, p := range m.Parts {
		for _, b := range p.Buttons {
			n += len(b.Words) + len(b.Ask) + 50
		}
	}
	return n
}

func (p Part) blocks(n int) (blocks []slack.Block) {
	if p.Text != "" {
		blocks = append(blocks, slack.NewSectionBlock(mrkdwn(clip(p.Text, maxSection)), nil, nil))
	}
	if p.Small != "" {
		blocks = append(blocks, small(clip(p.Small, maxSmall)))
	}
	if len(p.Buttons) > 0 {
		var elements []slack.BlockElement
		for _, b := range p.Buttons {
			elements = append(elements, b.element())
		}
		blocks = append(blocks, slack.NewActionBlock(fmt.Sprintf("actions-%d", n), elements...))
	}
	return blocks
}

func (b Button) element() slack.BlockElement {
	e := slack.NewButtonBlockElement(b.Action, b.Value, plain(clip(b.Words, 75)))
	e.URL, e.Style = b.URL, slack.Style(b.Style)
	if b.Ask != "" {
		e.Confirm = slack.NewConfirmationBlockObject(plain("Are you sure?"), plain(clip(b.Ask, 300)),
			plain(clip(b.Words, 30)), plain("No"))
	}
	return e
}

func small(text string) slack.Block { return slack.NewContextBlock("", mrkdwn(text)) }

// mrkdwn is a text in which Slack looks for nothing but its markup.
func mrkdwn(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.MarkdownType, text, false, true)
}

func plain(text string) *slack.TextBlockObject {
	return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
}

// clip cuts a text to n characters at most, and never in the middle of a link or of an escaped character.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-3]
	for i := len(runes) - 1; i >= 0 && i > len(runes)-1200; i-- {
		if runes[i] == '>' {
			break
		}
		if runes[i] == '<' {
			runes = runes[:i]
			break
		}
	}
	for i := len(runes) - 1; i >= 0 && i > len(runes)-6 && runes[i] != ';'; i-- {
		if runes[i] == '&' {
			runes = runes[:i]
			break
		}
	}
	return string(runes) + "..."
}
