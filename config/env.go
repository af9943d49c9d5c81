package config

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
)

// The defaults of variables that are not set.
const (
	defaultListen   = "127.0.0.1:8080"
	defaultDatabase = "sqlite://waybill.db"
	githubWeb       = "https://github.com"
	githubV3        = "https://api.github.com"
	githubV4        = "https://api.github.com/graphql"
)

// FromEnv reads the server's settings from the environment. The error has a line for each variable that is
// missing or wrong, and never shows a secret.
func FromEnv(getenv func(string) string) (Server, error) {
	e := &environment{getenv: getenv}
	s := Server{
		Listen:      e.address("WAYBILL_LISTEN", defaultListen),
		PublicURL:   strings.TrimSuffix(e.url("WAYBILL_PUBLIC_URL", ""), "/"),
		DatabaseURL: Secret(e.database("WAYBILL_DATABASE_URL", defaultDatabase)),
		Resync:      e.duration("WAYBILL_RESYNC", DefaultResync, minResync, maxResync),
		Patience:    e.duration("WAYBILL_PATIENCE", DefaultPatience, minPatience, maxPatience),
		Content: Content{
			PerMinute: e.count("WAYBILL_CONTENT_PER_MINUTE", DefaultContent.PerMinute),
			PerHour:   e.count("WAYBILL_CONTENT_PER_HOUR", DefaultContent.PerHour),
		},
		Door:          e.door(),
		PolicyFile:    e.getenv("WAYBILL_POLICY_FILE"),
		AllowedOwners: e.owners("WAYBILL_ALLOWED_OWNERS"),
		LogLevel:      e.level("WAYBILL_LOG_LEVEL", zerolog.InfoLevel),
		APITokensFile: e.getenv("WAYBILL_API_TOKENS_FILE"),
		Events:        e.events(),
		GitHub:        e.github(),
		Slack:         e.slack(),
	}
	s.Replicas = e.replicas(string(s.DatabaseURL))
	s.Workflows = e.workflows(s.GitHub.WebURL, s.PublicURL)
	if s.GitHub.OAuthClientID != "" && e.getenv("WAYBILL_PUBLIC_URL") == "" {
		e.wrong("WAYBILL_PUBLIC_URL",
			"is missing: GITHUB_OAUTH_CLIENT_ID is set, and GitHub sends people who sign in back to an address of this server")
	}
	s.Warnings = slices.Concat(e.warnings, s.slackWarnings(), s.doorWarnings())
	return s, errors.Join(e.problems...)
}

// DatabaseFromEnv reads where the database is, for commands that need nothing else.
func DatabaseFromEnv(getenv func(string) string) (url string, err error) {
	e := &environment{getenv: getenv}
	url = e.database("WAYBILL_DATABASE_URL", defaultDatabase)
	return url, errors.Join(e.problems...)
}

// environment reads variables, and files that hold secrets, and collects the mistakes in them.
type environment struct {
	getenv   func(string) string
	problems []error
	warnings []string // about files that hold secrets
}

func (e *environment) wrong(name, format string, args ...any) {
	e.problems = append(e.problems, fmt.Errorf("%s "+format, append([]any{name}, args...)...))
}

