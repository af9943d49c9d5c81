package signin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/hub"
)

// manifest is what a page of the manifest flow is given, as far as the simulator uses it.
type manifest struct {
	Name           string `json:"name"`
	URL            string `json:"url"`
	RedirectURL    string `json:"redirect_url"`
	HookAttributes struct {
		URL string `json:"url"`
	} `json:"hook_attributes"`
	Callbacks   []string          `json:"callback_urls"`
	Permissions map[string]string `json:"default_permissions"`
	Events      []string          `json:"default_events"`
}

// maxName is the length of an App's name at GitHub.
const maxName = 34

// readManifest reads a manifest, and refuses what GitHub refuses.
func readManifest(text string) (m manifest, err error) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("the manifest is no JSON: %w", err)
	}
	app := hub.App{Permissions: m.Permissions}
	unsupported := slices.DeleteFunc(slices.Clone(m.Events), app.Sees)
	switch {
	case m.URL == "":
		return m, fmt.Errorf("missing manifest url")
	case len(m.Name) > maxName:
		return m, fmt.Errorf("name is too long (maximum is %d characters)", maxName)
	case len(unsupported) > 0:
		return m, fmt.Errorf("default events unsupported: %s", strings.Join(unsupported, ", "))
	}
	return m, nil
}

// serveApps serves the pages on which a person creates and installs an App. It returns false for any other address.
func (s *Pages) serveApps(w http.ResponseWriter, r *http.Request) bool {
	path, post := r.URL.Path, r.Method == http.MethodPost
	switch {
	case strings.HasSuffix(path, "/settings/apps/new") && post:
		s.newApp(w, r)
	case strings.HasSuffix(path, "/settings/apps") && post:
		s.createApp(w, r)
	case path == "/apps/"+s.Hub.Apps.Own.Slug+"/installations/new":
		s.installApp(w, r, post)
	default:
		return false
	}
	return true
}

// newApp asks the person whether to create the App of a manifest, and for its name.
func (s *Pages) newApp(w http.ResponseWriter, r *http.Request) {
	s.Hub.Lock()
	owner := s.owner(r.URL.Path)
	s.Hub.Unlock()
	if owner == "" {
		http.NotFound(w, r)
		return
	}
	m, err := readManifest(r.FormValue("manifest"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	show(w, "new", map[string]string{"Owner": owner, "Name": m.Name, "Manifest": r.FormValue("manifest"),
		"State": r.FormValue("state"), "To": strings.TrimSuffix(r.URL.Path, "/new")})
}

// owner returns for whom an App is created: the organization in the address, or the person; "" if there is none.
func (s *Pages) owner(path string) string {
	rest, isOrg := strings.CutPrefix(path, "/organizations/")
	if !isOrg {
		return cmp.Or(s.As, "you")
	}
	name, _, _ := strings.Cut(rest, "/")
	org, found := s.Hub.Accounts.Find(name)
	if !found || org.Kind != hub.KindOrg {
		return ""
	}
	return org.Login
}

// createApp gives the App under test what the manifest says, but for its name, and sends the browser back with a code.
func (s *Pages) createApp(w http.ResponseWriter, r *http.Request) {
	m, err := readManifest(r.FormValue("manifest"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if m.HookAttributes.URL != "" {
		s.Courier.SetWebhookURL(m.HookAttributes.URL)
	}
	s.Hub.Lock()
	defer s.Hub.Unlock()
	own := s.Hub.Apps.Own
	own.Permissions = map[string]string{"metadata": "read"}
	for name, level := range m.Permissions {
		own.Permissions[name] = level
	}
	own.Choose(m.Events)
	s.ClientID, s.callbacks = cmp.Or(s.ClientID, own.ClientID()), m.Callbacks
	redirect(w, r, m.RedirectURL, s.Codes.New(access.Code{}), r.FormValue("state"))
}

// installApp asks where to install the App, and installs it there on all repositories.
func (s *Pages) installApp(w http.ResponseWriter, r *http.Request, post bool) {
	s.Hub.Lock()
	defer s.Hub.Unlock()
	if !post {
		var owners []string
		for _, a := range s.Hub.Accounts.All() {
			if _, there := s.Hub.Apps.InstallationFor(a); a.Kind == hub.KindOrg && !there {
				owners = append(owners, a.Login)
			}
		}
		show(w, "install", map[string]any{"App": s.Hub.Apps.Own.Slug, "Owners": owners})
		return
	}
	owner, found := s.Hub.Accounts.Find(r.FormValue("owner"))
	if !found {
		http.NotFound(w, r)
		return
	}
	if _, there := s.Hub.Apps.InstallationFor(owner); !there {
		s.Hub.Apps.Install(owner, nil, owner.Ruler())
	}
	show(w, "installed", map[string]string{"App": s.Hub.Apps.Own.Slug, "Owner": owner.Login})
}

// forms are the pages: GitHub's are longer, and ask the same.
var forms = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`
{{define "head"}}<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Simulated GitHub</title><main>{{end}}
{{define "new"}}{{template "head"}}<h1>Create GitHub App for {{.Owner}}</h1>
<form method="post" action="{{.To}}"><input type="hidden" name="manifest" value="{{.Manifest}}">
<input type="hidden" name="state" value="{{.State}}">
<p><label>GitHub App name <input name="name" value="{{.Name}}" required maxlength="34"></label></p>
<button>Create GitHub App for {{.Owner}}</button></form></main>{{end}}
{{define "install"}}{{template "head"}}<h1>Install {{.App}}</h1>
{{range .Owners}}<form method="post"><input type="hidden" name="owner" value="{{.}}">
<button>Install on {{.}}</button></form>{{else}}<p>It is installed everywhere.</p>{{end}}</main>{{end}}
{{define "installed"}}{{template "head"}}<h1>{{.App}} is installed on {{.Owner}}</h1></main>{{end}}`))
})

func show(w http.ResponseWriter, page string, with any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = forms().ExecuteTemplate(w, page, with) // the person has gone
}
