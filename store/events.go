package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"waybill/promotion"
	"waybill/store/driver"
)

// EventKind is a kind of line in the audit trail.
type EventKind string

const (
	// EventState is a promotion that has entered a state.
	EventState EventKind = "state"
	// EventClass is a promotion that has got another class.
	EventClass EventKind = "class"
	// EventStage is something that has happened to a stage.
	EventStage EventKind = "stage"
	// EventCommand is a command that was accepted or refused.
	EventCommand EventKind = "command"
	// EventEffect is an effect that has been carried out.
	EventEffect EventKind = "effect"
	// EventAlert is something that a person should look at.
	EventAlert EventKind = "alert"
	// EventChain is where a chain of the audit trail begins and ends, in the server's chain.
	EventChain EventKind = "chain"
)

// Event is a line of the audit trail, which is only ever appended to.
type Event struct {
	Seq       int64 // counted for each pipeline, without gaps
	At        time.Time
	Pipeline  int64 // ServerChain: about none
	Stage     promotion.StageName
	Promotion promotion.Number
	Kind      EventKind
	Word      string // the state, class, event, command or alert
	SHA       promotion.SHA
	Reason    promotion.Reason
	By        promotion.Actor
	Source    string // where it came from: "decide", "github", or where a person asked: "acme/api#142"
	Outcome   string // of a command: "done", "already", "refused"
	Plan      string // the hash of the plan that was visible
	Typed     string // of a command: the SHA-256 of the text that the person typed
	Rule      string // of a command: which rule of the policy has decided
	Text      string
	Hash      string // chains the line to the one before; given by Log
}

// Command is the command that a line is about; false if it is about none that people give.
func (e Event) Command() (promotion.Command, bool) {
	var stored storedCommand
	if e.Kind != EventCommand || json.Unmarshal([]byte(e.Text), &stored) != nil || stored.Verb == "" {
		return promotion.Command{}, false
	}
	return promotion.Command(stored), true
}

// Log appends to the audit trail: each line to the chain of its pipeline. Seq and Hash are given here, At is now unless
// it is set.
func (au Audit) Log(events ...Event) error {
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Pipeline == events[0].Pipeline {
			n++
		}
		if err := au.extend(events[0].Pipeline, events[:n]); err != nil {
			return fmt.Errorf("log %s: %w", events[0].Word, err)
		}
		events = events[n:]
	}
	return nil
}

// extend appends lines to one chain, and opens it if they are its first.
func (au Audit) extend(pipeline int64, events []Event) error {
	end, opened, err := au.grow(pipeline, len(events))
	if err != nil {
		return err
	}
	for i, e := range events {
		e.Seq = end.Seq + int64(i) + 1
		if end.Hash, err = au.append(e, end.Hash); err != nil {
			return err
		}
	}
	_, err = au.tx.exec(`UPDATE chains SET hash = $2 WHERE pipeline = $1`, pipeline, end.Hash)
	if err == nil && opened {
		err = au.note(pipeline, chainOpened)
	}
	return err
}

// append writes one line behind the line with the hash prev, and returns its own.
func (au Audit) append(e Event, prev string) (hash string, err error) {
	if e.At.IsZero() {
		e.At = au.tx.Now
	}
	e = e.storable()
	line := storedEvent{Event: e}
	if line.reason, err = because(&e.Reason).text(); err != nil {
		return "", err
	}
	hash = hashOf(line.text(prev))
	_, err = au.tx.exec(`INSERT INTO events (`+eventColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		e.Seq, micros(e.At), e.Pipeline, e.Stage, e.Promotion, e.Kind, e.Word, e.SHA, line.reason, e.By.ID, e.By.Login,
		e.Source, e.Outcome, e.Plan, e.Typed, e.Rule, e.Text, hash)
	return hash, err
}

// storable returns an event with the texts that a database gives back, of which its hash is.
func (e Event) storable() Event {
	for _, text := range []*string{
		(*string)(&e.Stage), &e.Word, (*string)(&e.SHA), (*string)(&e.By.Login), &e.Source, &e.Outcome, &e.Plan, &e.Typed,
		&e.Rule, &e.Text,
	} {
		*text = driver.Storable(*text)
	}
	return e
}

// eventOf is a decision's entry as a line of the audit trail.
func eventOf(pipeline int64, e promotion.Entry) Event {
	line := Event{
		At: e.At, Pipeline: pipeline, Stage: e.Stage, Promotion: e.Promotion, SHA: e.SHA, Reason: e.Reason, By: e.By,
		Kind: EventStage, Word: cmp.Or(string(e.State), string(e.Class), string(e.Event)), Source: "decide", Text: e.Freight,
	}
	switch {
	case e.State != "":
		line.Kind = EventState
	case e.Class != "":
		line.Kind = EventClass
	}
	return line
}

// Events returns the lines of one chain after one of them, oldest first: of a pipeline, or of the ServerChain.
func (au Audit) Events(pipeline, after int64, limit int) ([]Event, error) {
	return au.events(`seq > $2 ORDER BY seq`, pipeline, after, limit)
}

// EventsBefore returns the lines about a pipeline before one of them, newest first; 0: the newest.
func (au Audit) EventsBefore(pipeline, before int64, limit int) ([]Event, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	return au.events(`seq < $2 ORDER BY seq DESC`, pipeline, before, limit)
}

// Commands returns the lines with the commands that were about a promotion, oldest first.
func (au Audit) Commands(pipeline int64, n promotion.Number, limit int) ([]Event, error) {
	return au.events(`kind = 'command' AND promotion = $2 ORDER BY seq`, pipeline, int64(n), limit)
}

// events reads lines of a chain by a condition on $2, with their order.
func (au Audit) events(which string, pipeline, of int64, limit int) ([]Event, error) {
	all, err := list(au.tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE pipeline = $1 AND `+which+`
		LIMIT $3 + 0`, pipeline, of, limit)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	events := make([]Event, len(all))
	for i, e := range all {
		if err := because(&e.Reason).Scan(e.reason); err != nil {
			return nil, fmt.Errorf("list events: %w", err)
		}
		events[i] = e.Event
	}
	return events, nil
}

// LastEvent returns the number of the newest line about a pipeline, 0 if there is none.
func (au Audit) LastEvent(pipeline int64) (seq int64, err error) {
	if _, err = au.tx.one([]any{&seq}, `SELECT seq FROM chains WHERE pipeline = $1`, pipeline); err != nil {
		return 0, fmt.Errorf("find the last event: %w", err)
	}
	return seq, nil
}
