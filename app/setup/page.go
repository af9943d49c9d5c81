package setup

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"sync"
)

//go:embed page.html
var pageText string

var parsed = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// page is what a page of the flow shows: a form for GitHub, or a text.
type page struct {
	Title, Text  string
	Install      string // the address where the App is installed
	To, Manifest string // where the form goes, and what it brings
	GitHub       string // where it goes, for people
	Wish         Wish
	Asks         Manifest
}

// show answers with a page, which runs no script. Where its form may lead is not restricted: on the way to GitHub's
// page there may be a sign-in elsewhere.
func show(w http.ResponseWriter, status int, p page) {
	var text bytes.Buffer
	if err := parsed().Execute(&text, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w)
}
