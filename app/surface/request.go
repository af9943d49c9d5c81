package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"waybill/promotion"
)

// Request is the commands that a person gives at one time, on any surface.
type Request struct {
	Repo     promotion.Repo // where the commands were given, from which the pipeline follows
	Pipeline int64          // the pipeline, if it is known; 0: Repo tells
	Commands []promotion.Command
	By       promotion.Actor
	At       time.Time
	Heard    bool           // At is when the commands arrived: the surface does not tell when they were given
	Surface  string         // the address of the answers
	PullRepo promotion.Repo // the pull request on which the commands were given, if any
	Pull     int
	Unmerged bool   // the pull request was not merged then
	Reader   bool   // the person has no known account on GitHub, and may only read
	Typed    string // the fingerprint of the text that was typed
	// Act tells what the person did from everything else that people ever do on the surface: "comment/9871". Who tells of
	// it again tells of nothing new. Empty: nobody can tell of it again.
	Act     string
	Comment bool // it is a comment on GitHub, which a resync finds
	// Found says that the surface was asked what people have said, so that nobody can have kept it back.
	Found bool
}

// CommentAct is the Act of a comment on GitHub.
func CommentAct(id int64) string { return fmt.Sprintf("comment/%d", id) }

// ReviewAct is the Act of a review on GitHub.
func ReviewAct(id int64) string { return fmt.Sprintf("review/%d", id) }

// Fingerprint returns a hash by which a text is recognized later without being kept.
func Fingerprint(typed string) string {
	sum := sha256.Sum256([]byte(typed))
	return hex.EncodeToString(sum[:])
}

// oldest is how old a command may be when it is told of. GitHub redelivers webhooks for three days, and who has kept a
// body with its signature can send it for ever.
const oldest = 24 * time.Hour

// Late reports whether a request is told of too late to be carried out: nobody expects it any more.
func (r *Request) Late(now time.Time) bool { return !r.Found && now.Sub(r.At) > oldest }

// ActOf tells one command of an act from its others. What the database keeps depends on it.
func (r *Request) ActOf(c promotion.Command) string {
	said := fmt.Sprintf("%q %q %t %q %t %q %d %q", c.Stage, c.Target, c.All, c.Freight, c.Pass, c.Text, c.For, c.Plan)
	if c.Rest != "" {
		said += fmt.Sprintf(" %q", c.Rest)
	}
	if c.Withdraw {
		said += " withdraw"
	}
	return r.Act + " " + string(c.Verb) + " " + Fingerprint(said)[:16]
}

// RequestByLabel returns the request of a label on a pull request.
func RequestByLabel(
	pipeline int64, repo promotion.Repo, number int, by promotion.Actor, at time.Time, c promotion.Command,
) Request {
	return Request{
		Pipeline: pipeline, Repo: repo, Commands: []promotion.Command{c}, By: by, At: at, PullRepo: repo, Pull: number,
		Surface: LabelAddress + PullAddress{Repo: repo, Number: number}.String(),
	}
}
