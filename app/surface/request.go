package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"waybill/promotion"
)

// Request is what somebody asks for at one time, on whatever surface.
type Request struct {
	Repo     promotion.Repo // where it was asked: it tells which pipeline is meant
	Pipeline int64          // that is meant; 0: Repo tells
	Commands []promotion.Command
	By       promotion.Actor
	At       time.Time
	Surface  string         // where the answers go
	PullRepo promotion.Repo // the pull request that it stands on, if any
	Pull     int
	Reader   bool   // nobody knows who it is on GitHub: they may read, and no more
	Typed    string // the fingerprint of what was typed
}

// Fingerprint tells later whether a text is the one that was typed, without keeping it.
func Fingerprint(typed string) string {
	sum := sha256.Sum256([]byte(typed))
	return hex.EncodeToString(sum[:])
}

// RequestByLabel is what a label on a pull request asks for.
func RequestByLabel(
	pipeline int64, repo promotion.Repo, number int, by promotion.Actor, at time.Time, c promotion.Command,
) Request {
	return Request{
		Pipeline: pipeline, Repo: repo, Commands: []promotion.Command{c}, By: by, At: at, PullRepo: repo, Pull: number,
		Surface: LabelAddress + PullAddress{Repo: repo, Number: number}.String(),
	}
}
