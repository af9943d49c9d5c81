package handlers

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"
)

const (
	// maxBody is the size of the largest delivery that GitHub sends: 25 MiB.
	maxBody = 25 << 20
	// hookTime is how long a body may take to come. GitHub gives a webhook up after ten seconds.
	hookTime = 10 * time.Second
)

// Options are the options of the webhook.
type Options struct {
	// Secret is the webhook secret of the App.
	Secret string
	// Previous is the secret before the last rotation, still accepted; empty when there is none.
	Previous string
	// AppID is the id of our App; 0: not known.
	AppID int64
	// Inbox is where deliveries are stored before they are acknowledged.
	Inbox Inbox
	// Admits reports whether a request comes from where webhooks may come from; nil: from anywhere.
	Admits func(*http.Request) bool
	// Clock tells when a delivery was received; nil means time.Now.
	Clock func() time.Time
	// Count, if set, is called with the outcome and the event of each request; of refused ones the event is empty,
	// because any sender could have written it.
	Count func(o Outcome, event string)
}

// Outcome is the outcome of a request to the webhook.
type Outcome string

const (
	// Stored is a delivery that is in the inbox now.
	Stored Outcome = "stored"
	// Idle is a delivery that tells nothing. The inbox knows it now, and nothing handles it.
	Idle Outcome = "idle"
	// Repeated is a delivery that the inbox had already.
	Repeated Outcome = "repeated"
	// Ignored is a delivery of an event that nothing here is about.
	Ignored Outcome = "ignored"
	// Refused is a request that is no delivery, or that GitHub has not signed.
	Refused Outcome = "refused"
	// TurnedAway is a request for which there was no room. It was not acknowledged either.
	TurnedAway Outcome = "turned-away"
	// Lost is a delivery that could not be stored and was not acknowledged: GitHub keeps it redeliverable.
	Lost Outcome = "lost"
)

// GitHubPath is where GitHub sends webhooks.
const GitHubPath = "/api/github/hook"

// GitHub returns the handler of POST /api/github/hook. It answers 202 once a delivery is durable, 401 without a valid
// SHA-256 signature, 403 to an address that is not admitted, 400 to a request that is no webhook, 413 to more than 25
// MiB, and 503 when the delivery could not be stored or there are too many at once: GitHub keeps it redeliverable then.
//
// It is an error to have no secret: go-github accepts anything then, unsigned requests included.
func GitHub(o Options) (http.Handler, error) {
	if o.Secret == "" {
		return nil, errors.New("start the GitHub webhook: the secret is empty; set GITHUB_APP_WEBHOOK_SECRET")
	}
	h := &hook{count: o.Count, admits: o.Admits}
	if h.count == nil {
		h.count = func(Outcome, string) {}
	}
	h.scheduler = &Scheduler{inbox: o.Inbox, app: o.AppID, clock: o.Clock, count: h.count}
	if h.scheduler.clock == nil {
		h.scheduler.clock = time.Now
	}
	if o.Previous != "" {
		h.rotating = true
		h.dispatcher = h.dispatch(o.Secret, h.dispatch(o.Previous, nil))
	} else {
		h.dispatcher = h.dispatch(o.Secret, nil)
	}
	return h, nil
}

// hook looks at a request from outside; its callbacks answer for its dispatcher.
type hook struct {
	dispatcher http.Handler
	scheduler  *Scheduler
	room       room
	rotating   bool                     // two secrets are accepted, so that a body may have to be read again
	admits     func(*http.Request) bool // nil: all
	count      func(Outcome, string)
}

// dispatch returns a dispatcher for requests that are signed with secret. Others go to next, if there is one.
func (h *hook) dispatch(secret string, next http.Handler) http.Handler {
	return githubapp.NewEventDispatcher([]githubapp.EventHandler{subscription(Events())}, secret,
		githubapp.WithScheduler(h.scheduler),
		githubapp.WithResponseCallback(h.acknowledge),
		githubapp.WithErrorCallback(func(w http.ResponseWriter, r *http.Request, err error) { h.fail(w, r, err, next) }),
	)
}

// signedBySHA256 reports whether a signature looks like one by SHA-256, the only kind that is accepted. go-github alone
// would take SHA-1 and SHA-512 as well.
func signedBySHA256(signature string) bool {
	return strings.HasPrefix(signature, "sha256=") && len(signature) == len("sha256=")+2*sha256.Size
}

// ServeHTTP refuses a request that cannot be a delivery without reading it, and has the dispatcher verify the rest.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case h.admits != nil && !h.admits(r):
		h.refuse(w, r, http.StatusForbidden, "webhooks are taken from GitHub's addresses only")
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		h.refuse(w, r, http.StatusMethodNotAllowed, "GitHub's webhook sends POST requests")
	case !signedBySHA256(r.Header.Get("X-Hub-Signature-256")):
		h.refuse(w, r, http.StatusUnauthorized,
			"X-Hub-Signature-256 is missing or malformed: give the webhook the secret that Waybill has")
	case r.Header.Get("X-GitHub-Event") == "":
		h.refuse(w, r, http.StatusBadRequest, "not a webhook: X-GitHub-Event is missing")
	case r.Header.Get("X-GitHub-Delivery") == "":
		h.refuse(w, r, http.StatusBadRequest, "not a webhook: X-GitHub-Delivery is missing")
	case err != nil || media != "application/json":
		h.refuse(w, r, http.StatusBadRequest,
			"the content type must be application/json: choose it in the webhook's settings")
	case r.ContentLength > maxBody:
		h.refuse(w, r, http.StatusRequestEntityTooLarge, tooLarge)
	default:
		h.takeIn(w, r)
	}
}

// takeIn reads a webhook and has it verified and stored, if there is room for it. It takes a place when its body has
// come.
func (h *hook) takeIn(w http.ResponseWriter, r *http.Request) {
	body := h.room.newIntake(w, r, maxBody, hookTime)
	defer body.end()
	if h.rotating {
		body.kept = new(bytes.Buffer)
	}
	r.Body = body
	// The dispatcher logs every webhook at info. Which of them concern a pipeline is known when they are handled.
	quiet := zerolog.Ctx(r.Context()).Level(zerolog.WarnLevel)
	h.dispatcher.ServeHTTP(w, r.WithContext(quiet.WithContext(r.Context())))
}
