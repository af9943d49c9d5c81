package config

import "strings"

// Slack is the App's side of Slack. Its zero value: there is no Slack.
type Slack struct {
	BotToken      Secret // xoxb-...: to call the Web API
	SigningSecret Secret // to check the signatures of Slack's requests; empty: no requests over HTTP
	AppToken      Secret // xapp-...: to open Socket Mode; empty: no Socket Mode
	APIURL        string // of the Web API, with a slash at the end
}

// slackAPI is where Slack's Web API is.
const slackAPI = "https://slack.com/api/"

// On reports whether there is a Slack.
func (s Slack) On() bool { return s.BotToken != "" }

// slack reads how Slack is reached. It is all there or not at all: half of it would look as if it worked.
func (e *environment) slack() Slack {
	s := Slack{
		BotToken: e.slackToken("SLACK_BOT_TOKEN", "xoxb-"), AppToken: e.slackToken("SLACK_APP_TOKEN", "xapp-"),
		SigningSecret: e.secret("SLACK_SIGNING_SECRET"),
	}
	if s == (Slack{}) && e.getenv("SLACK_API_URL") == "" {
		return s
	}
	s.APIURL = strings.TrimSuffix(e.url("SLACK_API_URL", slackAPI), "/") + "/"
	e.needed(s.BotToken, "SLACK_BOT_TOKEN", "the token that begins with xoxb-; without it nothing can be answered in "+
		"Slack. Remove the other SLACK_ variables to work without Slack")
	if e.missing(s.SigningSecret, "SLACK_SIGNING_SECRET") && e.missing(s.AppToken, "SLACK_APP_TOKEN") {
		e.wrong("SLACK_SIGNING_SECRET",
			"is missing: it is what Slack signs its requests with (or set SLACK_APP_TOKEN to use Socket Mode instead)")
	}
	return s
}

// slackToken reads a token of one kind: with another one nothing works, and Slack does not say why.
func (e *environment) slackToken(name, prefix string) Secret {
	s := e.secret(name)
	if s != "" && !strings.HasPrefix(string(s), prefix) {
		e.wrong(e.source(name), "is not a token of this kind: it begins with %s", prefix)
	}
	return s
}

// slackWarnings returns the features that cannot work with settings that are right by themselves.
func (s Server) slackWarnings() []string {
	if !s.Slack.On() || s.GitHub.OAuthClientID != "" {
		return nil
	}
	return []string{"SLACK_BOT_TOKEN is set, but GITHUB_OAUTH_CLIENT_ID is not: nobody can link Slack to GitHub, so " +
		"that in Slack everybody may only look on"}
}
