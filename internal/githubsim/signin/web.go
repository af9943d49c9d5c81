// Package signin implements GitHub's pages for signing in and creating Apps, and the issuer of workflow tokens.
package signin

import "waybill/internal/githubsim/access"

import "waybill/internal/githubsim/hooks"

import "waybill/internal/githubsim/hub"

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Pages serves the pages on which a person authorizes an App or creates one.
type Pages struct {
	Setup
	callbacks []string // the App's callback URLs, if it was made of a manifest; guarded by the hub's lock
}

// Setup has the parts of the simulator that signing in uses, and the App's client.
type Setup struct {
	Hub     *hub.Hub
	Tokens  *access.Tokens
	Codes   *access.Codes
	Courier *hooks.Courier
	Report  func(error)
	// ClientID and ClientSecret are the App's credentials for the web flow, which is off without an id until the App is
	// made of a manifest. As is the person at the browser.
	ClientID, ClientSecret, As string
}

// New returns the pages. Every person consents without a dialog.
func New(s Setup) *Pages { return &Pages{Setup: s} }

// Person sets the person at the browser for sign-ins on the web.
func (s *Pages) Person(login string) {
	s.Hub.Lock()
	defer s.Hub.Unlock()
	s.Hub.Accounts.Person(login)
	s.As = login
}

// Serve serves the pages of signing in. It returns false for any other address.
func (s *Pages) Serve(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.URL.Path == "/login/oauth/authorize":
		s.authorize(w, r)
	case r.URL.Path == "/login/oauth/access_token" && r.Method == http.MethodPost:
		s.accessToken(w, r)
	default:
		return s.serveApps(w, r)
	}
	return true
}

// authorize is the consent page of the web flow; it consents at once. The parameter login selects the person, whom the
// real page only suggests.
func (s *Pages) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.Hub.Lock()
	defer s.Hub.Unlock()
	if s.ClientID == "" || query.Get("client_id") != s.ClientID {
		http.NotFound(w, r)
		return
	}
	login := cmp.Or(query.Get("login"), s.As)
	if login == "" {
		http.Error(w, "nobody is signed in; see SignInAs", http.StatusForbidden)
		return
	}
	back := query.Get("redirect_uri")
	if len(s.callbacks) > 0 && !slices.Contains(s.callbacks, back) {
		mismatch := url.Values{"error": {"redirect_uri_mismatch"}, "state": {query.Get("state")}, "error_description": {
			"The redirect_uri MUST match the registered callback URL for this application."}}
		http.Redirect(w, r, s.callbacks[0]+"?"+mismatch.Encode(), http.StatusFound)
		return
	}
	c := access.Code{Account: s.Hub.Accounts.Person(login), Challenge: query.Get("code_challenge")}
	redirect(w, r, back, s.Codes.New(c), query.Get("state"))
}

// redirect redirects the browser to the App with a code.
func redirect(w http.ResponseWriter, r *http.Request, to, code, state string) {
	target, err := url.Parse(to)
	if err != nil || target.Host == "" {
		http.Error(w, "The redirect_uri MUST match the registered callback URL for this application.", http.StatusBadRequest)
		return
	}
	query := target.Query()
	query.Set("code", code)
	if state != "" {
		query.Set("state", state)
	}
	target.RawQuery = query.Encode()
	http.Redirect(w, r, target.String(), http.StatusFound)
}

// accessToken exchanges a code for a user token. Errors have status 200, as at GitHub.
func (s *Pages) accessToken(w http.ResponseWriter, r *http.Request) {
	form, err := tokenForm(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.Hub.Lock()
	defer s.Hub.Unlock()
	answer := url.Values{}
	c, known := s.Codes.Spend(form.Get("code"))
	switch {
	case form.Get("client_id") != s.ClientID || form.Get("client_secret") != s.ClientSecret:
		answer.Set("error", "incorrect_client_credentials")
		answer.Set("error_description", "The client_id and/or client_secret passed are incorrect.")
	case !known || c.Account == nil || !c.Opens(form.Get("code_verifier")):
		answer.Set("error", "bad_verification_code")
		answer.Set("error_description", "The code passed is incorrect or expired.")
	default:
		answer.Set("access_token", s.Tokens.MintUser(c.Account))
		answer.Set("token_type", "bearer")
		answer.Set("scope", "")
	}
	if !strings.Contains(r.Header.Get("Accept"), "json") {
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		fmt.Fprint(w, answer.Encode())
		return
	}
	flat := map[string]string{}
	for key := range answer {
		flat[key] = answer.Get(key)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(flat); err != nil {
		s.Report(fmt.Errorf("encode access token: %w", err))
	}
}

// tokenForm reads the parameters from the form. The credentials may also come from basic authentication.
func tokenForm(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	if id, secret, basic := r.BasicAuth(); basic {
		r.Form.Set("client_id", id)
		r.Form.Set("client_secret", secret)
	}
	return r.Form, nil
}
