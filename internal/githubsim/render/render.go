// Package render converts the state of the hub to the JSON of GitHub's REST API and webhooks.
package render

import "waybill/internal/githubsim/hub"

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Renderer converts the state of the hub to JSON.
type Renderer struct {
	URL string // the address of the pages for people
	hub *hub.Hub
}

// New returns a renderer of a hub whose pages are at a URL.
func New(url string, hub *hub.Hub) *Renderer { return &Renderer{URL: url, hub: hub} }

// Stamp returns a time in GitHub's format, or null for the zero time.
func Stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// NodeID returns the opaque GraphQL id of an object: stable, and different for each kind.
func NodeID(prefix string, id int64) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d", id))
}

// Optional returns null for the empty string.
func Optional(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// RefNode returns the id of a reference, which has no number of its own.
func RefNode(r *hub.Repository, name string) string { return NodeID("REF", r.ID) + ":" + name }

// SplitNode splits an id of NodeID into the kind, the number and the text after a colon.
func SplitNode(id string) (kind string, number int64, rest string) {
	encoded, rest, _ := strings.Cut(id, ":")
	kind, text, _ := strings.Cut(encoded, "_")
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", 0, ""
	}
	number, err = strconv.ParseInt(string(decoded), 10, 64)
	if err != nil {
		return "", 0, ""
	}
	return kind, number, rest
}

// List renders a list. Without items it is empty, not null.
func List[T any](items []T, render func(T) any) []any {
	rendered := make([]any, 0, len(items))
	for _, item := range items {
		rendered = append(rendered, render(item))
	}
	return rendered
}

// API returns the REST API's address of a path in the repository.
func (v *Renderer) API(r *hub.Repository, path string) string {
	return v.URL + "/api/v3/repos/" + r.FullName() + path
}

// HTML returns the address of a page of the repository.
func (v *Renderer) HTML(r *hub.Repository, path string) string {
	return v.URL + "/" + r.FullName() + path
}
