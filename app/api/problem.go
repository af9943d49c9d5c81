package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// Problem is the answer to a request that cannot be answered otherwise (RFC 9457).
type Problem struct {
	Title   string `json:"title" doc:"the text of the HTTP status"`
	Status  int    `json:"status" doc:"the status code"`
	Detail  string `json:"detail" doc:"the mistake, and the remedy"`
	Request string `json:"request,omitempty" doc:"the id of the request, as the server's log has it"`

	after time.Duration // when to try again; 0: as the status says
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

func newProblem(status int, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) *Problem {
	return newProblem(http.StatusBadRequest, format, args...)
}
func notFound(format string, args ...any) *Problem {
	return newProblem(http.StatusNotFound, format, args...)
}
func unprocessable(format string, args ...any) *Problem {
	return newProblem(http.StatusUnprocessableEntity, format, args...)
}
func forbidden(format string, args ...any) *Problem {
	return newProblem(http.StatusForbidden, format, args...)
}
func unavailable(format string, args ...any) *Problem {
	return newProblem(http.StatusServiceUnavailable, format, args...)
}

// SendToken is what a program is told to do that is not authorized. The command line says something else to people.
const SendToken = "send `Authorization: Bearer <token>`"

// unauthorized is the same for any address, so that it does not tell which exist.
func (s *Server) unauthorized(why string) *Problem {
	also := ""
	if s.signIn != nil {
		also = ", or sign in at " + SignInPath
	}
	return newProblem(http.StatusUnauthorized,
		"%s: "+SendToken+" with a token that this server's WAYBILL_API_TOKENS_FILE lists%s", why, also)
}

// problemOf makes a problem of an error. An unexpected one is only told to the log.
func problemOf(err error) *Problem {
	var p *Problem
	switch {
	case errors.As(err, &p):
		copied := *p
		return &copied
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnknownStage):
		return notFound("there is no such thing: %s", err)
	}
	return newProblem(http.StatusInternalServerError,
		"this should not have happened: look for the id of this request in the server's log")
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	p.Request = w.Header().Get(RequestID)
	log := zerolog.Ctx(r.Context())
	if p.Status == http.StatusInternalServerError {
		log.Error().Err(err).Msg("request failed")
	}
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="waybill"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "5")
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "60")
	}
	if p.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(p.after.Seconds())+1))
	}
	send(w, p.Status, "application/problem+json", p)
}

// send answers with JSON. It is no error if the caller has gone away meanwhile.
func send(w http.ResponseWriter, status int, kind string, answer any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(answer)
}