func (e *environment) github() GitHub {
	g := GitHub{
		AppID: e.id("GITHUB_APP_INTEGRATION_ID"),
		WebhookSecret: e.needed(e.secret("GITHUB_APP_WEBHOOK_SECRET"), "GITHUB_APP_WEBHOOK_SECRET",
			"the secret that GitHub signs webhooks with"),
		PreviousWebhookSecret: e.secret("GITHUB_APP_WEBHOOK_SECRET_PREVIOUS"),
		PrivateKey:            e.privateKey("GITHUB_APP_PRIVATE_KEY"),
		OAuthClientID:         e.getenv("GITHUB_OAUTH_CLIENT_ID"),
		OAuthClientSecret:     e.secret("GITHUB_OAUTH_CLIENT_SECRET"),
	}
	switch {
	case g.OAuthClientID != "" && e.missing(g.OAuthClientSecret, "GITHUB_OAUTH_CLIENT_SECRET"):
		e.wrong("GITHUB_OAUTH_CLIENT_SECRET",
			"is missing: GITHUB_OAUTH_CLIENT_ID is set, and people could not sign in without it")
	case g.OAuthClientID == "" && g.OAuthClientSecret != "":
		e.wrong("GITHUB_OAUTH_CLIENT_ID",
			"is missing: GITHUB_OAUTH_CLIENT_SECRET is set, and people could not sign in without it")
	}
	g.WebURL = e.url("GITHUB_WEB_URL", githubWeb)
	g.V3APIURL = e.url("GITHUB_V3_API_URL", e.onlyFor(g.WebURL, "GITHUB_V3_API_URL", githubV3, "/api/v3"))
	g.V4APIURL = e.url("GITHUB_V4_API_URL", e.onlyFor(g.WebURL, "GITHUB_V4_API_URL", githubV4, "/api/graphql"))
	return g
}

// onlyFor returns the address of github.com's API for a server that works with github.com. For any other one it must be
// said, because a token must not go to the wrong place.
func (e *environment) onlyFor(web, name, address, usual string) string {
	if strings.TrimSuffix(web, "/") == githubWeb || e.getenv(name) != "" {
		return address
	}
	e.wrong(name, "is missing: GITHUB_WEB_URL is not github.com; the API is usually at %s%s", strings.TrimSuffix(web, "/"),
		usual)
	return ""
}

// needed reports a secret that is not there.
func (e *environment) needed(s Secret, name, what string) Secret {
	if e.missing(s, name) {
		e.wrong(name, "is missing: it holds %s", what)
	}
	return s
}

// secret reads a secret. Blanks around it come from files and shells, and would make every signature wrong.
func (e *environment) secret(name string) Secret {
	s := e.text(name)
	trimmed := strings.TrimSpace(s)
	if trimmed != "" && trimmed != s {
		e.wrong(e.source(name), "begins or ends with a blank or a line break; remove that")
	}
	return Secret(trimmed)
}

// id reads the App's id.
func (e *environment) id(name string) int64 {
	s := e.getenv(name)
	if s == "" {
		e.wrong(name, "is missing: it holds the id of the GitHub App")
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		e.wrong(name, "must be the id of the GitHub App, a number, not %s", quote(s))
	}
	return n
}

// privateKey reads a key in PEM. Where a variable cannot hold lines, \n stands for their ends.
func (e *environment) privateKey(name string) Secret {
	s := strings.TrimSpace(e.text(name))
	if !strings.Contains(s, "\n") {
		s = strings.TrimSpace(strings.ReplaceAll(s, `\n`, "\n"))
	}
	if s == "" {
		return e.needed("", name, "the private key of the GitHub App, in PEM")
	}
	block, _ := pem.Decode([]byte(s))
	if block == nil {
		e.wrong(e.source(name),
			"is not in PEM; it must be the contents of the .pem file that GitHub made, from -----BEGIN to END-----")
		return ""
	}
	if !isRSA(block.Bytes) {
		e.wrong(e.source(name), "is not an RSA private key as GitHub makes them; make a new one in the App's settings")
	}
	return Secret(s)
}

// isRSA reports whether a key is one that tokens can be signed with, in either of its usual encodings.
func isRSA(key []byte) bool {
	if _, err := x509.ParsePKCS1PrivateKey(key); err == nil {
		return true
	}
	other, err := x509.ParsePKCS8PrivateKey(key)
	_, is := other.(*rsa.PrivateKey)
	return err == nil && is
}

func (e *environment) url(name, otherwise string) string {
	s := e.getenv(name)
	if s == "" {
		return otherwise
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		e.wrong(name, "must be a URL such as https://example.com, without a name, a query or a fragment")
	}
	return s
}

