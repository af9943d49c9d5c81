package config_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

// TestThePageOfSettingsHasEachOfThem compares the table of docs/settings.md with the variables that the server asks
// for.
func TestThePageOfSettingsHasEachOfThem(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{"WAYBILL_API_TOKEN": true} // that of the command line
	set := map[string]string{
		"GITHUB_OAUTH_CLIENT_ID": "x", "SLACK_BOT_TOKEN": "x", "WAYBILL_EVENTS_URL": "https://example.com",
		"WAYBILL_PUBLIC_URL": "https://waybill.example.com", "GITHUB_WEB_URL": "https://github.example.com",
	}
	_, err := config.FromEnv(func(name string) string {
		if secret, fromFile := strings.CutSuffix(name, "_FILE"); !fromFile || !asked[secret] {
			asked[name] = true
		}
		return set[name]
	})
	require.Error(t, err, "required ones are missing")

	page, err := os.ReadFile("../docs/settings.md")
	require.NoError(t, err)
	var described []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, name := range strings.Split(row[1], ", ") {
			described = append(described, strings.Trim(name, "`"))
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(asked)), described)
}
