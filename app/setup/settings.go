package setup

import (
	"fmt"
	"strings"

	"waybill/app/gh"
)

// Files are the paths of the files that the settings name. They are absolute: a server may start in any folder.
type Files struct{ Key, Tokens, Database string }

// Settings returns the settings of a server for an App, as lines NAME=value without quotes, which waybill serve
// --config, systemd and Docker read alike.
func (w Wish) Settings(a gh.NewApp, f Files) (string, error) {
	lines := [][2]string{
		{"GITHUB_APP_INTEGRATION_ID", fmt.Sprint(a.ID)},
		{"GITHUB_APP_WEBHOOK_SECRET", a.WebhookSecret},
		{"GITHUB_APP_PRIVATE_KEY_FILE", f.Key},
		{"GITHUB_OAUTH_CLIENT_ID", a.ClientID},
		{"GITHUB_OAUTH_CLIENT_SECRET", a.OAuthClientSecret},
		{"WAYBILL_PUBLIC_URL", w.Public},
		{"WAYBILL_API_TOKENS_FILE", f.Tokens},
		{"WAYBILL_DATABASE_URL", "sqlite://" + f.Database},
	}
	if w.GitHub != githubCom {
		lines = append(lines, [2]string{"GITHUB_WEB_URL", w.GitHub.WebURL}, [2]string{"GITHUB_V3_API_URL", w.GitHub.V3URL},
			[2]string{"GITHUB_V4_API_URL", w.GitHub.V4URL})
	}
	if len(w.Others) > 0 {
		lines = append(lines, [2]string{"WAYBILL_ALLOWED_OWNERS", strings.Join(append([]string{a.Owner}, w.Others...), ",")})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The settings of Waybill for %s, by waybill setup. docs/settings.md explains each.\n", a.Page)
	for _, l := range lines {
		if l[1] == "" || strings.ContainsAny(l[1], "\r\n") {
			return "", fmt.Errorf("GitHub made the App %s, but gave no usable value for %s: set it by hand", a.Page, l[0])
		}
		fmt.Fprintf(&b, "%s=%s\n", l[0], l[1])
	}
	return b.String(), nil
}
