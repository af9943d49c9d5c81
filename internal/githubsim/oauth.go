package githubsim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// code is what a one-time code is good for.
type code struct {
	account   *account // who has signed in; nil: a manifest
	challenge string   // the hash of what the App has to show for it; empty: nothing
}

// newCode hands out a one-time code.
func (w *world) newCode(c code) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "code/%d", w.nextID()))
	name := hex.EncodeToString(sum[:])[:20]
	w.codes[name] = c
	return name
}

// spendCode takes a one-time code out of circulation; false when it was never handed out or is spent.
func (w *world) spendCode(name string) (code, bool) {
	c, known := w.codes[name]
	delete(w.codes, name)
	return c, known
}

// opens reports whether the App has shown what a code was asked for with (RFC 7636, S256).
func (c code) opens(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return c.challenge == "" || c.challenge == base64.RawURLEncoding.EncodeToString(sum[:])
}

// SignInAs says who sits at the browser from now on, for sign-ins on the web.
func (s *Server) SignInAs(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.person(login)
	s.options.OAuth.As = login
}

// authorize is the page of the web flow on which a person agrees; here nobody is asked. The parameter login chooses the person, as the
// real page suggests one by it.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.OAuth.ClientID == "" || query.Get("client_id") != s.options.OAuth.ClientID {
		http.NotFound(w, r)
		return
	}
	login := orElse(query.Get("login"), s.options.OAuth.As)
	if login == "" {
		http.Error(w, "nobody is signed in; see SignInAs", http.StatusForbidden)
		return
	}
	c := code{account: s.world.person(login), challenge: query.Get("code_challenge")}
	redirect(w, r, query.Get("redirect_uri"), s.world.newCode(c), query.Get("state"))
}

// redirect sends the browser back to the App with a code.
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

// accessToken changes a code for a user token. Errors come with 200, as GitHub sends them.
func (s *Server) accessToken(w http.ResponseWriter, r *http.Request) {
	form, err := tokenForm(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := url.Values{}
	c, known := s.world.spendCode(form.Get("code"))
	switch {
	case form.Get("client_id") != s.options.OAuth.ClientID || form.Get("client_secret") != s.options.OAuth.ClientSecret:
		answer.Set("error", "incorrect_client_credentials")
		answer.Set("error_description", "The client_id and/or client_secret passed are incorrect.")
	case !known || c.account == nil || !c.opens(form.Get("code_verifier")):
		answer.Set("error", "bad_verification_code")
		answer.Set("error_description", "The code passed is incorrect or expired.")
	default:
		answer.Set("access_token", s.userToken(c.account))
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
		s.report(fmt.Errorf("encode access token: %w", err))
	}
}

// tokenForm reads the parameters from the form, with the credentials also from basic authentication.
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

// newApp is the page of the manifest flow on which a person agrees to make an App; here it is the App under test that is "made".
func (s *Server) newApp(w http.ResponseWriter, r *http.Request) {
	var manifest struct {
		RedirectURL    string `json:"redirect_url"`
		HookAttributes struct {
			URL string `json:"url"`
		} `json:"hook_attributes"`
	}
	if err := json.Unmarshal([]byte(r.FormValue("manifest")), &manifest); err != nil {
		http.Error(w, "The manifest is no JSON: "+err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if manifest.HookAttributes.URL != "" {
		s.SetWebhookURL(manifest.HookAttributes.URL)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	redirect(w, r, manifest.RedirectURL, s.world.newCode(code{}), r.FormValue("state"))
}
