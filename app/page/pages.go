package page

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/api"
)

//go:embed templates
var templates embed.FS

// parsed are the templates. They are part of the program, so that a mistake in them shows when it is tested.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(words()).ParseFS(templates, "templates/*.html"))
})

// policy tells browsers to let the pages load style, scripts and pictures from this server only, and send requests and
// forms to it only.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Pages answers browsers.
type Pages struct {
	api    http.Handler
	signIn bool
	clock  func() time.Time
	mux    *http.ServeMux
}

// handler returns the page that a visit asks for.
type handler func(v *visit) (page, error)

// page is a template with its data.
type page struct {
	template string
	title    string
	data     any
	// live is the address of the events at which the page is to be looked at anew; empty: a browser does so now and then.
	live string
	to   string // instead of a page: the address where the browser goes
}

// New returns the pages for an API. signIn says that people can sign in there.
func New(answers http.Handler, signIn bool, clock func() time.Time) *Pages {
	p := &Pages{api: answers, signIn: signIn, clock: clock, mux: http.NewServeMux()}
	for pattern, h := range map[string]handler{
		"GET /{$}":                                          front,
		"GET /doctor":                                       doctor,
		"GET /pipelines/{owner}/{repo}":                     pipeline,
		"GET /pipelines/{owner}/{repo}/freight":             freight,
		"GET /pipelines/{owner}/{repo}/stages/{stage}":      stage,
		"GET /pipelines/{owner}/{repo}/promotions/{number}": onePromotion,
		"GET /pipelines/{owner}/{repo}/audit":               audit,
		"GET /pipelines/{owner}/{repo}/numbers":             numbers,
		"GET /pipelines/{owner}/{repo}/find":                find,
		"GET /pipelines/{owner}/{repo}/commands":            ask,
		"POST /pipelines/{owner}/{repo}/commands":           do,
		"/": nothing,
	} {
		p.mux.Handle(pattern, p.serve(h))
	}
	p.mux.Handle("GET /assets/{file}", assets())
	return p
}

// ServeHTTP answers a request.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// maxForm limits the body of a form, in bytes. A command is short.
const maxForm = 16 << 10

// serve answers the requests of one page.
func (p *Pages) serve(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		v := &visit{pages: p, r: r, id: w.Header().Get(api.RequestID), Now: p.clock().UTC()}
		status := http.StatusOK
		shown, err := v.show(h)
		if err != nil {
			shown, status = v.trouble(err)
		}
		v.Title, v.Live, v.Data = shown.title, shown.live, shown.data
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		if shown.to != "" {
			http.Redirect(w, r, shown.to, http.StatusSeeOther)
			return
		}
		var text bytes.Buffer
		if err := parsed().ExecuteTemplate(&text, shown.template, v); err != nil {
			zerolog.Ctx(r.Context()).Error().Err(err).Str("page", shown.template).Msg("page not made")
			http.Error(w, "this should not have happened: look for the request in the server's log",
				http.StatusInternalServerError)
			return
		}
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", policy)
		w.WriteHeader(status)
		_, _ = text.WriteTo(w)
	})
}

// nothing answers addresses without a page.
func nothing(v *visit) (page, error) { return page{}, missing(v.r.URL.Path) }

// missing says that an address has no page.
func missing(path string) error {
	return &api.Problem{
		Status: http.StatusNotFound, Title: http.StatusText(http.StatusNotFound), Detail: "There is no page " + path + ".",
	}
}
