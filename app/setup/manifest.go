package setup

import (
	"net/url"

	"waybill/app/api"
	"waybill/handlers"
)

// Manifest is what GitHub makes an App of. The names of the keys are GitHub's.
type Manifest struct {
	Name        string            `json:"name"`
	URL         string            `json:"url"`
	Description string            `json:"description"`
	Hook        Hook              `json:"hook_attributes"`
	Redirect    string            `json:"redirect_url"`
	Callbacks   []string          `json:"callback_urls"`
	Public      bool              `json:"public"`
	Permissions map[string]string `json:"default_permissions"`
	Events      []string          `json:"default_events"`
}

// Hook is where the App's webhooks go.
type Hook struct {
	URL    string `json:"url"`
	Active bool   `json:"active"`
}

// Manifest returns the manifest of the App. When GitHub has made it, it sends the browser to back with a code.
func (w Wish) Manifest(back string) Manifest {
	return Manifest{
		Name: w.named(), URL: w.Public, Description: "Promotes releases through stages with pull requests",
		Hook: Hook{w.Public + handlers.GitHubPath, true}, Redirect: back, Callbacks: []string{w.Public + api.CallbackPath},
		Public: len(w.Others) > 0, Permissions: w.permissions(), Events: w.events(),
	}
}

// NewAppURL is the page of GitHub that takes a manifest. GitHub gives back state with its code.
func (w Wish) NewAppURL(state string) string {
	page := w.GitHub.WebURL + "/settings/apps/new"
	if w.Org != "" {
		page = w.GitHub.WebURL + "/organizations/" + url.PathEscape(w.Org) + "/settings/apps/new"
	}
	if state == "" {
		return page
	}
	return page + "?" + url.Values{"state": {state}}.Encode()
}
