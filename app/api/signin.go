package api

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"waybill/promotion"
)

// The two ends of a sign-in, and where a session ends. GitHub has to know the second as the App's callback URL.
const (
	SignInPath   = "/auth/github"
	CallbackPath = "/auth/github/callback"
	SignOutPath  = "/auth/out"
)

// Door is where people prove who they are: GitHub.
type Door interface {
	// SignInURL is the page that asks a person whether to sign in. A code that only the holder of verifier may redeem
	// comes back with state.
	SignInURL(state, verifier string) string
	// SignedIn redeems a code for the person who has agreed.
	SignedIn(ctx context.Context, code, verifier string) (promotion.Actor, error)
}

// SignIn lets people in by GitHub's web flow. Nothing of it is stored on the server but which answers have been used.
type SignIn struct {
	door            Door
	secure          bool // people come over https
	trips, sessions sealer
	links           sealer
	used            *lru.Cache[string, struct{}]
}

const (
	// tripTime is how long a person may take to agree on GitHub's page.
	tripTime = 10 * time.Minute
	// usedKept bounds how many answers are remembered to have been used: far more than people give in that time.
	usedKept = 10_000
)

// NewSignIn makes a sign-in. Cookies are only sent over https if people come that way.
func NewSignIn(door Door, secret string, secure bool) (*SignIn, error) {
	trips, err := newSealer(secret, "trip")
	if err != nil {
		return nil, err
	}
	sessions, err := newSealer(secret, "session")
	if err != nil {
		return nil, err
	}
	links, err := newSealer(secret, "link")
	if err != nil {
		return nil, err
	}
	used, err := lru.New[string, struct{}](usedKept)
	return &SignIn{door: door, secure: secure, trips: trips, sessions: sessions, links: links, used: used}, err
}

// trip is the data in the browser of a sign-in that is under way: no other answer fits it.
type trip struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Back     string    `json:"back"` // where to go afterwards, a path of ours
	Until    time.Time `json:"until"`
	// the offer that brought a person from Slack here; empty: they came from elsewhere
	Link string `json:"link,omitempty"`
}

// noSignIn is the answer where people cannot sign in.
var noSignIn = notFound("nobody can sign in here: GITHUB_OAUTH_CLIENT_ID and GITHUB_OAUTH_CLIENT_SECRET are not set")

// leave sends a browser to GitHub.
func (s *Server) leave(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.signIn == nil {
		refuse(w, r, noSignIn)
		return
	}
	s.signIn.leave(w, r, trip{Back: ownPath(r.URL.Query().Get("back"))}, s.clock())
}

// leave begins a trip to GitHub.
func (s *SignIn) leave(w http.ResponseWriter, r *http.Request, t trip, now time.Time) {
	t.State, t.Verifier, t.Until = rand.Text(), rand.Text()+rand.Text(), now.Add(tripTime)
	http.SetCookie(w, s.cookie("trip", s.trips.seal(t), tripTime))
	http.Redirect(w, r, s.door.SignInURL(t.State, t.Verifier), http.StatusFound)
}

// enter takes a browser back from GitHub. The answer must fit the trip of this very browser, and fits once.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.signIn == nil {
		refuse(w, r, noSignIn)
		return
	}
	http.SetCookie(w, s.signIn.cookie("trip", "", 0))
	t, fits := s.signIn.returned(r, s.clock())
	if !fits {
		refuse(w, r, badRequest("this sign-in was not begun in this browser, has been used, or took longer than "+
			"%s: begin again at %s", tripTime, SignInPath))
		return
	}
	who, err := s.signIn.door.SignedIn(r.Context(), r.URL.Query().Get("code"), t.Verifier)
	if err != nil {
		zerolog.Ctx(r.Context()).Warn().Err(err).Msg("sign-in refused")
		refuse(w, r, forbidden("GitHub did not say who you are: begin again at %s", SignInPath))
		return
	}
	if t.Link != "" {
		s.askToLink(w, r, t, who)
		return
	}
	zerolog.Ctx(r.Context()).Info().Stringer("who", Caller{person: who}).Msg("signed in")
	s.signIn.remember(w, who, s.clock())
	http.Redirect(w, r, t.Back, http.StatusSeeOther)
}

// returned reports whether GitHub's answer belongs to the sign-in that the browser has under way, and is used for the
// first time.
func (s *SignIn) returned(r *http.Request, now time.Time) (t trip, fits bool) {
	cookie, err := r.Cookie(s.cookieName("trip"))
	if err != nil || !s.trips.open(cookie.Value, &t) || !now.Before(t.Until) || t.State == "" {
		return t, false
	}
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("state")), []byte(t.State)) != 1 {
		return t, false
	}
	again, _ := s.used.ContainsOrAdd(t.State, struct{}{})
	return t, !again
}

// ownPath returns the path if it is one of ours, and otherwise where everything begins: no one is sent elsewhere.
func ownPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsFunc(path, notInPaths) {
		return "/"
	}
	return path
}

// notInPaths are characters that browsers take for something else.
func notInPaths(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }
