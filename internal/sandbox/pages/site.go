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

// Sandbox is the data that the pages show, with the simulators that they act on.
type Sandbox struct {
	GitHub  *githubsim.Server
	Slack   *slacksim.Server // nil if there is no Slack
	Waybill string           // base URL of the program
	Home    string           // home repository of the pipeline
	People  []Person         // people whom the user can play; the first is the default
	Tries   []Try            // suggestions, in order
	CI      CI
	Fleet   Fleet // nil if there are no clusters
}

// Person is a person whom the user can play.
type Person struct {
	Login string
	About string // permissions, in words
}

// Try is a suggestion, with the path of the page to begin at.
type Try struct{ Text, Link string }

// CI is the simulated CI. It reports by itself or waits for the user to end its checks.
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

// site serves the pages.
type site struct {
	Sandbox
	github http.Handler
	own    http.Handler // pages that GitHub does not have, under ownPrefix
}

// ownPrefix begins the paths of the pages that GitHub does not have. No account can have this name.
const ownPrefix = "/-/"

// New returns the handler of the pages of a sandbox.
func New(of Sandbox) http.Handler {
	s := &site{Sandbox: of}
	s.github, s.own = s.githubRoutes(), s.ownRoutes()
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.serve))
}

// serve refuses requests for other host names: with DNS rebinding, foreign pages could reach the sandbox through such a
// name.
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
	mux.HandleFunc("POST /{owner}/{repo}/pulls", s.open)
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

// frame is the data of the header and footer of each page.
type frame struct {
	Title   string
	Path    string // path of this page, or of the page to go back to
	Repo    string // "" if the page belongs to no repository
	Repos   []string
	You     Person
	People  []Person
	Waybill string
	Home    string
	Waits   bool // the CI waits for the user
	Slack   bool // the sandbox has a Slack
	Fleet   bool // the sandbox has clusters
	Problem string
}

func (s *site) frame(r *http.Request, title, repo string) frame {
	return frame{
		Title: title, Path: r.URL.Path, Repo: repo, Repos: s.GitHub.Repos(), You: s.you(r), People: s.People,
		Waybill: s.Waybill, Home: s.Home, Waits: s.CI.Waits(), Slack: s.Slack != nil, Fleet: s.Fleet != nil,
	}
}

// show renders a page, or an error: a page that is cut off would look complete.
func (s *site) show(w http.ResponseWriter, status int, page string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, page, data); err != nil {
		http.Error(w, fmt.Sprintf("render page %s: %v", page, err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the connection may be closed
}

func (s *site) missing(w http.ResponseWriter, r *http.Request) {
	f := s.frame(r, "Nothing is here", "")
	f.Problem = "There is no " + r.URL.Path + " on this simulated GitHub."
	s.show(w, http.StatusNotFound, "problem", f)
}

// refuse shows an error with a link to the previous page.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, back string, err error) {
	f := s.frame(r, "That did not work", "")
	f.Problem, f.Path = err.Error(), back
	s.show(w, http.StatusUnprocessableEntity, "problem", f)
}
