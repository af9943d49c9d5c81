package config_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// newKey makes a key, once for all tests.
var newKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// privateKey returns a key in GitHub's format.
func privateKey(t *testing.T) string {
	key, err := newKey()
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// environment is a complete environment with changes of the form NAME=VALUE.
func environment(key string, changes ...string) func(string) string {
	values := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "12",
		"GITHUB_APP_WEBHOOK_SECRET": "hush-webhook",
		"GITHUB_APP_PRIVATE_KEY":    key,
	}
	for _, c := range changes {
		name, value, _ := strings.Cut(c, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func TestTheServerIsSetUpFromTheEnvironment(t *testing.T) {
	key := privateKey(t)
	got, err := config.FromEnv(environment(key))
	require.NoError(t, err)
	require.Equal(t, config.Server{
		Listen:      "127.0.0.1:8080",
		DatabaseURL: "sqlite://waybill.db",
		Resync:      10 * time.Hour,
		Patience:    30 * time.Minute,
		Content:     config.Content{PerMinute: 18, PerHour: 140},
		Door:        config.Door{PerAddress: 100},
		LogLevel:    zerolog.InfoLevel,
		GitHub: config.GitHub{
			WebURL: "https://github.com", V3APIURL: "https://api.github.com", V4APIURL: "https://api.github.com/graphql",
			AppID: 12, WebhookSecret: "hush-webhook", PrivateKey: config.Secret(strings.TrimSpace(key)),
		},
	}, got)

	got, err = config.FromEnv(environment(key,
		"WAYBILL_LISTEN=[::1]:0", "WAYBILL_PUBLIC_URL=https://waybill.acme.example/",
		"WAYBILL_DATABASE_URL=sqlite:///var/lib/waybill.db",
		"WAYBILL_RESYNC=1d", "WAYBILL_POLICY_FILE=/etc/policy.yml", "WAYBILL_ALLOWED_OWNERS=acme, Globex:42",
		"WAYBILL_LOG_LEVEL=DEBUG",
		"WAYBILL_API_TOKENS_FILE=/etc/tokens", "GITHUB_APP_WEBHOOK_SECRET_PREVIOUS=hush-previous",
		"GITHUB_OAUTH_CLIENT_ID=Iv1.1", "GITHUB_OAUTH_CLIENT_SECRET=hush-oauth", "GITHUB_WEB_URL=https://ghe.example",
		"GITHUB_V3_API_URL=https://ghe.example/api/v3", "GITHUB_V4_API_URL=https://ghe.example/api/graphql",
		"SLACK_BOT_TOKEN=xoxb-hush", "SLACK_SIGNING_SECRET=hush-signing", "SLACK_APP_TOKEN=xapp-hush",
		"SLACK_API_URL=http://127.0.0.1:9/api"))
	require.NoError(t, err)
	require.Equal(t, "[::1]:0", got.Listen)
	require.Equal(t, "https://waybill.acme.example", got.PublicURL)
	require.Equal(t, config.Secret("sqlite:///var/lib/waybill.db"), got.DatabaseURL)
	require.Equal(t, 24*time.Hour, got.Resync)
	require.Equal(t, "/etc/policy.yml", got.PolicyFile)
	require.Equal(t, zerolog.DebugLevel, got.LogLevel)
	require.Equal(t, "/etc/tokens", got.APITokensFile)
	require.Equal(t, config.Secret("hush-previous"), got.GitHub.PreviousWebhookSecret)
	require.Equal(t, []promotion.Actor{{Login: "acme"}, {ID: 42, Login: "Globex"}}, got.AllowedOwners)
	require.Equal(t, config.Slack{
		BotToken: "xoxb-hush", SigningSecret: "hush-signing", AppToken: "xapp-hush", APIURL: "http://127.0.0.1:9/api/",
	}, got.Slack)
	require.Empty(t, got.Warnings)

	require.Equal(t, "https://ghe.example/api/v3", got.GitHub.V3APIURL)
	require.Equal(t, "https://ghe.example/api/graphql", got.GitHub.V4APIURL)
	require.Equal(t, int64(12), got.GitHub.AppID)
	require.Equal(t, config.Secret("hush-webhook"), got.GitHub.WebhookSecret)
	require.Equal(t, config.Secret("hush-oauth"), got.GitHub.OAuthClientSecret)
	require.Equal(t, config.Secret(strings.TrimSpace(key)), got.GitHub.PrivateKey)
}

func TestTokensOfWorkflowsAreThoseOfTheGitHubThatTheServerWorksWith(t *testing.T) {
	key := privateKey(t)
	enterprise := []string{"GITHUB_WEB_URL=https://ghe.example/", "GITHUB_V3_API_URL=https://ghe.example/api/v3",
		"GITHUB_V4_API_URL=https://ghe.example/api/graphql"}
	for _, test := range []struct {
		set  []string
		want config.Workflows
	}{
		{nil, config.Workflows{}},
		{[]string{"WAYBILL_PUBLIC_URL=https://waybill.example/"},
			config.Workflows{Issuer: "https://token.actions.githubusercontent.com", Audience: "https://waybill.example"}},
		{[]string{"WAYBILL_PUBLIC_URL=https://waybill.example", "WAYBILL_OIDC_AUDIENCE=waybill"},
			config.Workflows{Issuer: "https://token.actions.githubusercontent.com", Audience: "waybill"}},
		{append(enterprise, "WAYBILL_OIDC_AUDIENCE=waybill"),
			config.Workflows{Issuer: "https://ghe.example/_services/token", Audience: "waybill"}},
		{[]string{"WAYBILL_OIDC_ISSUER=http://127.0.0.1:9/", "WAYBILL_OIDC_AUDIENCE=waybill"},
			config.Workflows{Issuer: "http://127.0.0.1:9", Audience: "waybill"}},
	} {
		got, err := config.FromEnv(environment(key, test.set...))
		require.NoError(t, err)
		require.Equal(t, test.want, got.Workflows, test.set)
	}
}

func TestAKeyMayBeWrittenOnOneLineAndInEitherEncoding(t *testing.T) {
	key := privateKey(t)
	got, err := config.FromEnv(environment(strings.ReplaceAll(key, "\n", `\n`)))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(key), string(got.GitHub.PrivateKey))

	parsed, err := newKey()
	require.NoError(t, err)
	bytes, err := x509.MarshalPKCS8PrivateKey(parsed)
	require.NoError(t, err)
	_, err = config.FromEnv(environment(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes}))))
	require.NoError(t, err)
}

