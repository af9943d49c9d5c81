package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Line is a line of the audit trail as it is exported: a JSON object whose last key is hash, the SHA-256 of everything
// before it, beginning with the brace. The key before that is prev, the hash of the line before in the same chain. So
// the text alone shows whether a line was changed, removed or slipped in.
type Line struct {
	Pipeline int64 // whose chain it is in
	Seq      int64
	Text     string // without hash and the closing brace: the hashed text
	Hash     string // as it is stored: the hash of Text, unless one of them was changed
}

// String is the whole line.
func (l Line) String() string { return l.Text + hashKey + l.Hash + `"}` }

const hashKey = `,"hash":"`

// hashOf is the hash that a line must have.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// storedEvent is an event with its reason as it is stored: the hashed text must not depend on how JSON is written
// today.
type storedEvent struct {
	Event
	reason string
}

func (e *storedEvent) dest() []any {
	return []any{&e.Seq, at(&e.At), &e.Pipeline, &e.Stage, &e.Promotion, &e.Kind, &e.Word, &e.SHA, &e.reason,
		&e.By.ID, &e.By.Login, &e.Source, &e.Outcome, &e.Plan, &e.Typed, &e.Rule, &e.Text, &e.Hash}
}

const eventColumns = `seq, at, pipeline, stage, promotion, kind, word, sha, reason, actor_id, actor, source, ` +
	`outcome, plan, typed, rule, text, hash`

// trailTime is how the trail writes times: always UTC, always as long.
const trailTime = "2006-01-02T15:04:05.000000Z"

// text returns the hashed text of an event. It has an encoder of its own, because encoding/json does not promise to
// write the same bytes in its next version.
func (e *storedEvent) text(prev string) string {
	reason := e.reason
	if reason == "" {
		reason = "null"
	}
	b := append(make([]byte, 0, 512), `{"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = appendKey(b, "at", e.At.UTC().Format(trailTime))
	b = append(append(b, `,"pipeline":`...), strconv.FormatInt(e.Pipeline, 10)...)
	b = appendKey(b, "stage", string(e.Stage))
	b = append(append(b, `,"promotion":`...), strconv.FormatInt(int64(e.Promotion), 10)...)
	b = appendKey(b, "kind", string(e.Kind))
	b = appendKey(b, "word", e.Word)
	b = appendKey(b, "sha", string(e.SHA))
	b = append(append(b, `,"reason":`...), reason...)
	b = append(append(b, `,"actor_id":`...), strconv.FormatInt(e.By.ID, 10)...)
	b = appendKey(b, "actor", string(e.By.Login))
	b = appendKey(b, "source", e.Source)
	b = appendKey(b, "outcome", e.Outcome)
	b = appendKey(b, "plan", e.Plan)
	b = appendKey(b, "typed", e.Typed)
	if e.Rule != "" {
		b = appendKey(b, "rule", e.Rule)
	}
	b = appendKey(b, "text", e.Text)
	return string(appendKey(b, "prev", prev))
}

// appendKey appends a key with a text as its value. Only characters that JSON demands are escaped.
func appendKey(b []byte, key, value string) []byte {
	b = append(append(append(b, `,"`...), key...), `":"`...)
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// lines reads some lines of a chain after one of them, in order.
func (au Audit) lines(pipeline, after int64, limit int) ([]storedEvent, error) {
	return list(au.tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE pipeline = $1 AND seq > $2
		ORDER BY seq LIMIT $3 + 0`, pipeline, after, limit)
}

// Trail returns the lines of a chain after one of them, in order, with the hashes that chain them.
func (au Audit) Trail(c Chain, after int64, limit int) ([]Line, error) {
	after = max(after, c.Mark.Seq)
	prev := c.Mark.Hash
	if after > c.Mark.Seq {
		if _, err := au.hashOf(c.Pipeline, after, &prev); err != nil {
			return nil, fmt.Errorf("read %s: %w", c, err)
		}
	}
	events, err := au.lines(c.Pipeline, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c, err)
	}
	lines := make([]Line, len(events))
	for i := range events {
		e := &events[i]
		lines[i] = Line{Pipeline: e.Pipeline, Seq: e.Seq, Text: e.text(prev), Hash: e.Hash}
		prev = e.Hash
	}
	return lines, nil
}

// hashOf reads the hash of a line, and reports whether the line is there.
func (au Audit) hashOf(pipeline, seq int64, hash *string) (found bool, err error) {
	return au.tx.one([]any{hash}, `SELECT hash FROM events WHERE pipeline = $1 AND seq = $2`, pipeline, seq)
}

// trailPage is how many lines are read at a time.
const trailPage = 1000

// EachLine shows all lines of a chain after one of them, oldest first.
func (au Audit) EachLine(c Chain, after int64, show func(Line) error) error {
	for {
		lines, err := au.Trail(c, after, trailPage)
		if err != nil || len(lines) == 0 {
			return err
		}
		for _, l := range lines {
			if err := show(l); err != nil {
				return err
			}
			after = l.Seq
		}
	}
}
