package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"
)

var tooLarge = fmt.Sprintf("the body is larger than GitHub's limit of %d MiB", maxBody>>20)

// acknowledge answers a delivery that the dispatcher accepts.
func (h *hook) acknowledge(w http.ResponseWriter, _ *http.Request, event string, stored bool) {
	w.WriteHeader(http.StatusAccepted)
	if !stored {
		h.count(Ignored, event)
	}
}

// fail answers a delivery that the dispatcher complains about.
func (h *hook) fail(w http.ResponseWriter, r *http.Request, err error, next http.Handler) {
	var invalid githubapp.ValidationError
	if !errors.As(err, &invalid) {
		h.unscheduled(w, r, err)
		return
	}
	body := r.Body.(*intake)
	switch {
	case body.broken != nil:
		h.notReceived(w, r, body.broken)
	case next != nil:
		r.Body = body.again()
		next.ServeHTTP(w, r)
	default:
		h.refuse(w, r, http.StatusUnauthorized,
			"X-Hub-Signature-256 does not match: the webhook has another secret than Waybill")
	}
}

// notReceived answers a delivery whose body has not come.
func (h *hook) notReceived(w http.ResponseWriter, r *http.Request, err error) {
	switch status := statusOf(err); status {
	case http.StatusRequestEntityTooLarge:
		h.refuse(w, r, status, tooLarge)
	case http.StatusServiceUnavailable:
		h.tooMany(w, r)
	case http.StatusRequestTimeout:
		h.refuse(w, r, status, "the body did not come in time")
	default:
		h.refuse(w, r, status, "the body ended too early")
	}
}

// statusOf returns the status that answers a body which has not come.
func statusOf(err error) int {
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errNoRoom):
		return http.StatusServiceUnavailable
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

// unscheduled answers a delivery that is signed, but could not be stored.
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

// tooMany answers a webhook for which there is no room: it is not lost, GitHub keeps it for the sweep.
func (h *hook) tooMany(w http.ResponseWriter, r *http.Request) {
	zerolog.Ctx(r.Context()).Warn().Msg("a delivery was not taken: " + errNoRoom.Error())
	w.Header().Set("Retry-After", "10")
	w.Header().Set("Connection", "close")
	http.Error(w, errNoRoom.Error()+": redeliver it later", http.StatusServiceUnavailable)
	h.count(TurnedAway, "")
}

// refuse answers a request that is not taken. The text never contains anything that came with the request or was
// computed from it.
func (h *hook) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	zerolog.Ctx(r.Context()).Warn().Int("status", status).Str("delivery",
		r.Header.Get("X-GitHub-Delivery")).Msg("refused a request to the webhook: " + text)
	w.Header().Set("Connection", "close") // or the server would wait for the rest of the body
	http.Error(w, text, status)
	h.count(Refused, "")
}
