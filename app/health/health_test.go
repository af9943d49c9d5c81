package health

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/promotion"
	"waybill/store"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// all returns grants of everything in the tables.
func all() gh.Grants {
	g := gh.Grants{Permissions: map[string]string{}}
	for _, n := range Permissions {
		g.Permissions[n.Name] = n.Level // of two levels the second is the higher one
	}
	for _, n := range Events {
		g.Events = append(g.Events, n.Name)
	}
	return g
}

// waits is a pipeline of acme that waits for images.
var waits = served{
	PipelineRow: store.PipelineRow{ID: 1, Repo: "acme/deploy", Installation: 5},
	pipeline: &promotion.Pipeline{ID: 1, Home: "acme/deploy", Warehouses: []*promotion.Warehouse{{
		Repo: "acme/deploy", Images: []promotion.Awaited{{Image: "ghcr.io/acme/api"}}}}},
}

// TestAnAccountThatHasNotAcceptedAPermissionIsNamed has the App ask for Packages, and two accounts not grant it.
func TestAnAccountThatHasNotAcceptedAPermissionIsNamed(t *testing.T) {
	less := all()
	delete(less.Permissions, "packages")
	f := &facts{
		app: gh.Registration{Grants: all(), Settings: "https://github.com/settings/apps/waybill"},
		installations: []gh.Installation{
			{ID: 5, Account: promotion.Actor{Login: "acme"}, Grants: less, Page: "https://github.com/organizations/acme/5"},
			{ID: 6, Account: promotion.Actor{Login: "other"}, Grants: less},
			{ID: 7, Account: promotion.Actor{Login: "fine"}, Grants: all()},
		},
		pipelines: []served{waits},
	}
	found := granted(f)
	require.Len(t, found, 2)
	require.Equal(t, api.Finding{
		Check: "permission", About: "Packages (read)", State: api.StateFail,
		Says: "acme has not accepted it, nor the events that come with it (registry_package)",
		Off:  "freight that needs an image never becomes available (acme/deploy)",
		Do:   "An owner of acme has to accept the App's new permissions in installation 5",
		Link: "https://github.com/organizations/acme/5",
	}, found[0])
	require.Equal(t, api.StateOK, found[1].State, "no pipeline of other waits for images")
	require.Contains(t, found[1].Says, "other has not accepted it")
	require.Equal(t, api.StateOK, subscribed(f)[0].State)
}

// TestAnswersToGitHubHaveACauseAndARemedy gives GitHub one answer after the other.
func TestAnswersToGitHubHaveACauseAndARemedy(t *testing.T) {
	for code, says := range map[int]string{
		http.StatusUnauthorized: "another secret", http.StatusForbidden: "WAYBILL_WEBHOOKS_FROM",
		http.StatusNotFound: "does not lead to Waybill", http.StatusServiceUnavailable: "could not store",
		http.StatusBadGateway: "in front of it answered 502",
	} {
		f := &facts{now: noon, received: noon.Add(-2 * time.Hour), attempts: []gh.Attempt{
			{At: noon, Code: 0}, {At: noon.Add(-time.Minute), Code: code}, {At: noon.Add(-2 * time.Hour), Code: 202},
		}}
		found := webhooks(f)
		require.Len(t, found, 1)
		require.Equal(t, api.StateFail, found[0].State)
		require.Contains(t, found[0].Says, says)
		require.Contains(t, found[0].Says, "the last that was taken came 2h0m ago")
		require.NotEmpty(t, found[0].Do)
	}
	f := &facts{now: noon, missed: 1, attempts: []gh.Attempt{{At: noon, Code: 202}, {At: noon, Code: 502}}}
	require.Contains(t, webhooks(f)[0].Says, "1 were not taken at first, and 1 are still missing")
	require.Equal(t, api.StateWarn, webhooks(&facts{now: noon})[0].State, "GitHub has delivered nothing")
	f.sweep.Error = "502"
	require.Equal(t, api.StateFail, webhooks(f)[0].State)
}