// T19 and T25: an empty secret stops the start.
func TestT19AMissingOrEmptySecretStopsTheStartWithTheNameOfItsVariable(t *testing.T) {
	_, err := config.FromEnv(func(string) string { return "" })
	require.EqualError(t, err, strings.Join([]string{
		"GITHUB_APP_INTEGRATION_ID is missing: it holds the id of the GitHub App",
		"GITHUB_APP_WEBHOOK_SECRET is missing: it holds the secret that GitHub signs webhooks with",
		"GITHUB_APP_PRIVATE_KEY is missing: it holds the private key of the GitHub App, in PEM",
	}, "\n"))

	key := privateKey(t)
	for _, test := range []struct{ change, name string }{
		{"GITHUB_APP_WEBHOOK_SECRET=", "GITHUB_APP_WEBHOOK_SECRET is missing"},
		{"GITHUB_APP_WEBHOOK_SECRET= \n", "GITHUB_APP_WEBHOOK_SECRET is missing"},
		{"GITHUB_APP_PRIVATE_KEY= ", "GITHUB_APP_PRIVATE_KEY is missing"},
		{"GITHUB_OAUTH_CLIENT_ID=Iv1.1", "GITHUB_OAUTH_CLIENT_SECRET is missing"},
		{"GITHUB_OAUTH_CLIENT_SECRET=hush", "GITHUB_OAUTH_CLIENT_ID is missing"},
		{"GITHUB_OAUTH_CLIENT_ID=Iv1.1", "WAYBILL_PUBLIC_URL is missing: GITHUB_OAUTH_CLIENT_ID is set"},
	} {
		_, err := config.FromEnv(environment(key, test.change))
		require.ErrorContains(t, err, test.name)
	}
}

