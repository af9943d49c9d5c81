package handlers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// The routes that Slack sends to.
const (
	SlackCommandsPath     = "/api/slack/commands"
	SlackInteractionsPath = "/api/slack/interactions"
	SlackEventsPath       = "/api/slack/events"
)

const (
	// maxSlackBody is far more than Slack sends.
	maxSlackBody = 1 << 20
	// slackWindow is how far the time of a signature may be from ours (T25).
	slackWindow = 5 * time.Minute
	// slackTime is how long a body may take to come. Slack gives a request up after three seconds.
	slackTime = 5 * time.Second
)

// SlackOptions are the options of the routes for Slack.
type SlackOptions struct {
	SigningSecret string
	Inbox         Inbox
	Clock         func() time.Time // nil means time.Now
	Count         func(o Outcome, event string)
}

// Slack returns the handler of the three routes. It answers 200 once a payload is durable, which needs no request
// elsewhere; it is decoded afterwards. 401 without a valid signature of the last five minutes, 400 to a
// payload that is none of Slack's, 413 to more than a mebibyte, 503 when it could not be stored: Slack sends events
// again then, and shows people that a command or a button did not work.
func Slack(o SlackOptions) (http.Handler, error) {
	if o.SigningSecret == "" {
		return nil, errors.New("take requests from Slack: the secret is empty; set SLACK_SIGNING_SECRET")
	}
	h := &slackHook{secret: []byte(o.SigningSecret), inbox: o.Inbox, clock: o.Clock, count: o.Count}
	if h.clock == nil {
		h.clock = time.Now
	}
	if h.count == nil {
		h.count = func(Outcome, string) {}
	}
	mux := http.NewServeMux()
	mux.Handle("POST "+SlackCommandsPath, h.taking(commandPayload))
	mux.Handle("POST "+SlackInteractionsPath, h.taking(interactionPayload))
	mux.Handle("POST "+SlackEventsPath, h.taking(eventPayload))
	return mux, nil
}

type slackHook struct {
	secret []byte
	inbox  Inbox
	clock  func() time.Time
	count  func(Outcome, string)
	room   room
}

// taking answers the requests of one route; read finds in the body the part to keep.
func (h *slackHook) taking(read func(body []byte) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.seemsSigned(w, r) {
			return
		}
		in := h.room.newIntake(w, r, maxSlackBody, slackTime)
		defer in.end()
		body, err := io.ReadAll(in)
		if err != nil {
			h.notReceived(w, r, err)
			return
		}
		if !h.signed(w, r, body) {
			return
		}
		payload, err := read(body)
		if err != nil {
			h.refuse(w, r, http.StatusBadRequest, "not a request that Slack makes here")
			return
		}
		h.keep(w, r, payload)
	})
}

// seemsSigned reports whether a request has what a signature of late needs. Its body has not been read.
func (h *slackHook) seemsSigned(w http.ResponseWriter, r *http.Request) bool {
	signature := r.Header.Get("X-Slack-Signature")
	switch {
	case !h.recent(r.Header.Get("X-Slack-Request-Timestamp")):
		h.refuse(w, r, http.StatusUnauthorized,
			"X-Slack-Request-Timestamp is missing, or more than five minutes from the time here: is the clock right?")
	case !strings.HasPrefix(signature, "v0=") || len(signature) != len("v0=")+2*sha256.Size:
		h.refuse(w, r, http.StatusUnauthorized, "X-Slack-Signature is missing or malformed")
	default:
		return true
	}
	return false
}

// notReceived answers a request whose body has not come.
func (h *slackHook) notReceived(w http.ResponseWriter, r *http.Request, err error) {
	switch status := statusOf(err); status {
	case http.StatusRequestEntityTooLarge:
		h.refuse(w, r, status, "the body is larger than anything that Slack sends")
	case http.StatusServiceUnavailable:
		h.turnAway(w, r)
	case http.StatusRequestTimeout:
		h.refuse(w, r, status, "the body did not come in time")
	default:
		h.refuse(w, r, status, "the body ended too early")
	}
}

// signed reports whether Slack has signed a body. The answer to one that it has not says nothing that was computed from
// the secret.
func (h *slackHook) signed(w http.ResponseWriter, r *http.Request, body []byte) bool {
	stamp, signature := r.Header.Get("X-Slack-Request-Timestamp"), r.Header.Get("X-Slack-Signature")
	if hmac.Equal([]byte(signature), []byte(slackSignature(h.secret, stamp, body))) {
		return true
	}
	h.refuse(w, r, http.StatusUnauthorized, "X-Slack-Signature does not match: SLACK_SIGNING_SECRET is another App's")
	return false
}

// recent reports whether a signature's time is near ours.
func (h *slackHook) recent(stamp string) bool {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != stamp {
		return false
	}
	return h.clock().Sub(time.Unix(seconds, 0)).Abs() <= slackWindow
}

// slackSignature is how Slack signs a body.
func slackSignature(secret []byte, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// keep stores a payload, or answers it if it is only a question.
func (h *slackHook) keep(w http.ResponseWriter, r *http.Request, payload []byte) {
	if challenge, asked := slackChallenge(payload); asked {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, challenge)
		return
	}
	fresh, event, err := AcceptSlack(r.Context(), h.inbox, payload, h.clock())
	switch {
	case errors.Is(err, ErrIgnored):
		h.count(Ignored, event)
	case errors.Is(err, ErrAltered), errors.Is(err, errNotSlack):
		h.refuse(w, r, http.StatusBadRequest, "not a request that Slack makes here")
	case err != nil:
		zerolog.Ctx(r.Context()).Error().Err(err).Msg("what Slack has sent was not stored")
		http.Error(w, "it could not be stored: try again", http.StatusServiceUnavailable)
		h.count(Lost, event)
	case fresh:
		h.count(Stored, event)
	default:
		h.count(Repeated, event)
	}
}

func (h *slackHook) turnAway(w http.ResponseWriter, r *http.Request) {
	zerolog.Ctx(r.Context()).Warn().Msg("a request of Slack's was not taken: " + errNoRoom.Error())
	w.Header().Set("Connection", "close")
	http.Error(w, errNoRoom.Error()+": try again", http.StatusServiceUnavailable)
	h.count(TurnedAway, "")
}

// refuse answers a request that is not taken, with a text that nothing of the request and nothing secret is in.
func (h *slackHook) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	zerolog.Ctx(r.Context()).Warn().Int("status", status).Msg("refused a request to Slack's routes: " + text)
	w.Header().Set("Connection", "close") // or the server would wait for the rest of the body
	http.Error(w, text, status)
	h.count(Refused, "")
}

// commandPayload turns the form of a slash command into the payload of Socket Mode for it.
func commandPayload(body []byte) ([]byte, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("command") == "" {
		return nil, errNotSlack
	}
	flat := map[string]string{}
	for name := range form {
		flat[name] = form.Get(name)
	}
	return json.Marshal(flat)
}

// interactionPayload finds the JSON in the form of a click.
func interactionPayload(body []byte) ([]byte, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("payload") == "" {
		return nil, errNotSlack
	}
	return []byte(form.Get("payload")), nil
}

func eventPayload(body []byte) ([]byte, error) { return body, nil }
