package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/app/env"
	"waybill/app/slack"
	"waybill/promotion"
)

// Doctor finds out what is wrong.
type Doctor struct {
	*env.Env
	Slack     *slack.Client // nil: Slack is not set up
	PublicURL string
	Database  string // its URL
	Version   string // of this program
	// Unawaited returns names of signals that come in a repository, and that no pipeline waits for.
	Unawaited func(promotion.Repo) []promotion.Signal
}

// checks are all checks, in the order of their findings: what others rest on comes first.
var checks = []func(*facts) []api.Finding{
	version, app, clock, installed, granted, subscribed, files, resyncs, names, ruled, webhooks, address, inSlack,
	channels, tokens, ofDatabase,
}

// Examine looks at everything. It returns an error if the database cannot be read.
func (d *Doctor) Examine(ctx context.Context) (api.Health, error) {
	f, err := d.gather(ctx)
	if err != nil {
		return api.Health{}, err
	}
	h := api.Health{At: f.now.UTC(), State: api.StateOK, Findings: []api.Finding{}}
	for _, check := range checks {
		h.Findings = append(h.Findings, check(&f)...)
	}
	for _, found := range h.Findings {
		if slices.Index(severity, found.State) > slices.Index(severity, h.State) {
			h.State = found.State
		}
	}
	return h, nil
}

// severity are the states of findings, from best to worst.
var severity = []string{api.StateOK, api.StateWarn, api.StateFail}

// fine is a finding that there is nothing to do.
func fine(check, about, says string, args ...any) api.Finding {
	return api.Finding{Check: check, About: about, State: api.StateOK, Says: fmt.Sprintf(says, args...)}
}

// version says which program runs.
func version(f *facts) []api.Finding {
	return []api.Finding{fine("version", "", "the server runs Waybill %s", cmp.Or(f.version, "of an unknown version"))}
}

// app checks that GitHub knows the App by our key.
func app(f *facts) []api.Finding {
	if f.appErr == nil {
		return []api.Finding{fine("app", f.app.Slug, "GitHub accepts the App's id and key")}
	}
	return []api.Finding{{
		Check: "app", State: api.StateFail, Says: f.appErr.Error(), Off: "everything that needs GitHub",
		Do: "Compare GITHUB_APP_INTEGRATION_ID with the App ID in the App's settings, and make a new private key there if " +
			"GITHUB_APP_PRIVATE_KEY is not one of this App. If GitHub does not answer, look at the network and the clock",
	}}
}

// clockTolerance is how far our clock may be off: GitHub takes no token that was signed a minute in its future.
const clockTolerance = 30 * time.Second

// clock checks that our clock and GitHub's show the same.
func clock(f *facts) []api.Finding {
	ahead := f.app.Ahead
	switch {
	case f.appErr != nil:
		return nil
	case ahead.Abs() <= clockTolerance:
		return []api.Finding{fine("clock", "", "shows GitHub's time to within %s", clockTolerance)}
	}
	word := "behind"
	if ahead < 0 {
		word = "ahead of"
	}
	return []api.Finding{{
		Check: "clock", State: api.StateFail, Says: fmt.Sprintf("this machine's clock is %s %s GitHub's", ahead.Abs(), word),
		Off: "tokens, which GitHub takes only from clocks that are right; times of freezes and timeouts are wrong",
		Do:  "Set the clock of the machine, and let NTP keep it",
	}}
}

// installed checks that the App is installed, and in use, where it should be.
func installed(f *facts) (all []api.Finding) {
	switch {
	case f.appErr != nil:
		return nil
	case f.listErr != nil:
		return []api.Finding{{Check: "installation", State: api.StateFail, Says: f.listErr.Error(),
			Off: "the search for pipelines", Do: "Look at the network and at GitHub's status page"}}
	case len(f.installations) == 0:
		return []api.Finding{{Check: "installation", State: api.StateFail, Says: "the App is installed nowhere",
			Off: "everything", Do: "Install the App on the repositories that it should work in", Link: f.app.Settings}}
	}
	for _, in := range f.installations {
		if in.Suspended {
			all = append(all, api.Finding{Check: "installation", About: string(in.Account.Login), State: api.StateWarn,
				Says: "the installation is suspended", Off: "everything in its repositories",
				Do: "Unsuspend it if that is not meant so", Link: in.Page})
		}
	}
	if len(all) == 0 {
		all = append(all, fine("installation", "", "the App is installed in %s", counted(len(f.installations), "account")))
	}
	return all
}

// address checks that people can be sent to the server.
func address(f *facts) []api.Finding {
	if f.publicURL != "" {
		return []api.Finding{fine("url", "", "people reach the server at %s", f.publicURL)}
	}
	return []api.Finding{{
		Check: "url", State: api.StateWarn, Says: "WAYBILL_PUBLIC_URL is not set",
		Off: "signing in; links to this server in Slack; reports of workflows by OIDC, unless WAYBILL_OIDC_AUDIENCE is set",
		Do:  "Set it to the address at which people reach the server",
	}}
}

