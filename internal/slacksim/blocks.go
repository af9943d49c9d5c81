package slacksim

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// The limits of texts in Slack, in characters.
const (
	maxText          = 40_000
	maxMessageBlocks = 50
	maxViewBlocks    = 100
	maxSection       = 3000
	maxField         = 2000
	maxFields        = 10
	maxHeader        = 150
	maxElements      = 25 // of an actions block
	maxContext       = 10 // elements of a context block
	maxButton        = 75
	maxValue         = 2000
	maxID            = 255
	maxURL           = 3000
	maxTotal         = 13_200 // of all texts together: not documented, but reported
)

// readBlocks parses a list of blocks and refuses invalid ones as Slack does.
func readBlocks(text string, most int) ([]Block, error) {
	if text == "" {
		return nil, nil
	}
	var blocks []Block
	if err := json.Unmarshal([]byte(text), &blocks); err != nil {
		return nil, refusal("invalid_blocks_format: " + err.Error())
	}
	if len(blocks) > most {
		return nil, refusal(fmt.Sprintf("invalid_blocks: no more than %d items allowed [json-pointer:/blocks]", most))
	}
	total := 0
	var ids []string
	for i, b := range blocks {
		n, wrong := b.check()
		if wrong == "" && b.ID != "" && (len(b.ID) > maxID || slices.Contains(ids, b.ID)) {
			wrong = "block_id"
		}
		if wrong != "" {
			return nil, refusal(fmt.Sprintf("invalid_blocks: %s [json-pointer:/blocks/%d]", wrong, i))
		}
		ids = append(ids, b.ID)
		total += n
	}
	if total > maxTotal {
		return nil, refusal("msg_blocks_too_long")
	}
	return blocks, nil
}

// check returns the number of characters of a block, and its first error.
func (b *Block) check() (n int, wrong string) {
	switch b.Type {
	case "section":
		return b.checkSection()
	case "header":
		return length(b.Text), b.Text.within(maxHeader, "plain_text")
	case "divider":
		return 0, ""
	case "context":
		return b.checkElements(maxContext, "mrkdwn", "plain_text", "image")
	case "actions":
		return b.checkElements(maxElements, "button")
	}
	return 0, "unsupported type: " + b.Type
}

func (b *Block) checkSection() (n int, wrong string) {
	if b.Text == nil && len(b.Fields) == 0 {
		return 0, "must have text or fields"
	}
	if b.Text != nil {
		n, wrong = length(b.Text), b.Text.within(maxSection, "mrkdwn", "plain_text")
	}
	if len(b.Fields) > maxFields {
		return n, "too many fields"
	}
	for i := range b.Fields {
		n += length(&b.Fields[i])
		if w := b.Fields[i].within(maxField, "mrkdwn", "plain_text"); w != "" {
			wrong = w
		}
	}
	if b.Accessory != nil && wrong == "" {
		return n + utf8.RuneCountInString(b.Accessory.Text()), b.Accessory.check()
	}
	return n, wrong
}

func (b *Block) checkElements(most int, kinds ...string) (n int, wrong string) {
	if len(b.Elements) == 0 || len(b.Elements) > most {
		return 0, "number of elements"
	}
	var actions []string
	for _, e := range b.Elements {
		n += utf8.RuneCountInString(e.Text())
		if !slices.Contains(kinds, e.Type) {
			return n, "unsupported element: " + e.Type
		}
		if w := e.check(); w != "" {
			return n, w
		}
		if e.ActionID != "" && slices.Contains(actions, e.ActionID) {
			return n, "action_id already exists"
		}
		actions = append(actions, e.ActionID)
	}
	return n, ""
}

func (e *Element) check() string {
	if e.Type != "button" {
		return ""
	}
	text := utf8.RuneCountInString(e.Text())
	switch {
	case text == 0 || text > maxButton:
		return "length of a button's text"
	case len(e.ActionID) > maxID || len(e.Value) > maxValue || len(e.URL) > maxURL:
		return "too long"
	case e.Style != "" && e.Style != "primary" && e.Style != "danger":
		return "style"
	case e.Confirm != nil && (length(&e.Confirm.Title) > 100 || length(&e.Confirm.Text) > 300 ||
		length(&e.Confirm.Confirm) > 30 || length(&e.Confirm.Deny) > 30):
		return "length of the confirmation"
	}
	return ""
}

func (t *Text) within(most int, kinds ...string) string {
	switch {
	case t == nil || !slices.Contains(kinds, t.Type):
		return "type of the text"
	case length(t) == 0:
		return "must be more than 0 characters"
	case length(t) > most:
		return fmt.Sprintf("must be less than %d characters", most+1)
	}
	return ""
}

func length(t *Text) int {
	if t == nil {
		return 0
	}
	return utf8.RuneCountInString(t.Text)
}