func TestAnIssuerThatAnybodyCouldAnswerForIsRefused(t *testing.T) {
	_, err := config.FromEnv(environment(privateKey(t), "WAYBILL_OIDC_ISSUER=http://issuer.example",
		"WAYBILL_OIDC_AUDIENCE=waybill"))
	require.ErrorContains(t, err, "WAYBILL_OIDC_ISSUER must begin with https://")
}

func TestAWrongVariableIsNamedWithItsRemedyAndWithoutItsSecret(t *testing.T) {
	key := privateKey(t)
	for _, test := range []struct{ change, want string }{
		{"GITHUB_APP_INTEGRATION_ID=twelve",
			`GITHUB_APP_INTEGRATION_ID must be the id of the GitHub App, a number, not "twelve"`},
		{"GITHUB_APP_INTEGRATION_ID=0", `GITHUB_APP_INTEGRATION_ID must be the id of the GitHub App, a number, not "0"`},
		{"GITHUB_APP_WEBHOOK_SECRET=hush\n",
			"GITHUB_APP_WEBHOOK_SECRET begins or ends with a blank or a line break; remove that"},
		{"GITHUB_APP_PRIVATE_KEY=hush", "GITHUB_APP_PRIVATE_KEY is not in PEM; it must be the contents of the .pem file " +
			"that GitHub made, from -----BEGIN to END-----"},
		{"GITHUB_APP_PRIVATE_KEY=" + "-----BEGIN RSA PRIVATE KEY-----\naHVzaA==\n-----END RSA PRIVATE KEY-----",
			"GITHUB_APP_PRIVATE_KEY is not an RSA private key as GitHub makes them; make a new one in the App's settings"},
		{"GITHUB_WEB_URL=ghe.example",
			"GITHUB_WEB_URL must be a URL such as https://example.com, without a name, a query or a fragment"},
		{"GITHUB_WEB_URL=https://ghe.example",
			"GITHUB_V3_API_URL is missing: GITHUB_WEB_URL is not github.com; the API is usually at https://ghe.example/api/v3"},
		{"WAYBILL_PUBLIC_URL=https://hush:hush@example.com",
			"WAYBILL_PUBLIC_URL must be a URL such as https://example.com, without a name, a query or a fragment"},
		{"WAYBILL_LISTEN=8080", `WAYBILL_LISTEN must be a host and a port such as 127.0.0.1:8080, not "8080"`},
		{"WAYBILL_LISTEN=:99999", `WAYBILL_LISTEN must be a host and a port such as 127.0.0.1:8080, not ":99999"`},
		{"WAYBILL_DATABASE_URL=mysql://me:hush@db/waybill", "WAYBILL_DATABASE_URL must be sqlite:// and the path of a " +
			"file, such as sqlite://waybill.db, or postgres://USER:PASSWORD@HOST/DATABASE"},
		{"WAYBILL_DATABASE_URL=waybill.db",
			"WAYBILL_DATABASE_URL must be sqlite:// and the path of a file, such as sqlite://waybill.db, " +
				"or postgres://USER:PASSWORD@HOST/DATABASE"},
		{"WAYBILL_DATABASE_URL=sqlite://",
			"WAYBILL_DATABASE_URL must be sqlite:// and the path of a file, such as sqlite://waybill.db, " +
				"or postgres://USER:PASSWORD@HOST/DATABASE"},
		{"WAYBILL_RESYNC=0", `WAYBILL_RESYNC must be a duration from 1m to 168h such as 10h, not "0"`}, // R4
		{
			"WAYBILL_CONTENT_PER_MINUTE=0", `WAYBILL_CONTENT_PER_MINUTE must be a number from 1 to 10000 such as 18, not "0"`,
		},
		{
			"WAYBILL_CONTENT_PER_HOUR=many", `WAYBILL_CONTENT_PER_HOUR must be a number from 1 to 10000 such as 140, not "many"`,
		},
		{"WAYBILL_TRUSTED_PROXIES=10.0.0.0/8, proxy.example", "WAYBILL_TRUSTED_PROXIES must list addresses and networks " +
			`such as 10.0.0.7 or 10.0.0.0/8, not "proxy.example"`},
		{"WAYBILL_TRUSTED_PROXIES=0.0.0.0/0",
			`WAYBILL_TRUSTED_PROXIES must not have "0.0.0.0/0": everybody could claim any address`},
		{"WAYBILL_CONNECTIONS_PER_ADDRESS=0",
			`WAYBILL_CONNECTIONS_PER_ADDRESS must be a number from 1 to 10000 such as 100, not "0"`},
		{"WAYBILL_REPLICAS=3", `WAYBILL_REPLICAS must be false or true, not "3"`},
		{"WAYBILL_REPLICAS=true", "WAYBILL_REPLICAS is true, and WAYBILL_DATABASE_URL is a file: several servers need a " +
			"database of PostgreSQL"},
		{"WAYBILL_METRICS_FROM=home", `WAYBILL_METRICS_FROM must be inside or anywhere, not "home"`},
		{"WAYBILL_WEBHOOKS_FROM=slack", `WAYBILL_WEBHOOKS_FROM must be anywhere or github, not "slack"`},
		{"WAYBILL_PATIENCE=30s", `WAYBILL_PATIENCE must be a duration from 1m to 168h such as 30m, not "30s"`},
		{"WAYBILL_RESYNC=30s", `WAYBILL_RESYNC must be a duration from 1m to 168h such as 10h, not "30s"`},
		{"WAYBILL_RESYNC=10000h", `WAYBILL_RESYNC must be a duration from 1m to 168h such as 10h, not "10000h"`},
		{"WAYBILL_ALLOWED_OWNERS=,", "WAYBILL_ALLOWED_OWNERS names nobody; remove it to serve every installation"},
		{"WAYBILL_ALLOWED_OWNERS=acme/api",
			`WAYBILL_ALLOWED_OWNERS must list organisations and users by name, not "acme/api"`},
		{"WAYBILL_ALLOWED_OWNERS=acme:globex", `WAYBILL_ALLOWED_OWNERS has "acme:globex": after the colon belongs GitHub's ` +
			"number of the owner, as in acme:583231"},
		{"WAYBILL_OIDC_ISSUER=https://issuer.example",
			"WAYBILL_OIDC_AUDIENCE is missing: WAYBILL_OIDC_ISSUER is set, and tokens must say whom they are meant for"},
		{"WAYBILL_EVENTS_SECRET=hush-events", "WAYBILL_EVENTS_URL is missing: WAYBILL_EVENTS_SECRET is set"},
		{"WAYBILL_EVENTS_URL=https://events.example", "WAYBILL_EVENTS_SECRET is missing: WAYBILL_EVENTS_URL is set"},
		{"WAYBILL_EVENTS_URL=ftp://events.example", "WAYBILL_EVENTS_URL must be a URL such as https://example.com"},
		{"WAYBILL_LOG_LEVEL=loud", `WAYBILL_LOG_LEVEL must be one of trace, debug, info, warn, error, not "loud"`},
	} {
		_, err := config.FromEnv(environment(key, test.change))
		require.ErrorContains(t, err, test.want, test.change)
		require.NotContains(t, err.Error(), "hush", test.change)
	}
}

