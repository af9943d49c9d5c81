package app

import (
	"crypto/rand"
	"net/http"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/app/work"
	"waybill/internal/contain"
)

// guarded wraps all routes: it names each request, gives it a logger with that name, sets headers that keep browsers
// from doing anything with an answer but show it, and contains panics.
func guarded(next http.Handler, log zerolog.Logger, secure bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()[:16]
		h := w.Header()
		h.Set(api.RequestID, id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		if secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		log := log.With().Str(work.KeyRequest, id).Logger()
		defer endPanic(w, log)
		next.ServeHTTP(w, r.WithContext(log.WithContext(r.Context())))
	})
}

// endPanic ends a panic of a handler with a 500, if nothing has been answered yet.
func endPanic(w http.ResponseWriter, log zerolog.Logger) {
	r := recover()
	if r == nil {
		return
	}
	if r == http.ErrAbortHandler { //nolint:errorlint // net/http compares it, too
		panic(r)
	}
	p := contain.Caught(r)
	log.Error().Err(p).Bytes("stack", p.Stack).Msg("request failed")
	http.Error(w, "this should not have happened: look for the request in the server's log",
		http.StatusInternalServerError)
}
