package setup_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"waybill/app/setup"
	"waybill/app/slack"
)

var updateManifest = flag.Bool("update-manifest", false, "write slack-manifest.yaml anew")

// slackPage returns the manifest of docs/, for a server of nobody.
func slackPage() string {
	const host = "https://waybill.example.com"
	return "# The Slack App of Waybill, made by \"make docs\"; waybill setup writes it for your server. Or put that in " +
		"the place of\n# " + host + ", and paste this at https://api.slack.com/apps: Create New App, From a manifest.\n" +
		"# docs/slack.md says what comes then.\n" + setup.SlackManifest(host)
}

func TestTheSlackManifestNamesTheRoutesAndEventsThatThereAre(t *testing.T) {
	const file = "../../docs/slack-manifest.yaml"
	if *updateManifest {
		require.NoError(t, os.WriteFile(file, []byte(slackPage()), 0o644))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, slackPage(), string(written), "run make docs")
	require.NoError(t, yaml.Unmarshal(written, &map[string]any{}))
}

func TestTheDescriptionOfSlackSaysWhatEachScopeIsFor(t *testing.T) {
	text, err := os.ReadFile("../../docs/slack.md")
	require.NoError(t, err)
	for _, scope := range slack.Scopes {
		require.Contains(t, string(text), "| `"+scope+"` | ")
	}
	require.Equal(t, len(slack.Scopes), strings.Count(string(text), "   | `"), "and of no other")
}
