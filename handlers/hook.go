package handlers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"
)

// maxBody is the size of the largest delivery that GitHub sends: 25 MiB.
const maxBody = 25 << 20

// Options are what the webhook needs.
type Options struct {
	// Secret is the webhook secret of the App.
	Secret string
	// Previous is the secret before the last rotation, still accepted; empty when there is none.
	Previous string
	// Inbox is where deliveries are stored before they are acknowledged.
	Inbox Inbox
	// Clock tells when a delivery was received; nil means time.Now.
	Clock func() time.Time
	// Count, if set, is told what became of each request and which event it was; of refused ones the event is empty,
	// because anybody may write anything there.
	Count func(o Outcome, event string)
}

// Outcome is what became of a request to the webhook.
type Outcome string

const (
	// Stored is a delivery that is in the inbox now.
	Stored Outcome = "stored"
	// Repeated is a delivery that the inbox had already.
	Repeated Outcome = "repeated"
	// Ignored is a delivery of an event that nothing here is about.
	Ignored Outcome = "ignored"
	// Refused is a request that is no delivery, or that GitHub has not signed.
	Refused Outcome = "refused"
	// Lost is a delivery that could not be stored and was not acknowledged: GitHub keeps it redeliverable.
	Lost Outcome = "lost"
)

// GitHub returns the handler of POST /api/github/hook. It answers 202 once a delivery is durable, 401 without a valid
// SHA-256 signature, 400 to what is no webhook, 413 to more than 25 MiB and 503 when the delivery could not be stored.
//
// It is an error to have no secret: go-github accepts anything then, unsigned requests included.
func GitHub(o Options) (http.Handler, error) {
	if o.Secret == "" {
		return nil, errors.New("start the GitHub webhook: the secret is empty; set GITHUB_APP_WEBHOOK_SECRET")
	}
	h := &hook{count: o.Count}
	if h.count == nil {
		h.count = func(Outcome, string) {}
	}
	h.scheduler = &Scheduler{inbox: o.Inbox, clock: o.Clock, count: h.count}
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

// hook looks at a request from outside; what its dispatcher then makes of it is in its callbacks.
type hook struct {
	dispatcher http.Handler
	scheduler  *Scheduler
	rotating   bool // two secrets are accepted, so that a body may have to be read again
	count      func(Outcome, string)
}

// dispatch returns a dispatcher for what is signed with secret. What is not goes to next, if there is one.
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

// ServeHTTP refuses what cannot be a delivery without reading it, and has the dispatcher verify the rest.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		h.refuse(w, r, http.StatusMethodNotAllowed, "GitHub's webhook sends POST requests")
	case !signedBySHA256(r.Header.Get("X-Hub-Signature-256")):
		h.refuse(w, r, http.StatusUnauthorized, "X-Hub-Signature-256 is missing or malformed: give the webhook the secret that Waybill has")
	case r.Header.Get("X-GitHub-Event") == "":
		h.refuse(w, r, http.StatusBadRequest, "not a webhook: X-GitHub-Event is missing")
	case r.Header.Get("X-GitHub-Delivery") == "":
		h.refuse(w, r, http.StatusBadRequest, "not a webhook: X-GitHub-Delivery is missing")
	case err != nil || media != "application/json":
		h.refuse(w, r, http.StatusBadRequest, "the content type must be application/json: choose it in the webhook's settings")
	case r.ContentLength > maxBody:
		h.refuse(w, r, http.StatusRequestEntityTooLarge, tooLarge)
	default:
		r.Body = newIntake(w, r.Body, h.rotating)
		h.dispatcher.ServeHTTP(w, r)
	}
}

var tooLarge = fmt.Sprintf("the body is larger than GitHub's limit of %d MiB", maxBody>>20)

// acknowledge answers what the dispatcher has no complaint about.
func (h *hook) acknowledge(w http.ResponseWriter, _ *http.Request, event string, stored bool) {
	w.WriteHeader(http.StatusAccepted)
	if !stored {
		h.count(Ignored, event)
	}
}

// fail answers what the dispatcher complains about.
func (h *hook) fail(w http.ResponseWriter, r *http.Request, err error, next http.Handler) {
	var invalid githubapp.ValidationError
	if !errors.As(err, &invalid) {
		h.unscheduled(w, r, err)
		return
	}
	body := r.Body.(*intake)
	var limit *http.MaxBytesError
	switch {
	case errors.As(body.broken, &limit):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, tooLarge)
	case body.broken != nil:
		h.refuse(w, r, http.StatusBadRequest, "the body ended too early")
	case next != nil:
		r.Body = body.again()
		next.ServeHTTP(w, r)
	default:
		h.refuse(w, r, http.StatusUnauthorized, "X-Hub-Signature-256 does not match: the webhook has another secret than Waybill")
	}
}

// unscheduled answers what is signed, but could not be stored.
func (h *hook) unscheduled(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, errNotJSON):
		h.refuse(w, r, http.StatusBadRequest, "not a webhook: "+errNotJSON.Error())
	case errors.Is(err, ErrAltered):
		h.refuse(w, r, http.StatusBadRequest, ErrAltered.Error())
	default:
		zerolog.Ctx(r.Context()).Error().Err(err).Msg("a delivery was not stored")
		http.Error(w, "the delivery could not be stored: redeliver it later", http.StatusServiceUnavailable)
		h.count(Lost, r.Header.Get("X-GitHub-Event"))
	}
}

// refuse answers what is not taken. The text never contains anything that came with the request or was computed from it.
func (h *hook) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	zerolog.Ctx(r.Context()).Warn().Int("status", status).Str("delivery", r.Header.Get("X-GitHub-Delivery")).Msg("refused a request to the webhook: " + text)
	http.Error(w, text, status)
	h.count(Refused, "")
}
