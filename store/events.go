package store

import (
	"cmp"
	"fmt"
	"time"

	"waybill/promotion"
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
)

// Event is a line of the audit trail, which is only ever appended to.
type Event struct {
	Seq       int64
	At        time.Time
	Pipeline  int64 // 0: about none
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
	Typed     string // of a command: the SHA-256 of what the person typed
	Rule      string // of a command: which rule of the policy has decided
	Text      string
	Hash      string // chains the line to the one before; given by Log
}

// Log appends to the audit trail. Seq and Hash are given here, At is now unless it is set.
func (au Audit) Log(events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	seq, err := au.tx.take("event", int64(len(events)))
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	prev, err := au.hashBefore(seq)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for i, e := range events {
		e.Seq = seq + int64(i)
		if prev, err = au.append(e, prev); err != nil {
			return fmt.Errorf("log %s: %w", e.Word, err)
		}
	}
	return nil
}

// append writes one line behind the line with the hash prev, and returns its own.
func (au Audit) append(e Event, prev string) (hash string, err error) {
	if e.At.IsZero() {
		e.At = au.tx.Now
	}
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

// Events returns the audit trail of a pipeline after a line, oldest first. Pipeline 0 is all of them.
func (au Audit) Events(pipeline, after int64, limit int) ([]Event, error) {
	var all []storedEvent
	var err error
	if pipeline == 0 {
		all, err = list(au.tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE seq > $1 ORDER BY seq LIMIT $2 + 0`, after, limit)
	} else {
		all, err = list(au.tx, (*storedEvent).dest, `SELECT `+eventColumns+` FROM events WHERE pipeline = $1 AND seq > $2
			ORDER BY seq LIMIT $3 + 0`, pipeline, after, limit)
	}
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

// LastEvent returns the newest line of a pipeline's audit trail, 0 if there is none.
func (au Audit) LastEvent(pipeline int64) (seq int64, err error) {
	_, err = au.tx.one([]any{&seq}, `SELECT seq FROM events WHERE pipeline = $1 ORDER BY seq DESC LIMIT 1`, pipeline)
	if err != nil {
		return 0, fmt.Errorf("find the last event: %w", err)
	}
	return seq, nil
}