func (e *environment) address(name, otherwise string) string {
	s := e.getenv(name)
	if s == "" {
		return otherwise
	}
	_, port, err := net.SplitHostPort(s)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		e.wrong(name, "must be a host and a port such as %s, not %s", defaultListen, quote(s))
	}
	return s
}

// database reads where the database is. A URL of a server may hold a password, so none is repeated.
func (e *environment) database(name, otherwise string) string {
	s := e.text(name)
	scheme, rest, _ := strings.Cut(s, "://")
	switch {
	case s == "":
		return otherwise
	case strings.TrimSpace(s) != s:
		e.wrong(e.source(name), "must not begin or end with blanks or line breaks")
	case rest == "" || scheme != "sqlite" && scheme != "postgres" && scheme != "postgresql":
		e.wrong(e.source(name),
			"must be sqlite:// and the path of a file, such as %s, or postgres://USER:PASSWORD@HOST/DATABASE", defaultDatabase)
	}
	return s
}

// replicas reads whether other servers work on the database, too, which takes one of PostgreSQL.
func (e *environment) replicas(url string) bool {
	several := e.either("WAYBILL_REPLICAS", "false", "true")
	if several && strings.HasPrefix(url, "sqlite:") {
		e.wrong("WAYBILL_REPLICAS", "is true, and WAYBILL_DATABASE_URL is a file: several servers need a database of "+
			"PostgreSQL")
	}
	return several
}

func (e *environment) duration(name string, otherwise, least, most time.Duration) time.Duration {
	s := e.getenv(name)
	if s == "" {
		return otherwise
	}
	d, ok := parseDuration(s)
	if !ok || d < least || d > most {
		e.wrong(name, "must be a duration from %s to %s such as %s, not %s", promotion.Brief(least),
			promotion.Brief(most), promotion.Brief(otherwise),
			quote(s))
	}
	return d
}

// mostContent is more than GitHub allows by any source.
const mostContent = 10_000

func (e *environment) count(name string, otherwise int) int {
	s := e.getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > mostContent {
		e.wrong(name, "must be a number from 1 to %d such as %d, not %s", mostContent, otherwise, quote(s))
	}
	return n
}

// isSeparator reports whether a rune may stand between the members of a list.
func isSeparator(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }

// owners reads a list of organisations and users, with commas or blanks between them, each as name or name:id.
func (e *environment) owners(name string) (all []promotion.Actor) {
	s := e.getenv(name)
	if s == "" {
		return nil
	}
	owners := strings.FieldsFunc(s, isSeparator)
	if len(owners) == 0 {
		e.wrong(name, "names nobody; remove it to serve every installation")
	}
	for _, owner := range owners {
		login, text, pinned := strings.Cut(owner, ":")
		id, err := strconv.ParseInt(text, 10, 64)
		switch {
		case strings.ContainsAny(login, "/*@"):
			e.wrong(name, "must list organisations and users by name, not %s", quote(owner))
		case pinned && (login == "" || err != nil || id <= 0):
			e.wrong(name, "has %s: after the colon belongs GitHub's number of the owner, as in acme:583231", quote(owner))
		}
		all = append(all, promotion.Actor{ID: id, Login: promotion.Login(login)})
	}
	return all
}

func (e *environment) level(name string, otherwise zerolog.Level) zerolog.Level {
	s := e.getenv(name)
	if s == "" {
		return otherwise
	}
	for _, level := range []zerolog.Level{
		zerolog.TraceLevel, zerolog.DebugLevel, zerolog.InfoLevel, zerolog.WarnLevel, zerolog.ErrorLevel,
	} {
		if level.String() == strings.ToLower(s) {
			return level
		}
	}
	e.wrong(name, "must be one of trace, debug, info, warn, error, not %s", quote(s))
	return otherwise
}
