package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
)

// Sandbox is what there is to show.
type Sandbox struct {
	GitHub  *githubsim.Server
	Slack   *slacksim.Server // nil: there is none
	Waybill string           // the address of the program
	Home    string           // the home repository of its pipeline
	People  []Person         // who may be played; the first is at first
	Tries   []Try            // what to try, in order
	CI      CI
	Fleet   Fleet // nil: there is none
}

// Person is somebody who can be played.
type Person struct {
	Login string
	About string // what they may
}

// Try is something to try, and where.
type Try struct{ Text, Link string }

// CI is the simulated CI, which reports by itself or waits for whoever looks on.
type CI interface {
	Waits() bool
	SetWaits(bool)
}

//go:embed templates static
var assets embed.FS

var templates = template.Must(template.New("pages").Funcs(template.FuncMap{
	"clock": clock, "short": short, "hue": hue, "initial": initial, "day": day, "on": on, "rows": rows, "says": says,
	"isApp": isApp, "person": person, "room": title, "pressed": pressed, "slacks": slacks,
}).ParseFS(assets, "templates/*.html"))

// site answers browsers.
type site struct {
	Sandbox
	github http.Handler
	own    http.Handler // what GitHub has not: its addresses begin with ownPrefix
}

// ownPrefix begins the addresses that are none of GitHub's. No account can be called so.
const ownPrefix = "/-/"

// New makes the pages of a sandbox.
func New(of Sandbox) http.Handler {
	s := &site{Sandbox: of}
	s.github, s.own = s.githubRoutes(), s.ownRoutes()
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.serve))
}

// serve turns away browsers that were led here by another name: that is how pages of strangers reach servers on
// loopback.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	if host, _, err := net.SplitHostPort(r.Host); err != nil || host != "127.0.0.1" && host != "localhost" {
		http.Error(w, "the sandbox is at 127.0.0.1 only", http.StatusMisdirectedRequest)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if strings.HasPrefix(r.URL.Path, ownPrefix) {
		s.own.ServeHTTP(w, r)
		return
	}
	s.github.ServeHTTP(w, r)
}

func (s *site) githubRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.start)
	mux.HandleFunc("GET /{owner}/{repo}", s.overview)
	mux.HandleFunc("GET /{owner}/{repo}/pull/{number}", s.conversation)
	mux.HandleFunc("GET /{owner}/{repo}/pull/{number}/checks", s.checks)
	mux.HandleFunc("GET /{owner}/{repo}/pull/{number}/files", s.files)
	mux.HandleFunc("POST /{owner}/{repo}/pull/{number}/{act}", s.actOnPull)
	mux.HandleFunc("GET /{owner}/{repo}/runs/{id}", s.run)
	mux.HandleFunc("POST /{owner}/{repo}/runs/{id}/{act}", s.actOnRun)
	mux.HandleFunc("POST /{owner}/{repo}/commit/{sha}/status", s.actOnStatus)
	mux.HandleFunc("GET /{owner}/{repo}/commits", s.history)
	mux.HandleFunc("GET /{owner}/{repo}/commits/{ref...}", s.history)
	mux.HandleFunc("GET /{owner}/{repo}/tree/{ref...}", s.history)
	mux.HandleFunc("GET /{owner}/{repo}/commit/{sha}", s.commit)
	mux.HandleFunc("GET /{owner}/{repo}/blob/{path...}", s.file)
	mux.HandleFunc("GET /{owner}/{repo}/raw/{path...}", s.raw)
	mux.HandleFunc("/", s.missing)
	return mux
}

func (s *site) ownRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /-/static/", http.StripPrefix(ownPrefix, http.FileServerFS(assets)))
	mux.HandleFunc("POST /-/as", s.playAs)
	mux.HandleFunc("POST /-/ci", s.switchCI)
	mux.HandleFunc("GET /-/clusters", s.clusters)
	mux.HandleFunc("POST /-/clusters/{cluster}", s.temper)
	mux.HandleFunc("GET /-/slack", s.slack)
	mux.HandleFunc("GET /-/slack/{channel}", s.slack)
	mux.HandleFunc("POST /-/slack/{channel}/say", s.say)
	mux.HandleFunc("POST /-/slack/{channel}/press", s.pressSlack)
	mux.HandleFunc("POST /-/slack-home", s.openHome)
	mux.HandleFunc("/", s.missing)
	return mux
}

// frame is what every page has around it.
type frame struct {
	Title   string
	Path    string // of this page
	Repo    string // "": none
	Repos   []string
	You     Person
	People  []Person
	Waybill string
	Home    string
	Waits   bool // the CI does
	Slack   bool // there is one
	Fleet   bool // the same
	Problem string
}

func (s *site) frame(r *http.Request, title, repo string) frame {
	return frame{
		Title: title, Path: r.URL.Path, Repo: repo, Repos: s.GitHub.Repos(), You: s.you(r), People: s.People,
		Waybill: s.Waybill, Home: s.Home, Waits: s.CI.Waits(), Slack: s.Slack != nil, Fleet: s.Fleet != nil,
	}
}

// show renders a page, or says why not: half a page would look like a whole one.
func (s *site) show(w http.ResponseWriter, status int, page string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, page, data); err != nil {
		http.Error(w, fmt.Sprintf("render page %s: %v", page, err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the browser may have gone
}

func (s *site) missing(w http.ResponseWriter, r *http.Request) {
	f := s.frame(r, "Nothing is here", "")
	f.Problem = "There is no " + r.URL.Path + " on this simulated GitHub."
	s.show(w, http.StatusNotFound, "problem", f)
}

// refuse says why something could not be done, and leads back.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, back string, err error) {
	f := s.frame(r, "That did not work", "")
	f.Problem, f.Path = err.Error(), back
	s.show(w, http.StatusUnprocessableEntity, "problem", f)
}
