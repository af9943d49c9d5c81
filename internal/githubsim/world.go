package githubsim

import (
	"encoding/base64"
	"fmt"
	"sort"
	"strings"
	"time"
)

// obj is a JSON object on its way out.
type obj = map[string]any

// world is the state of the simulated GitHub. Its methods expect the server's lock to be held.
type world struct {
	clock       func() time.Time
	dir         string
	sparse      bool // nobody looks at patches
	url         string
	ids         int64
	accounts    map[string]*account    // by lower-case login
	repos       map[string]*repository // by lower-case full name
	moved       map[string]*repository // by lower-case former full name
	app         *app
	apps        map[string]*app // by slug
	installs    []*installation
	grants      map[string]*grant // by token
	limits      map[int64]*window // by installation
	limit       int
	requests    int64
	mostEntries int               // of a recursive list of a tree
	codes       map[string]code   // of sign-ins and manifests, until they are spent
	images      map[string]*image // by "owner/name" in lower case
	emit        func(event)
}

func newWorld(options Options, dir, url string, emit func(event)) *world {
	w := &world{
		clock: options.Clock, dir: dir, sparse: options.Offline, url: url, emit: emit, ids: 1000 + options.Seed*1_000_000,
		accounts: map[string]*account{}, repos: map[string]*repository{}, moved: map[string]*repository{}, apps: map[string]*app{},
		grants: map[string]*grant{}, limits: map[int64]*window{}, limit: options.RateLimit, codes: map[string]code{}, mostEntries: mostEntries,
		images: map[string]*image{},
	}
	w.appNamed("github-actions").id = 15368 // the id it has on github.com
	w.app = w.appNamed(options.App.Slug)
	w.app.id = options.App.ID
	w.app.permissions = options.App.Permissions
	return w
}

// nextID hands out ids in order of creation; all kinds share one sequence, so that ids are never mixed up unnoticed.
func (w *world) nextID() int64 {
	w.ids++
	return w.ids
}

// nextRequest numbers the requests, for X-GitHub-Request-Id.
func (w *world) nextRequest() int64 {
	w.requests++
	return w.requests
}

// now is the clock cut to the second, which is all that GitHub tells.
func (w *world) now() time.Time { return w.clock().UTC().Truncate(time.Second) }

// stamp writes a time as GitHub does, and null for the zero time.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// nodeID is the opaque GraphQL id of an object: stable, and different for each kind.
func nodeID(prefix string, id int64) string {
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d", id))
}

// optional is null for the empty string.
func optional(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// repo finds a repository by "owner/name", also by a name it had before.
func (w *world) repo(fullName string) (*repository, bool) {
	key := strings.ToLower(fullName)
	if r, ok := w.repos[key]; ok {
		return r, true
	}
	r, ok := w.moved[key]
	return r, ok
}

// sortedRepos lists the repositories by id, oldest first.
func (w *world) sortedRepos() []*repository {
	all := make([]*repository, 0, len(w.repos))
	for _, r := range w.repos {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].id < all[j].id })
	return all
}
