package handlers_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/internal/spent"
)

const signing = "8f742231b10e8888abcd99yyyzzz85a5"

var midday = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// slackSign returns the signature that Slack would send with a body.
func slackSign(secret, stamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// fromSlack is a request. An empty field gets Slack's usual value; "none" leaves it out.
type fromSlack struct {
	path, body, stamp, signature string
	at                           time.Time
}

func (f fromSlack) request() *http.Request {
	if f.at.IsZero() {
		f.at = midday
	}
	f.stamp = or(f.stamp, strconv.FormatInt(f.at.Unix(), 10))
	r := httptest.NewRequest(http.MethodPost, or(f.path, handlers.SlackCommandsPath), strings.NewReader(f.body))
	for name, value := range map[string]string{
		"X-Slack-Request-Timestamp": f.stamp, "X-Slack-Signature": or(f.signature, slackSign(signing, f.stamp, f.body)),
	} {
		if value != "none" {
			r.Header.Set(name, value)
		}
	}
	return r
}

func slackRoutes(t testing.TB, in handlers.Inbox) func(fromSlack) *httptest.ResponseRecorder {
	h, err := handlers.Slack(handlers.SlackOptions{SigningSecret: signing, Inbox: in, Clock: func() time.Time {
		return midday
	}})
	require.NoError(t, err)
	return func(f fromSlack) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, f.request())
		return w
	}
}

// typed returns the form of a slash command.
func typed(text, trigger string) string {
	return url.Values{
		"token": {"a deprecated token"}, "command": {"/waybill"}, "text": {text}, "team_id": {"T1"}, "user_id": {"U1"},
		"user_name": {"ann"}, "channel_id": {"C1"}, "trigger_id": {trigger},
		"response_url": {"https://hooks.slack.com/commands/T1/1"},
	}.Encode()
}

func TestT25OnlyWhatSlackHasSignedOfLateIsTaken(t *testing.T) {
	body := typed("promote prod", "1.2")
	stamp := strconv.FormatInt(midday.Unix(), 10)
	right := slackSign(signing, stamp, body)
	for name, f := range map[string]fromSlack{
		"no signature":            {body: body, signature: "none"},
		"no time":                 {body: body, stamp: "none"},
		"another secret":          {body: body, signature: slackSign("guessed", stamp, body)},
		"301 seconds old":         {body: body, at: midday.Add(-301 * time.Second)},
		"301 seconds ahead":       {body: body, at: midday.Add(301 * time.Second)},
		"a later version":         {body: body, signature: "v1=" + strings.TrimPrefix(right, "v0=")},
		"half a signature":        {body: body, signature: right[:20]},
		"a time that is no time":  {body: body, stamp: "soon"},
		"a time with a plus":      {body: body, stamp: "+" + stamp},
		"a body encoded anew":     {body: strings.ReplaceAll(body, "+", "%20"), signature: right},
		"a body with more behind": {body: body + "&text=hold", signature: right},
	} {
		in := newInbox()
		got := slackRoutes(t, in)(f)
		require.Equal(t, http.StatusUnauthorized, got.Code, name)
		require.Empty(t, in.kept, name)
		require.NotContains(t, got.Body.String(), right[3:], "the answer tells the right signature: "+name)
	}
	in := newInbox()
	post := slackRoutes(t, in)
	require.Equal(t, http.StatusOK, post(fromSlack{body: body, at: midday.Add(-300 * time.Second)}).Code)
	require.Equal(t, http.StatusRequestEntityTooLarge, post(fromSlack{body: strings.Repeat("x", 1<<20+1)}).Code)
	require.Len(t, in.kept, 1)
	_, err := handlers.Slack(handlers.SlackOptions{Inbox: in})
	require.ErrorContains(t, err, "SLACK_SIGNING_SECRET")
}

