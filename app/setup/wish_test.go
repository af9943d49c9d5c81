package setup_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/app/health"
	"waybill/app/setup"
)

// atGitHub returns the wish of somebody at github.com.
func atGitHub(t *testing.T) setup.Wish {
	t.Helper()
	there, err := setup.At("https://github.com")
	require.NoError(t, err)
	return setup.Wish{GitHub: there, Public: "https://waybill.example.com", Org: "acme"}
}

func TestTheManifestAsksForEachPermissionAndEventOfTheTables(t *testing.T) {
	m := atGitHub(t).Manifest("http://127.0.0.1:1/made")
	for _, n := range health.Permissions {
		require.Contains(t, []string{n.Level, "write"}, m.Permissions[n.Name], n.Name)
	}
	require.Equal(t, "write", m.Permissions["actions"], "the higher of two levels")
	for _, n := range health.Events {
		require.Contains(t, m.Events, n.Name)
	}
	require.Len(t, m.Events, len(health.Events))
	text, err := json.Marshal(m)
	require.NoError(t, err)
	for _, part := range []string{
		`"name":"waybill-acme"`, `"url":"https://waybill.example.com"`, `"public":false`,
		`"hook_attributes":{"url":"https://waybill.example.com/api/github/hook","active":true}`,
		`"redirect_url":"http://127.0.0.1:1/made"`,
		`"callback_urls":["https://waybill.example.com/auth/github/callback"]`,
	} {
		require.Contains(t, string(text), part)
	}
}

// TestAFeatureThatIsLeftOutTakesItsPermissionsAndEventsWithIt leaves one out after the other.
func TestAFeatureThatIsLeftOutTakesItsPermissionsAndEventsWithIt(t *testing.T) {
	whole := atGitHub(t).Manifest("")
	for _, feature := range setup.Features() {
		w := atGitHub(t)
		w.Without = []string{feature}
		m := w.Manifest("")
		require.NotEqual(t, whole, m, feature)
		for _, n := range health.Permissions {
			if n.For.Has == nil {
				require.Equal(t, n.Level, m.Permissions[n.Name], "%s without %s", n.Name, feature)
			}
		}
		for _, n := range health.Events {
			has := n.For.Name != feature && (n.With == "" || m.Permissions[n.With] != "")
			require.Equal(t, has, slices.Contains(m.Events, n.Name), "%s without %s", n.Name, feature)
		}
	}
	w := atGitHub(t)
	w.Without = []string{"workflows"}
	require.Equal(t, "read", w.Manifest("").Permissions["actions"], "environments still ask for it")
}

func TestNamesOfAppsDifferFromOneAnother(t *testing.T) {
	for _, c := range []struct {
		w    setup.Wish
		name string
	}{
		{setup.Wish{Public: "https://waybill.example.com"}, "waybill-example-com"},
		{setup.Wish{Public: "http://127.0.0.1:8080"}, "waybill-127-0-0-1-8080"},
		{setup.Wish{Public: "https://x.example", Org: "acme", Name: "bot"}, "bot"},
		{setup.Wish{Public: "https://releases.platform.engineering.example.com"}, "waybill-releases-platform-engineer"},
	} {
		require.Equal(t, c.name, c.w.Manifest("").Name)
		require.NoError(t, setup.CheckName(c.name))
	}
	require.ErrorContains(t, setup.CheckName(strings.Repeat("x", 35)), "has 35 letters: GitHub allows 34")
}

func TestWhereAGitHubIs(t *testing.T) {
	for address, want := range map[string]setup.GitHub{
		"https://github.com/":  {"https://github.com", "https://api.github.com", "https://api.github.com/graphql"},
		"https://GitHub.com":   {"https://github.com", "https://api.github.com", "https://api.github.com/graphql"},
		"https://acme.GHE.com": {"https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"},
		"https://git.example.com": {"https://git.example.com", "https://git.example.com/api/v3",
			"https://git.example.com/api/graphql"},
	} {
		have, err := setup.At(address)
		require.NoError(t, err)
		require.Equal(t, want, have)
	}
	for address, why := range map[string]string{
		"github.com":                         "is no address such as",
		"ftp://git.example.com":              "is no address such as",
		"https://git.example.com/acme":       "must end behind the host, as in https://git.example.com",
		"http://git.example.com":             "must begin with https://",
		"http://github.com":                  "must begin with https://",
		"https://ann:secret@git.example.com": "must end behind the host",
	} {
		_, err := setup.At(address)
		require.ErrorContains(t, err, why)
	}
}

func TestWhereAServerIs(t *testing.T) {
	there, here := atGitHub(t).GitHub, setup.GitHub{WebURL: "http://127.0.0.1:3000"}
	for address, why := range map[string]string{
		"http://waybill.example.com": "must begin with https://",
		"https://localhost:8080":     "GitHub cannot reach localhost:8080",
		"https://127.0.0.1":          "GitHub cannot reach 127.0.0.1",
		"waybill.example.com":        "is no address such as https://waybill.example.com",
	} {
		_, err := there.PublicURL(address)
		require.ErrorContains(t, err, why)
	}
	public, err := there.PublicURL("https://waybill.example.com/")
	require.NoError(t, err)
	require.Equal(t, "https://waybill.example.com", public)
	public, err = here.PublicURL("http://127.0.0.1:8080")
	require.NoError(t, err, "a GitHub on this machine reaches it")
	require.Equal(t, "http://127.0.0.1:8080", public)
}

func TestThePageOfAManifestBelongsToItsOwner(t *testing.T) {
	w := atGitHub(t)
	require.Equal(t, "https://github.com/organizations/acme/settings/apps/new?state=s", w.NewAppURL("s"))
	w.Org = ""
	require.Equal(t, "https://github.com/settings/apps/new", w.NewAppURL(""))
}

func TestSettingsOfAnAppThatLacksASecretAreRefused(t *testing.T) {
	made := gh.NewApp{ID: 1, Page: "https://github.com/apps/x", Owner: "acme", ClientID: "Iv1", OAuthClientSecret: "c"}
	files := setup.Files{Key: "/k", Tokens: "/t", Database: "/d"}
	_, err := atGitHub(t).Settings(made, files)
	require.ErrorContains(t, err, "gave no usable value for GITHUB_APP_WEBHOOK_SECRET")
	made.WebhookSecret = "s"
	w := atGitHub(t)
	w.Others = []string{"beta"}
	text, err := w.Settings(made, files)
	require.NoError(t, err)
	require.Contains(t, text, "\nWAYBILL_ALLOWED_OWNERS=acme,beta\n")
	require.Contains(t, text, "\nWAYBILL_DATABASE_URL=sqlite:///d\n")
	require.NotContains(t, text, "GITHUB_WEB_URL")
	require.True(t, w.Manifest("").Public)
}