// T36: no secret appears in printed, logged or dumped text.
func TestT36ASecretIsNeverPrinted(t *testing.T) {
	key := privateKey(t)
	server, err := config.FromEnv(environment(key, "GITHUB_APP_WEBHOOK_SECRET_PREVIOUS=hush-previous",
		"GITHUB_OAUTH_CLIENT_ID=x", "GITHUB_OAUTH_CLIENT_SECRET=hush-oauth", "WAYBILL_PUBLIC_URL=https://waybill.example",
		"SLACK_BOT_TOKEN=xoxb-hush", "SLACK_SIGNING_SECRET=hush-signing", "SLACK_APP_TOKEN=xapp-hush",
		"WAYBILL_EVENTS_URL=https://events.example/hush", "WAYBILL_EVENTS_SECRET=hush-events",
		"WAYBILL_DATABASE_URL=postgres://waybill:hush@db.example/waybill"))
	require.NoError(t, err)
	require.Equal(t, config.Secret("hush-events"), server.Events.Secret)
	require.Equal(t, config.Secret("xapp-hush"), server.Slack.AppToken)
	dump, err := json.Marshal(server)
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprint(server), fmt.Sprintf("%v %+v %#v", server, server, server),
		fmt.Sprintf("%q %x", server.GitHub.WebhookSecret, server.GitHub.WebhookSecret), string(dump),
	} {
		require.NotContains(t, text, "hush")
		require.NotContains(t, text, "PRIVATE KEY")
		require.NotContains(t, text, fmt.Sprintf("%x", "hush"))
	}
	require.Equal(t, "[none]", config.Secret("").String())
}