func TestT25AReplayWithinTheWindowIsNotStoredAgain(t *testing.T) {
	in := newInbox()
	post := slackRoutes(t, in)
	for range 3 {
		require.Equal(t, http.StatusOK, post(fromSlack{body: typed("promote prod", "1.2")}).Code)
	}
	require.Len(t, in.kept, 1)
	in.full = true
	require.Equal(t, http.StatusServiceUnavailable, post(fromSlack{body: typed("promote prod", "1.3")}).Code,
		"it is not acknowledged unless it is stored")
}

func TestT30WhatSlackSendsAgainIsStoredOnceHoweverItComes(t *testing.T) {
	in := newInbox()
	post := slackRoutes(t, in)
	event := `{"token":"x","type":"event_callback","event_id":"Ev1","team_id":"T1",` +
		`"event":{"type":"app_mention","user":"U1","channel":"C1","ts":"1.2","text":"<@U0> help"}}`
	for i := range 4 {
		f := fromSlack{path: handlers.SlackEventsPath, body: event, at: midday.Add(time.Duration(i) * time.Minute)}
		require.Equal(t, http.StatusOK, post(f).Code)
	}
	fresh, _, err := handlers.AcceptSlack(t.Context(), in, []byte(event), midday) // received by Socket Mode
	require.NoError(t, err)
	require.False(t, fresh)
	require.Len(t, in.kept, 1)
	require.NotContains(t, string(in.kept["Ev1"].Body), "token")
}

func TestSlackAsksWhetherTheAddressIsOurs(t *testing.T) {
	in := newInbox()
	got := slackRoutes(t, in)(fromSlack{
		path: handlers.SlackEventsPath, body: `{"type":"url_verification","challenge":"3eZbrw"}`,
	})
	require.Equal(t, "3eZbrw", got.Body.String())
	require.Empty(t, in.kept)
}

func TestWhatNobodyAskedForIsAcknowledgedAndForgotten(t *testing.T) {
	in := newInbox()
	post := slackRoutes(t, in)
	require.Equal(t, http.StatusOK,
		post(fromSlack{path: handlers.SlackEventsPath, body: `{"type":"app_rate_limited"}`}).Code)
	require.Equal(t, http.StatusBadRequest, post(fromSlack{path: handlers.SlackEventsPath, body: `[]`}).Code)
	require.Equal(t, http.StatusBadRequest, post(fromSlack{body: "text=help"}).Code)
	require.Equal(t, http.StatusBadRequest, post(fromSlack{path: handlers.SlackInteractionsPath, body: "payload="}).Code)
	require.Empty(t, in.kept)
}

func TestWhatPeopleDoInSlackIsRead(t *testing.T) {
	in := newInbox()
	post := slackRoutes(t, in)
	require.Equal(t, http.StatusOK, post(fromSlack{body: typed("promote prod --because \"a &lt; b\"", "1.2")}).Code)
	act, err := handlers.DecodeSlack(handlers.SlackCommand, in.kept["1.2"].Body)
	require.NoError(t, err)
	require.Equal(t, handlers.SlackAct{
		Kind: handlers.SlackCommand, Team: "T1", User: "U1", Channel: "C1", Text: `promote prod --because "a < b"`,
		ReplyTo: "https://hooks.slack.com/commands/T1/1",
	}, act)

	click := `{"type":"block_actions","trigger_id":"1.3","user":{"id":"U2","team_id":"T2"},"team":{"id":"T1"},
		"enterprise":{"id":"E1"},"channel":{"id":"C1"},
		"container":{"message_ts":"5.6"},"actions":[{"action_id":"approve","value":"7.abc"}]}`
	require.Equal(t, http.StatusOK,
		post(fromSlack{path: handlers.SlackInteractionsPath, body: url.Values{"payload": {click}}.Encode()}).Code)
	act, err = handlers.DecodeSlack(handlers.SlackButton, in.kept["1.3"].Body)
	require.NoError(t, err)
	require.Equal(t, handlers.SlackAct{
		Kind: handlers.SlackButton, Team: "T1", Enterprise: "E1", User: "U2", UserTeam: "T2", Channel: "C1",
		Action: "approve", Value: "7.abc",
	}, act)

	for text, want := range map[string]string{"<@U0> promote prod": "promote prod", "ask <@U0> to promote " +
		"prod": "", "promote prod": ""} {
		body := fmt.Sprintf(`{"team_id":"T1","event":{"user":"U1","channel":"C1","ts":"1.2","thread_ts":"1.1","text":%q}}`,
			text)
		act, err := handlers.DecodeSlack(handlers.SlackMention, []byte(body))
		if want == "" {
			require.ErrorIs(t, err, handlers.ErrIgnored, text)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, act.Text)
		require.Equal(t, "1.1", act.Thread)
	}
	_, err = handlers.DecodeSlack(handlers.SlackMention,
		[]byte(`{"team_id":"T1","event":{"user":"U1","bot_id":"B1","channel":"C1","ts":"1","text":"<@U0> help"}}`))
	require.ErrorIs(t, err, handlers.ErrIgnored, "what bots say is nobody's wish")
}