func TestADatabaseNeedsRoom(t *testing.T) {
	const gigabyte = 1 << 30
	for _, c := range []struct {
		database
		state string
	}{
		{database{bytes: gigabyte, known: true, room: 2 * gigabyte}, api.StateOK},
		{database{bytes: gigabyte, known: true, room: gigabyte / 2}, api.StateWarn},
		{database{bytes: 1, known: true, room: 1 << 20}, api.StateFail},
		{database{bytes: gigabyte}, api.StateOK},
		{database{trouble: errors.New("damaged")}, api.StateFail},
		{database{bytes: 1, copied: noon.Add(-oldBackup)}, api.StateOK},
		{database{bytes: 1, copied: noon.Add(-oldBackup - time.Second)}, api.StateWarn},
	} {
		found := ofDatabase(&facts{now: noon, database: c.database})
		require.Equal(t, c.state, found[0].State, found[0])
	}
}

func TestSlackNeedsItsScopes(t *testing.T) {
	found := inSlack(&facts{slack: &slackFacts{scopes: []string{"commands", "chat:write", "im:write", "users:read"}}})
	require.Equal(t, api.StateFail, found[0].State)
	require.Contains(t, found[0].Says, "app_mentions:read")
	require.NotContains(t, found[0].Says, "chat:write")
	require.Equal(t, "answers to mentions", found[0].Off)
	for _, scope := range slack.Scopes {
		require.NotEmpty(t, scopeFor[scope], scope)
	}
	require.Equal(t, api.StateOK, inSlack(&facts{slack: &slackFacts{}})[0].State, "Slack does not say")
}

func TestAChannelNeedsAClaim(t *testing.T) {
	one := served{pipeline: &promotion.Pipeline{Stages: []*promotion.Stage{{Name: "quiet"},
		{Name: "dev", Slack: "#deploys"}, {Name: "prod", Slack: "#deploys"}, {Name: "audit", Slack: "C2"}}}}
	one.Repo, one.Installation = "acme/deploy", 7
	f := facts{slack: &slackFacts{}, pipelines: []served{one}}
	found := channels(&f)
	require.Len(t, found, 2)
	require.Equal(t, api.StateWarn, found[0].State)
	require.Equal(t, "nobody has claimed the channel #deploys for acme", found[0].Says)
	require.Contains(t, found[0].Do, "`/waybill claim acme/deploy` there")
	f.slack.channels.Claimed = []store.Channel{{ID: "C1", Name: "#deploys", Installation: 8}, {ID: "C2", Installation: 7}}
	require.Len(t, channels(&f), 1, "another owner has claimed it")
	f.slack.channels.Claimed[0].Installation = 7
	require.Empty(t, channels(&f))
	require.Empty(t, channels(&facts{slack: &slackFacts{channels: store.Channels{Sole: true}}, pipelines: f.pipelines}))
	require.Empty(t, channels(&facts{pipelines: f.pipelines}), "Slack is not set up")
}

// TestAClockIsOffByMoreThanATolerance has GitHub's clock ahead of ours, and behind it.
func TestAClockIsOffByMoreThanATolerance(t *testing.T) {
	for ahead, state := range map[time.Duration]string{
		0: api.StateOK, clockTolerance: api.StateOK, -clockTolerance: api.StateOK, time.Minute: api.StateFail,
		-time.Minute: api.StateFail,
	} {
		require.Equal(t, state, clock(&facts{app: gh.Registration{Ahead: ahead}})[0].State, ahead)
	}
	require.Contains(t, clock(&facts{app: gh.Registration{Ahead: -time.Hour}})[0].Says, "1h0m0s ahead of GitHub's")
}

// TestOnlyWhatIsGrantedNowIsThereAgain leaves out what nobody needs any more, and installations that are gone.
func TestOnlyWhatIsGrantedNowIsThereAgain(t *testing.T) {
	less := all()
	delete(less.Permissions, "packages")
	f := &facts{
		app:           gh.Registration{Grants: all()},
		installations: []gh.Installation{{ID: 5, Grants: less}, {ID: 6, Grants: all()}},
	}
	for _, c := range []struct {
		name         string
		event        bool
		installation int64
		has          bool
	}{
		{"Packages (read)", false, 5, false}, {"Packages (read)", false, 6, true}, {"Packages (read)", false, 7, false},
		{"Packages (read)", false, 0, true}, {"push", true, 0, true}, {"pushed", true, 0, false},
	} {
		lacked := env.Lacking{
			Ungranted: promotion.Ungranted{Name: c.name, Event: c.event}, Installation: c.installation,
		}
		require.Equal(t, c.has, f.has(lacked), c)
	}
	require.Empty(t, f.lacks(), "nobody has a pipeline there")
}
