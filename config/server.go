package config

import (
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
)

// DefaultPatience is how long GitHub may refuse an effect, for a reason that may pass, before Waybill gives it up,
// unless the server says otherwise within these bounds.
const (
	DefaultPatience = 30 * time.Minute
	minPatience     = time.Minute
	maxPatience     = 7 * 24 * time.Hour
)

// DefaultContent is how much content an installation makes at most, unless the server says otherwise: others have
// measured that GitHub allows 20 a minute and 150 an hour (cli/cli#4801).
var DefaultContent = Content{PerMinute: 18, PerHour: 140}

// Content is how many pull requests and comments an installation makes on GitHub at most.
type Content struct{ PerMinute, PerHour int }

// Server is how a server is set up. FromEnv makes it; nothing in it is half there.
type Server struct {
	Listen        string // host and port to serve HTTP on
	PublicURL     string // where people reach it, without a slash at the end; empty: not set
	DatabaseURL   Secret // sqlite://PATH, or postgres://..., which may hold a password
	Replicas      bool   // other servers work on the database, too
	Resync        time.Duration
	Patience      time.Duration // how long GitHub may refuse an effect before it is given up
	Content       Content
	Door          Door
	PolicyFile    string            // path of the policy file that outranks those of the repositories; empty: none
	AllowedOwners []promotion.Actor // the owners that are served, some with their ids; empty: all
	LogLevel      zerolog.Level
	APITokensFile string // path of the file of bearer tokens; empty: none
	Workflows     Workflows
	Events        Events
	GitHub        GitHub
	Slack         Slack
	// Warnings are sentences about variables that are set and have no effect.
	Warnings []string
}

// Events says who is sent the events of the audit trail.
type Events struct {
	URL    Secret // empty: nobody is; its path may be a secret
	Secret Secret // that signs them
}

// Workflows says which tokens of runs of workflows are accepted.
type Workflows struct {
	Issuer   string // of the tokens
	Audience string // the audience that they must name; empty: none is accepted
}

// GitHub is the App's side of GitHub.
type GitHub struct {
	WebURL, V3APIURL, V4APIURL string
	AppID                      int64
	WebhookSecret              Secret
	PreviousWebhookSecret      Secret // accepted as well while secrets are rotated; empty: none
	PrivateKey                 Secret // PEM
	OAuthClientID              string // empty: people cannot sign in
	OAuthClientSecret          Secret
}
