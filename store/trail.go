package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Line is a line of the audit trail as it is exported: a JSON object whose last key is hash, the SHA-256 of everything
// before it, beginning with the brace. The key before that is prev, the hash of the line before. So whoever has nothing
// but the text can tell whether a line was changed, removed or slipped in.
type Line struct {
	Seq  int64
	Text string // without hash and the closing brace: what is hashed
	Hash string // as it is stored, which is what Text hashes to unless somebody has changed either
}

// String is the whole line.
func (l Line) String() string { return l.Text + hashKey + l.Hash + `"}` }

const hashKey = `,"hash":"`

// hashOf is the hash that a line must have.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// storedEvent is an event with its reason as it is stored: what was hashed must not depend on how JSON is written today.
type storedEvent struct {
	Event
	reason string
}

func (e *storedEvent) dest() []any {
	return []any{&e.Seq, at(&e.At), &e.Pipeline, &e.Stage, &e.Promotion, &e.Kind, &e.Word, &e.SHA, &e.reason,
		&e.By.ID, &e.By.Login, &e.Source, &e.Outcome, &e.Plan, &e.Typed, &e.Rule, &e.Text, &e.Hash}
}

const eventColumns = `seq, at, pipeline, stage, promotion, kind, word, sha, reason, actor_id, actor, source, outcome, plan, typed, rule, text, hash`

// trailTime is how the trail writes times: always UTC, always as long.
const trailTime = "2006-01-02T15:04:05.000000Z"

// text writes an event as what is hashed. It has an encoder of its own, because encoding/json does not promise to write
// the same bytes in its next version.
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
	if e.Rule != "" { // lines from before there was one have been hashed without
		b = appendKey(b, "rule", e.Rule)
	}
	b = appendKey(b, "text", e.Text)
	return string(appendKey(b, "prev", prev))
}

// appendKey appends a key with a text as its value. Only what JSON demands is escaped.
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

// Trail returns the lines of the audit trail after one of them, in order: all pipelines, with the hashes that chain them.
func (au Audit) Trail(after int64, limit int) ([]Line, error) {
	prev, err := au.hashBefore(after + 1)
	if err != nil {
		return nil, err
	}
	events, err := list(au.tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE seq > $1 ORDER BY seq LIMIT $2 + 0`, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the audit trail: %w", err)
	}
	lines := make([]Line, len(events))
	for i := range events {
		e := &events[i]
		lines[i] = Line{Seq: e.Seq, Text: e.text(prev), Hash: e.Hash}
		prev = e.Hash
	}
	return lines, nil
}

// hashBefore returns the hash of the last line before seq. The first line ever has none before it.
func (au Audit) hashBefore(seq int64) (hash string, err error) {
	found, err := au.tx.one([]any{&hash}, `SELECT hash FROM events WHERE seq < $1 ORDER BY seq DESC LIMIT 1`, seq)
	if err == nil && !found {
		_, err = au.tx.one([]any{&hash}, `SELECT hash FROM anchor WHERE one = 1`)
	}
	if err != nil {
		return "", fmt.Errorf("read the audit trail: %w", err)
	}
	return hash, nil
}

// TrailEnds are what the chain of the audit trail hangs between.
type TrailEnds struct {
	Removed int64 // the last line that retention has removed; 0: none
	Seq     int64 // the last line
	Hash    string
}

// TrailEnds returns where the audit trail begins and ends. Who keeps the end elsewhere can tell later whether the trail
// was cut off or written anew.
func (au Audit) TrailEnds() (e TrailEnds, err error) {
	_, err = au.tx.one([]any{&e.Removed, &e.Seq}, `SELECT a.seq, c.n FROM anchor a CROSS JOIN counters c WHERE a.one = 1 AND c.name = 'event'`)
	if err == nil {
		e.Hash, err = au.hashBefore(e.Seq + 1)
	}
	if err != nil {
		return e, fmt.Errorf("read the ends of the audit trail: %w", err)
	}
	return e, nil
}

// BadLine says which line of the audit trail is not what was written, and how that shows.
type BadLine struct {
	Seq int64
	Why string
}

// Error implements error.
func (b *BadLine) Error() string { return fmt.Sprintf("line %d of the audit trail %s", b.Seq, b.Why) }

// follows checks that a line is what was written after the line last.
func (l Line) follows(last int64) error {
	switch {
	case l.Seq != last+1:
		return &BadLine{last + 1, fmt.Sprintf("is missing: the next that is there is %d", l.Seq)}
	case !json.Valid([]byte(l.String())):
		return &BadLine{l.Seq, "was changed: it is not JSON any more"}
	case hashOf(l.Text) != l.Hash:
		return &BadLine{l.Seq, "was changed, or the hash of the line before it was: its own hash is not that of its text"}
	}
	return nil
}

// trailPage is how many lines are read at a time.
const trailPage = 1000

// EachLine shows all lines of the audit trail after one of them, oldest first.
func (au Audit) EachLine(after int64, show func(Line) error) error {
	for {
		lines, err := au.Trail(after, trailPage)
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

// CheckTrail follows the audit trail from the line after one of them to its end. It returns how many lines that were, and
// a BadLine at the first that is not what was written.
func (au Audit) CheckTrail(after int64) (lines int64, err error) {
	ends, err := au.TrailEnds()
	if err != nil {
		return 0, err
	}
	last := max(after, ends.Removed)
	err = au.EachLine(last, func(l Line) error {
		if err := l.follows(last); err != nil {
			return err
		}
		last, lines = l.Seq, lines+1
		return nil
	})
	if err == nil && last != ends.Seq {
		err = &BadLine{last + 1, fmt.Sprintf("is missing: %d lines have been written", ends.Seq)}
	}
	return lines, err
}
