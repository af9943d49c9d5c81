package surface

import (
	"time"

	"waybill/handlers"
)

// The kinds of views, which show people the state of their freight.
const (
	KindCheck          = "check"
	KindComment        = "comment"
	KindBody           = "body"
	KindDeployment     = "deployment"
	KindProtectionRule = "barrier"
	KindLabels         = "labels"
	KindAttention      = "attention"
	KindSlack          = "slack"
)

// Kind says which surface shows the views of a kind, and how.
type Kind struct {
	Surface string // its name
	// Every is the least time between two changes of a view; changes in between are shown together at its end. A check run
	// has none, because people wait for it.
	Every    time.Duration
	Together bool // one request can show several
}

// Kinds are all kinds of views.
var Kinds = map[string]Kind{
	KindCheck:          {Surface: handlers.SourceGitHub, Together: true},
	KindComment:        {Surface: handlers.SourceGitHub, Every: 10 * time.Second},
	KindBody:           {Surface: handlers.SourceGitHub, Together: true},
	KindDeployment:     {Surface: handlers.SourceGitHub, Together: true},
	KindProtectionRule: {Surface: handlers.SourceGitHub},
	KindAttention:      {Surface: handlers.SourceGitHub},
	KindLabels:         {Surface: handlers.SourceGitHub},
	KindSlack:          {Surface: handlers.SourceSlack, Every: 3 * time.Second},
}
