package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"waybill/app/api"
)

// visit is one request of a browser, with the data that every page has.
type visit struct {
	pages *Pages
	r     *http.Request
	id    string // of the request

	Now   time.Time
	Me    api.Me
	Repo  string // of the pipeline that the page is about
	path  string // the same in addresses
	Title string
	Live  string
	Data  any
}

// root begins every address of the API.
const root = "/api/v1"

// show finds out who visits, and has a page made for them.
func (v *visit) show(h handler) (page, error) {
	if owner := v.r.PathValue("owner"); owner != "" {
		repo := v.r.PathValue("repo")
		v.Repo, v.path = owner+"/"+repo, url.PathEscape(owner)+"/"+url.PathEscape(repo)
	}
	if err := v.get(&v.Me, root+"/me"); err != nil {
		return page{}, err
	}
	return h(v)
}

// Home is the address of the pipeline's page.
func (v *visit) Home() string { return "/pipelines/" + v.path }

// Here is the address of the page, for a way back to it.
func (v *visit) Here() string { return v.r.URL.RequestURI() }

// SignIn is where a visitor signs in and comes back from; empty if nobody can.
func (v *visit) SignIn() string {
	if !v.pages.signIn {
		return ""
	}
	return api.SignInPath + "?back=" + url.QueryEscape(v.Here())
}

// Do is the address of the page that asks whether to give a command.
func (v *visit) Do(words ...string) string {
	command := strings.Join(words, " ")
	return v.Home() + "/commands?command=" + url.QueryEscape(strings.TrimPrefix(command, "/"))
}

// Ago is how long a time has been over, as HTML with the time itself.
func (v *visit) Ago(t time.Time) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, t.UTC().Format(time.RFC3339),
		stamp(t), ago(t, v.Now)))
}

// Until is how long it is until a time.
func (v *visit) Until(t *time.Time) string { return until(t, v.Now) }

// Look says until when something waits, or when Waybill looks at it next; empty if no clock decides.
func (v *visit) Look(w api.Why) string {
	switch {
	case w.NextLook == nil:
		return ""
	case !w.NextLook.After(v.Now):
		return "next check now"
	case w.Ends():
		return fmt.Sprintf("until %s (%s)", stamp(*w.NextLook), until(w.NextLook, v.Now))
	}
	return fmt.Sprintf("next check %s (%s)", stamp(*w.NextLook), until(w.NextLook, v.Now))
}

// part is a part of a page, for a template of its own.
type part struct {
	*visit
	Part any
}

// With returns a part of the page with its data.
func (v *visit) With(data any) part { return part{v, data} }

// of is an address of the API below that of the pipeline.
func (v *visit) of(path string) string { return root + "/pipelines/" + v.path + path }

// get has the API answer in the visitor's name.
func (v *visit) get(answer any, path string) error {
	return v.call(http.MethodGet, path, "", nil, answer)
}

// give gives a command in the visitor's name. The same key gives it once.
func (v *visit) give(command, key string) (answer api.Answer, err error) {
	body, err := json.Marshal(api.Command{Command: command})
	if err != nil {
		return answer, err
	}
	err = v.call(http.MethodPost, v.of("/commands"), key, bytes.NewReader(body), &answer)
	return answer, err
}

// call sends a request to the API with everything by which it knows the visitor, and whether it is they who ask or the
// page of another site. An answer that is a problem is the error.
func (v *visit) call(method, path, key string, body io.Reader, answer any) error {
	r, err := http.NewRequestWithContext(v.r.Context(), method, path, body)
	if err != nil {
		return fmt.Errorf("ask the API: %w", err)
	}
	r.Host, r.RemoteAddr, r.TLS = v.r.Host, v.r.RemoteAddr, v.r.TLS
	r.Header = v.r.Header.Clone()
	r.Header.Del("Last-Event-ID")
	r.Header.Del("If-None-Match") // a browser has pages, and not the answers that they are made of
	if r.Header.Del(api.IdempotencyKey); key != "" {
		r.Header.Set(api.IdempotencyKey, key)
	}
	w := &response{header: http.Header{}, status: http.StatusOK}
	w.header.Set(api.RequestID, v.id)
	v.pages.api.ServeHTTP(w, r)
	switch {
	case w.status/100 == 3: // a name such as .. makes another address of it
		return missing(v.r.URL.Path)
	case w.status >= http.StatusBadRequest:
		problem := new(api.Problem)
		if err := json.Unmarshal(w.body.Bytes(), problem); err != nil || problem.Status == 0 {
			return fmt.Errorf("ask the API for %s: it answers %d", path, w.status)
		}
		return problem
	}
	if err := json.Unmarshal(w.body.Bytes(), answer); err != nil {
		return fmt.Errorf("ask the API for %s: %w", path, err)
	}
	return nil
}

// response is an answer of the API within this process.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header.
func (w *response) Header() http.Header { return w.header }

// WriteHeader sets the status.
func (w *response) WriteHeader(status int) { w.status = status }

// Write keeps the body.
func (w *response) Write(p []byte) (int, error) { return w.body.Write(p) }

// trouble is the page in place of one that cannot be shown, with its status.
func (v *visit) trouble(err error) (page, int) {
	problem := new(api.Problem)
	if !errors.As(err, &problem) {
		problem = &api.Problem{
			Status: http.StatusInternalServerError, Title: http.StatusText(http.StatusInternalServerError),
			Detail: "This should not have happened: look for the id of this request in the server's log.",
		}
	}
	problem.Request = v.id
	if problem.Status == http.StatusUnauthorized {
		v.Repo = "" // whether there is such a pipeline is not for everybody
	}
	return page{template: "problem.html", title: problem.Title, data: problem}, problem.Status
}