func TestT25SlackThatIsSetUpByHalvesStopsTheStartWithTheNameOfTheVariable(t *testing.T) {
	key := privateKey(t)
	for _, c := range []struct{ set, says string }{
		{"SLACK_SIGNING_SECRET=hush", "SLACK_BOT_TOKEN is missing"},
		{"SLACK_APP_TOKEN=xapp-1", "SLACK_BOT_TOKEN is missing"},
		{"SLACK_API_URL=http://127.0.0.1:9/api/", "SLACK_BOT_TOKEN is missing"},
		{"SLACK_BOT_TOKEN=xoxb-1", "SLACK_SIGNING_SECRET is missing"},
		{"SLACK_BOT_TOKEN=xoxp-1", "SLACK_BOT_TOKEN is not a token of this kind: it begins with xoxb-"},
		{"SLACK_APP_TOKEN=xoxb-1", "SLACK_APP_TOKEN is not a token of this kind: it begins with xapp-"},
	} {
		_, err := config.FromEnv(environment(key, c.set))
		require.ErrorContains(t, err, c.says, c.set)
	}
	for _, enough := range []string{"SLACK_SIGNING_SECRET=hush", "SLACK_APP_TOKEN=xapp-1"} {
		got, err := config.FromEnv(environment(key, "SLACK_BOT_TOKEN=xoxb-1", enough))
		require.NoError(t, err)
		require.True(t, got.Slack.On())
		require.Len(t, got.Warnings, 1, "nobody can link")
	}
	got, err := config.FromEnv(environment(key))
	require.NoError(t, err)
	require.False(t, got.Slack.On())
}

func TestTheDoorIsSetUpFromTheEnvironment(t *testing.T) {
	got, err := config.FromEnv(environment(privateKey(t), "WAYBILL_TRUSTED_PROXIES=10.1.2.3/8,192.0.2.7 2001:db8::/32",
		"WAYBILL_CONNECTIONS_PER_ADDRESS=7", "WAYBILL_WEBHOOKS_FROM=github"))
	require.NoError(t, err)
	require.Equal(t, config.Door{
		Proxies: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("2001:db8::/32"),
		},
		PerAddress: 7, OnlyGitHub: true,
	}, got.Door)
	require.Empty(t, got.Warnings)
	got, err = config.FromEnv(environment(privateKey(t), "WAYBILL_WEBHOOKS_FROM=github"))
	require.NoError(t, err)
	require.Len(t, got.Warnings, 1)
	require.Contains(t, got.Warnings[0], "WAYBILL_TRUSTED_PROXIES is not set")
}

func TestADatabaseIsAFileOrOnAServer(t *testing.T) {
	for _, url := range []string{
		"sqlite:///data/w.db", "postgres://me:hush@db/waybill", "postgresql:///waybill?host=/run",
	} {
		got, err := config.DatabaseFromEnv(environment("", "WAYBILL_DATABASE_URL="+url))
		require.NoError(t, err)
		require.Equal(t, url, got)
	}
}

func TestEventsAreSentWhereNobodyListensOnTheWay(t *testing.T) {
	for address, good := range map[string]bool{
		"https://events.example/waybill": true, "http://127.0.0.1:9/": true, "http://localhost:9": true,
		"http://events.example/": false, "http://10.0.0.1/": false,
	} {
		s, err := config.FromEnv(environment(privateKey(t), "WAYBILL_EVENTS_URL="+address, "WAYBILL_EVENTS_SECRET=hush"))
		if !good {
			require.ErrorContains(t, err, "WAYBILL_EVENTS_URL must begin with https://", address)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, config.Events{URL: config.Secret(address), Secret: "hush"}, s.Events)
	}
}
