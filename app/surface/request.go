package surface

import (
	"crypto/sha256"
	"encoding/hex"
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
	Surface  string         // the address of the answers
	PullRepo promotion.Repo // the pull request on which the commands were given, if any
	Pull     int
	Reader   bool   // the person has no known account on GitHub, and may only read
	Typed    string // the fingerprint of the text that was typed
}

// Fingerprint returns a hash by which a text is recognized later without being kept.
func Fingerprint(typed string) string {
	sum := sha256.Sum256([]byte(typed))
	return hex.EncodeToString(sum[:])
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
