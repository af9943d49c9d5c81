package api

import (
	"errors"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// LinkPath is where a person in Slack says who they are on GitHub. Slack is told of it with a state that names the
// person there, can be used once, and lasts as long as a trip.
const LinkPath = "/auth/slack/link"

// LinkTime is how long an offer to link lasts.
const LinkTime = tripTime

// linking is the data in the browser of a link that waits for the person's word: GitHub has said who they are, and only
// they may be asked. Another site can send people here, but not this cookie with their word.
type linking struct {
	State string          `json:"state"`
	ID    int64           `json:"id"`
	Login promotion.Login `json:"login"`
	Until time.Time       `json:"until"`
}

// offerOver is said of an offer that cannot be completed.
var offerOver = badRequest(
	"this link was not offered, has been used, or is older than %s: type /waybill link in Slack once more", LinkTime,
)

// leaveToLink sends a browser to GitHub on behalf of a person in Slack.
func (s *Server) leaveToLink(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.signIn == nil {
		refuse(w, r, noSignIn)
		return
	}
	state := r.URL.Query().Get("state")
	if _, err := s.offered(r, state); err != nil {
		refuse(w, r, err)
		return
	}
	s.signIn.leave(w, r, trip{Link: state}, s.clock())
}

// offered returns the offer that a state stands for.
func (s *Server) offered(r *http.Request, state string) (o store.LinkOffer, err error) {
	err = s.view(r.Context(), func(tx *store.Tx) error {
		o, err = tx.People.LinkOffered(state)
		return err
	})
	if errors.Is(err, store.ErrOfferOver) {
		return o, offerOver
	}
	return o, err
}

// askToLink asks a person who has come back from GitHub whether they are the one in Slack: another person may have sent
// the address to them, and would act in their name then.
func (s *Server) askToLink(w http.ResponseWriter, r *http.Request, t trip, who promotion.Actor) {
	o, err := s.offered(r, t.Link)
	if err != nil {
		refuse(w, r, err)
		return
	}
	http.SetCookie(w,
		s.signIn.cookie("link", s.signIn.links.seal(linking{t.Link, who.ID, who.Login, s.clock().Add(tripTime)}), tripTime))
	s.page(w, http.StatusOK, linkPage{Login: who.Login, Name: o.Name, Slack: o.For.ID, State: o.State})
}

// link links a person in Slack with the GitHub account that this very browser has proved, on the word of the person
// there.
func (s *Server) link(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.signIn == nil {
		refuse(w, r, noSignIn)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxQuestion)
	var l linking
	cookie, err := r.Cookie(s.signIn.cookieName("link"))
	if err != nil || !s.signIn.links.open(cookie.Value, &l) || !s.clock().Before(l.Until) ||
		l.State != r.PostFormValue("state") {
		refuse(w, r, badRequest("this link was not begun in this browser: type /waybill link in Slack once more"))
		return
	}
	http.SetCookie(w, s.signIn.cookie("link", "", 0))
	var o store.LinkOffer
	err = s.store.Update(r.Context(), func(tx *store.Tx) error {
		o, err = tx.People.CompleteLink(l.State, promotion.Actor{ID: l.ID, Login: l.Login})
		return err
	})
	switch {
	case errors.Is(err, store.ErrOfferOver):
		refuse(w, r, offerOver)
	case errors.Is(err, store.ErrLinkedElsewhere):
		refuse(w, r, forbidden("@%s is linked to another Slack user already: type /waybill unlink there first", l.Login))
	case err != nil:
		refuse(w, r, err)
	default:
		zerolog.Ctx(r.Context()).Info().Str("slack", o.For.ID).Int64("github", l.ID).Msg("linked")
		s.page(w, http.StatusOK, linkPage{Login: l.Login, Name: o.Name, Slack: o.For.ID})
	}
}

// linkPage has the fields of the two pages of a link.
type linkPage struct {
	Login promotion.Login
	Name  string
	Slack string
	State string // empty: it is done
}

// page shows a page with nothing on it but text and perhaps one button, which only leads back here.
func (s *Server) page(w http.ResponseWriter, status int, p linkPage) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
	w.WriteHeader(status)
	_ = linkPages().Execute(w, p)
}

var linkPages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("link").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Waybill</title></head><body><main>
{{if .State}}<h1>Link Slack and GitHub?</h1>
<p>You are <strong>@{{.Login}}</strong> on GitHub.
<strong>{{.Name}}</strong> ({{.Slack}}) in Slack wants to act as you.</p>
<p>If that is not you, close this page: somebody else has sent you here.</p>
<form method="post" action="` + LinkPath + `">
<input type="hidden" name="state" value="{{.State}}"><button>I am {{.Name}}: link us</button></form>
{{else}}<h1>Linked</h1>
<p><strong>{{.Name}}</strong> in Slack is <strong>@{{.Login}}</strong> on GitHub from now on.
You can close this page.</p>{{end}}
</main></body></html>
`))
})
