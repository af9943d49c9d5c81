package githubsim

import (
	"crypto/rsa"
	"time"
)

// Options configure a simulated GitHub. The zero value is usable.
type Options struct {
	// Addr is the loopback address to listen on; 127.0.0.1:0 by default.
	Addr string
	// Offline disables the network: requests use RoundTrip, and webhooks wait for Post. Nothing then happens without a
	// call.
	Offline bool
	// Clock is the source of GitHub's timestamps: commits, merges, check runs, webhooks. The wall clock by default.
	Clock func() time.Time
	// AuthClock checks the expiry of tokens and JWTs. It is the wall clock by default, even if Clock is set, because
	// clients sign and renew their tokens by their own clocks.
	AuthClock func() time.Time
	// Report receives errors of the client and gaps of the simulator: unknown routes, unsupported GraphQL fields,
	// exchanges that violate GitHub's description. All reports are also kept, see Server.Violations.
	Report func(error)
	// Unchecked switches off the checks against GitHub's description. Answers then have only the fields of the state. It
	// saves the time to load the description.
	Unchecked bool
	// App is the GitHub App under test.
	App App
	// OAuth is the App's web sign-in; off if ClientID is empty.
	OAuth OAuth
	// WebhookURL is the address of the App's webhooks; if empty, none are sent. See Server.SetWebhookURL.
	WebhookURL string
	// Seed makes ids and GUIDs of two servers differ; equal seeds and histories give equal ids and SHAs.
	Seed int64
	// RateLimit is the number of requests an installation has per hour; 5000 by default.
	RateLimit int
}

// App describes the GitHub App under test. Empty fields get defaults.
type App struct {
	ID            int64
	Slug          string
	PrivateKey    *rsa.PrivateKey
	WebhookSecret string
	// Permissions by GitHub's names ("contents": "write"). The default is the permissions that a promotion bot needs.
	Permissions map[string]string
	// LongTokens mints tokens in the form ghs_<app>_<jwt> that GitHub has been rolling out since April 2026, instead of 40
	// characters.
	LongTokens bool
}

// OAuth is the App's client for the web flow. As is the person who signs in, without a dialog.
type OAuth struct {
	ClientID     string
	ClientSecret string
	As           string
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.AuthClock == nil {
		o.AuthClock = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.RateLimit == 0 {
		o.RateLimit = 5000
	}
	o.App = o.App.withDefaults()
	return o
}

func (a App) withDefaults() App {
	if a.ID == 0 {
		a.ID = 4711
	}
	if a.Slug == "" {
		a.Slug = "waybill"
	}
	if a.WebhookSecret == "" {
		a.WebhookSecret = "It's a Secret to Everybody"
	}
	if a.Permissions == nil {
		a.Permissions = map[string]string{
			"metadata": "read", "contents": "write", "pull_requests": "write", "checks": "write", "deployments": "write",
			"issues": "write", "statuses": "read", "members": "read", "actions": "write", "administration": "read",
			"merge_queues": "read", "packages": "read",
		}
	}
	return a
}