// inSlack checks that Slack takes the token, and our messages.
func inSlack(f *facts) []api.Finding {
	const page = "https://api.slack.com/apps"
	switch s := f.slack; {
	case s == nil:
		return []api.Finding{fine("slack", "", "not set up")}
	case s.err != nil:
		return []api.Finding{{Check: "slack", State: api.StateFail, Says: s.err.Error(), Off: "everything in Slack",
			Do: "Copy the Bot User OAuth Token of the Slack App into SLACK_BOT_TOKEN, and restart", Link: page}}
	case len(s.lacking()) > 0:
		return []api.Finding{{Check: "slack", State: api.StateFail,
			Says: "the token lacks the scopes " + strings.Join(s.lacking(), ", "), Off: strings.Join(s.off(), "; "),
			Do: "Add them under OAuth & Permissions, and install the App in the workspace again", Link: page}}
	case s.failing > 0:
		return []api.Finding{{Check: "slack", State: api.StateFail,
			Says: fmt.Sprintf("%s could not be shown, one of them because of this: %s", counted(s.failing, "message"), s.why),
			Off:  "news in that channel",
			Do:   "Invite the bot into the channel (`/invite @waybill`), or correct `slack` in the pipeline file"}}
	}
	return []api.Finding{fine("slack", "", "takes the token and the messages")}
}

// channels checks that the channels that pipeline files name belong to the owners of the pipelines.
func channels(f *facts) (all []api.Finding) {
	if f.slack == nil {
		return nil
	}
	for _, s := range f.pipelines {
		for _, channel := range f.slack.channels.Unclaimed(s.Installation, s.pipeline) {
			all = append(all, api.Finding{Check: "slack", About: string(s.Repo), State: api.StateWarn,
				Says: fmt.Sprintf("nobody has claimed the channel %s for %s", channel, s.Repo.Owner()),
				Off:  "messages of this pipeline in that channel",
				Do: fmt.Sprintf("Type `/waybill claim %s` there; or name the only owner that the server works for in "+
					"WAYBILL_ALLOWED_OWNERS", s.Repo)})
		}
	}
	return all
}

// lacking returns the scopes that are not there.
func (s *slackFacts) lacking() []string {
	if s.scopes == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(slack.Scopes), func(one string) bool { return slices.Contains(s.scopes, one) })
}

// off returns what does not work without the scopes that are not there.
func (s *slackFacts) off() (all []string) {
	for _, scope := range s.lacking() {
		all = append(all, scopeFor[scope])
	}
	return all
}

// scopeFor says what each scope of the bot is for, as docs/slack.md does.
var scopeFor = map[string]string{
	"app_mentions:read": "answers to mentions",
	"chat:write":        "messages and answers in channels",
	"commands":          "`/waybill`",
	"im:write":          "direct messages to people who can sign a promotion off",
	"users:read":        "everything that people do in Slack, as guests cannot be told from members",
}

// oldBackup is how old the last backup may be: who makes them makes one a day.
const oldBackup = 3 * 24 * time.Hour

// leastRoom is how much room for the database there should be, besides as much as it has.
const leastRoom = 100 << 20

// ofDatabase checks that the database can be used, and can grow.
func ofDatabase(f *facts) []api.Finding {
	d := f.database
	says := fmt.Sprintf("%s has %s, schema %d", d.url, megabytes(uint64(d.bytes)), d.schema)
	if d.servers > 1 {
		says += fmt.Sprintf("; %d servers work on it", d.servers)
	}
	if d.known {
		says += fmt.Sprintf("; %s are free on its disk", megabytes(d.room))
	}
	if !d.copied.IsZero() {
		says += fmt.Sprintf("; its last copy by waybill backup is of %s", d.copied.UTC().Format("2006-01-02 15:04 UTC"))
	}
	switch {
	case d.trouble != nil:
		return []api.Finding{{Check: "database", State: api.StateFail, Says: d.trouble.Error(), Off: "everything",
			Do: "Repair what the error names; if the file is damaged, restore a backup"}}
	case d.known && d.room < leastRoom:
		return []api.Finding{{Check: "database", State: api.StateFail, Says: says,
			Off: "everything, once the disk is full", Do: "Make room on the disk"}}
	case d.known && d.room < uint64(d.bytes):
		return []api.Finding{{Check: "database", State: api.StateWarn, Says: says,
			Off: "a backup on the same disk", Do: "Make room on the disk, or keep backups on another"}}
	case !d.copied.IsZero() && f.now.Sub(d.copied) > oldBackup:
		return []api.Finding{{Check: "database", State: api.StateWarn, Says: says,
			Off: "the way back to a newer state", Do: "See why waybill backup does not run any more, or fails"}}
	}
	return []api.Finding{fine("database", "", "%s", says)}
}

// megabytes is a size for people.
func megabytes(bytes uint64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
