package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

// Command is a command in a request.
type Command struct {
	Command string `json:"command" doc:"as it would be typed on a pull request, with the slash or without"`
}

// Answer is the answer to a command.
type Answer struct {
	// Outcome of a command to several stages is refused if one of them refuses.
	Outcome string     `json:"outcome" doc:"done; already: there was nothing to do; refused; recorded: answered later"`
	Text    string     `json:"text" doc:"the answer, in a sentence"`
	Head    []string   `json:"head,omitempty" doc:"of the table that answers a question"`
	Rows    [][]string `json:"rows,omitempty" doc:"of that table"`
	Notes   []string   `json:"notes,omitempty" doc:"sentences below it"`
	Next    string     `json:"next,omitempty" doc:"the command that a person could type next"`
	Undo    string     `json:"undo,omitempty" doc:"the command that takes back what has been done"`
}

// Unanswered is the answer to a command that is recorded and could not be answered in time.
var Unanswered = Answer{
	Outcome: "recorded",
	Text: "It is recorded and will be answered, but has not been yet: GitHub is slow, or the server is busy. " +
		"If you gave it an Idempotency-Key, the same one asks for the answer.",
}

// ErrOtherCommand means that a key was used before for something else.
var ErrOtherCommand = errors.New("another command had the same Idempotency-Key")

// AnswerOf is a report as an answer.
func AnswerOf(outcome string, r say.Report) Answer {
	notes := r.Notes
	for _, l := range r.Links {
		notes = append(notes, l.What+": "+l.URL)
	}
	return Answer{Outcome: outcome, Text: r.Title, Head: r.Head, Rows: r.Rows, Notes: notes, Next: r.Next,
		Undo: r.Undo}
}

// IdempotencyKey is the header by which a command that is sent again is known.
const IdempotencyKey = "Idempotency-Key"

// maxKey bounds the caller's key of a command.
const maxKey = 200

// command gives a command in the caller's name.
func (s *Server) command(c *call) (any, error) {
	by := c.who.Person()
	switch {
	case by.Bot() && c.who.token == nil:
		return nil, s.unauthorized("a command is given by a person")
	case by.Bot():
		return nil, forbidden("a command is given by a person, and nobody knows who has this token: `waybill token new " +
			"NAME --as ID:LOGIN` makes one that acts for somebody")
	}
	text, err := commandIn(c)
	if err != nil {
		return nil, err
	}
	if c.pipeline == nil || len(c.pipeline.Stages) == 0 {
		return nil, newProblem(http.StatusConflict, "%s has no stage in force: correct its pipeline file first", c.row.Repo)
	}
	key := c.key(by)
	if err := s.bounded(c, by, key); err != nil {
		return nil, err
	}
	answer, err := s.adapter.Command(c.Context(), c.row, by, text, key)
	if errors.Is(err, ErrOtherCommand) {
		return nil, newProblem(http.StatusConflict, "%s: use a new one for each command", err)
	}
	return answer, err
}

// helps says where the arguments of a command are explained; "" if there is no such command.
func helps(verb promotion.CommandVerb) string {
	if command.UsageOf(verb) == nil {
		return ""
	}
	return fmt.Sprintf(": `help %s` says what it takes", verb)
}

// commandIn reads the command of a request.
func commandIn(c *call) (string, error) {
	var asked Command
	d := json.NewDecoder(c.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&asked); err != nil {
		return "", badRequest(`the body must be a command, such as {"command": "promote prod"}: %s`, err)
	}
	command, is := command.ParseCommand(asked.Command)
	switch {
	case strings.Contains(strings.TrimSpace(asked.Command), "\n"):
		return "", badRequest("one command at a time: it must be a single line")
	case !is:
		return "", badRequest("%q is no command: `help` lists them", asked.Command)
	case command.Trouble != "":
		return "", badRequest("%s%s", command.Trouble, helps(command.Verb))
	case len(c.Header.Get(IdempotencyKey)) > maxKey:
		return "", badRequest("%s is longer than %d bytes", IdempotencyKey, maxKey)
	}
	return asked.Command, nil
}

// key names the command: one person's key on one pipeline, apart from those of others.
func (c *call) key(by promotion.Actor) string {
	key := c.Header.Get(IdempotencyKey)
	if key == "" {
		return rand.Text()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", c.row.ID, by.ID, key))
	return hex.EncodeToString(sum[:])
}
