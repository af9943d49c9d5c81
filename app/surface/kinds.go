package surface

import "time"

// The kinds of views: what shows people where things stand.
const (
	KindCheck          = "check"
	KindComment        = "comment"
	KindDeployment     = "deployment"
	KindProtectionRule = "barrier"
	KindLabels         = "labels"
	KindSlack          = "slack"
)

// Kind is how views of a kind are shown.
type Kind struct {
	Surface string
	// Every is the least time between two changes of a view: what is wanted meanwhile is shown at once then. A check run
	// follows at once, because what people wait for shows there.
	Every    time.Duration
	Together bool // one request can show several
}

// Kinds are all kinds of views.
var Kinds = map[string]Kind{
	KindCheck:          {Surface: "github", Together: true},
	KindComment:        {Surface: "github", Every: 10 * time.Second},
	KindDeployment:     {Surface: "github", Together: true},
	KindProtectionRule: {Surface: "github"},
	KindLabels:         {Surface: "github"},
	KindSlack:          {Surface: "slack", Every: 3 * time.Second},
}
