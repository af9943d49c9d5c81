package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// cookie is the name of the cookie with the login of the current person.
const cookie = "waybill-sandbox-as"

// you returns the person whom the user plays.
func (s *site) you(r *http.Request) Person {
	if c, err := r.Cookie(cookie); err == nil {
		for _, p := range s.People {
			if p.Login == c.Value {
				return p
			}
		}
	}
	return s.People[0]
}

// playAs changes the person whom the user plays, also for sign-ins with GitHub.
func (s *site) playAs(w http.ResponseWriter, r *http.Request) {
	for _, p := range s.People {
		if p.Login == r.FormValue("login") {
			s.GitHub.SignInAs(p.Login)
			http.SetCookie(w,
				&http.Cookie{Name: cookie, Value: p.Login, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
	}
	goTo(w, r, r.FormValue("back"))
}

// switchCI makes the CI report by itself, or wait for the user.
func (s *site) switchCI(w http.ResponseWriter, r *http.Request) {
	s.CI.SetWaits(r.FormValue("waits") == "yes")
	goTo(w, r, r.FormValue("back"))
}

// goTo redirects to a page of this site, or to the first page if to is not a path of this site.
func goTo(w http.ResponseWriter, r *http.Request, to string) {
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "" || at.Host != "" || !strings.HasPrefix(at.Path, "/") || strings.Contains(to, `\`) {
		to = "/"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// admit returns an error unless a person has the permission that GitHub requires.
func (s *site) admit(repo, login, level, what string) error {
	if s.GitHub.MayAct(repo, login, level) {
		return nil
	}
	return fmt.Errorf("%s may not %s: GitHub wants %s permission on %s, and %s has %s", login, what, level, repo, login,
		s.GitHub.Permission(repo, login))
}
