package handlers

import (
	"context"
	"errors"
	"time"

	"waybill/promotion"
)

// SourceGitHub is the Source of every delivery that came by GitHub's webhook.
const SourceGitHub = "github"

// Delivery is one signed delivery, as it came.
type Delivery struct {
	Source       string         // SourceGitHub
	GUID         string         // identifies the event: redeliveries have the same
	Event        string         // GitHub's name of the event, such as "check_run"
	Action       string         // such as "completed"; empty for events without actions
	Repo         promotion.Repo // empty for events that are about no repository
	Installation int64          // of our App; 0 when the delivery names none
	Body         []byte         // the JSON text that was signed
	Received     time.Time
	Idle         bool // it tells nothing: it is noted, so that it is known when it comes again, and not handled
	Glance       Glance
}

// Inbox keeps deliveries until they are handled.
type Inbox interface {
	// Accept stores a delivery durably before it returns. A GUID that is known already changes nothing (fresh is false),
	// except that one with another body is refused with ErrAltered.
	Accept(ctx context.Context, d Delivery) (fresh bool, err error)
}

// ErrAltered is the error of an Inbox for a delivery whose GUID it knows with another body: GitHub redelivers the same
// bytes, so the sender is another one.
var ErrAltered = errors.New("a delivery with this GUID came before with another body")