// FuzzSlack posts any body with any headers: only signed requests are stored or answered with 200, and a stored request
// can be decoded or is ignored.
func FuzzSlack(f *testing.F) {
	f.Add(handlers.SlackCommandsPath, typed("help", "1"), "", true)
	f.Add(handlers.SlackInteractionsPath, `payload={"type":"block_actions","trigger_id":"1","actions":[{}]}`, "", true)
	f.Add(handlers.SlackEventsPath, `{"type":"event_callback","event_id":"E","event":{"type":"app_mention","text":"<@"}}`,
		"", true)
	f.Add(handlers.SlackEventsPath, `{"type":"url_verification","challenge":"x"}`, "v0=00", false)
	f.Fuzz(func(t *testing.T, path, body, signature string, signed bool) {
		if path != handlers.SlackInteractionsPath && path != handlers.SlackEventsPath {
			path = handlers.SlackCommandsPath
		}
		in := newInbox()
		post := fromSlack{path: path, body: body, signature: or(signature, "none")}
		right := slackSign(signing, strconv.FormatInt(midday.Unix(), 10), body)
		if signed {
			post.signature = right
		}
		send := slackRoutes(t, in)
		var got *httptest.ResponseRecorder
		spent.Bound{Base: 256 << 10, PerByte: 1 << 10}.Check(t, len(body)+len(signature), func() { got = send(post) })
		if post.signature != right && (got.Code == http.StatusOK || len(in.kept) > 0) {
			t.Fatalf("%q is answered with %d", post.signature, got.Code)
		}
		if got.Code >= 500 {
			t.Fatalf("answered with %d %s", got.Code, got.Body)
		}
		for _, d := range in.kept {
			var act handlers.SlackAct
			var err error
			spent.Bound{Base: 256 << 10, PerByte: 1 << 10}.Check(t, len(d.Body), func() {
				act, err = handlers.DecodeSlack(d.Event, d.Body)
			})
			if err == nil && (act.Team == "" || act.User == "") {
				t.Fatalf("nobody, nowhere: %+v", act)
			}
		}
	})
}

// TestTheNameOfAPrivateChannelIsNotKnown: Slack has a word in its place, which is the name of no channel.
func TestTheNameOfAPrivateChannelIsNotKnown(t *testing.T) {
	for name, called := range map[string]string{
		"deploys": "#deploys", "privategroup": "", "directmessage": "", "": "",
	} {
		body := fmt.Sprintf(`{"team_id": "T1", "user_id": "U1", "channel_id": "C1", "channel_name": %q}`, name)
		act, err := handlers.DecodeSlack(handlers.SlackCommand, []byte(body))
		require.NoError(t, err)
		require.Equal(t, called, act.Called, name)
	}
}
