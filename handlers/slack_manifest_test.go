package handlers_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"waybill/app/slack"
	"waybill/handlers"
)

var updateManifest = flag.Bool("update-manifest", false, "write slack-manifest.yaml anew")

// manifest returns the App's description for Slack's "From a manifest". It is for HTTP: Socket Mode needs no addresses.
func manifest() string {
	const host = "https://waybill.example.com"
	return fmt.Sprintf(`# The Slack App of Waybill, made by "make docs". Put your server in the place of %[1]s
# and paste this at https://api.slack.com/apps: Create New App, From a manifest. docs/slack.md says what comes then.
display_information:
  name: Waybill
  description: Promotes freight through stages by pull requests
features:
  app_home:
    home_tab_enabled: true
    messages_tab_enabled: true
    messages_tab_read_only_enabled: true
  bot_user:
    display_name: waybill
    always_online: true
  slash_commands:
    - command: /waybill
      url: %[1]s%[2]s
      description: Promote, approve, hold, or ask what is where
      usage_hint: help
      should_escape: false
oauth_config:
  scopes:
    bot: [%[5]s]
settings:
  event_subscriptions:
    request_url: %[1]s%[4]s
    bot_events: [%[6]s, %[7]s]
  interactivity:
    is_enabled: true
    request_url: %[1]s%[3]s
  org_deploy_enabled: false
  socket_mode_enabled: false
  token_rotation_enabled: false
`, host, handlers.SlackCommandsPath, handlers.SlackInteractionsPath, handlers.SlackEventsPath,
		strings.Join(quoted(slack.Scopes), ", "), handlers.SlackHome, handlers.SlackMention)
}

// quoted returns texts in double quotes.
func quoted(all []string) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = `"` + one + `"`
	}
	return out
}

func TestTheSlackManifestNamesTheRoutesAndEventsThatThereAre(t *testing.T) {
	const file = "../docs/slack-manifest.yaml"
	if *updateManifest {
		require.NoError(t, os.WriteFile(file, []byte(manifest()), 0o644))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, manifest(), string(written), "run make docs")
	require.NoError(t, yaml.Unmarshal(written, &map[string]any{}))
}

func TestTheDescriptionOfSlackSaysWhatEachScopeIsFor(t *testing.T) {
	text, err := os.ReadFile("../docs/slack.md")
	require.NoError(t, err)
	for _, scope := range slack.Scopes {
		require.Contains(t, string(text), "| `"+scope+"` | ")
	}
	require.Equal(t, len(slack.Scopes), strings.Count(string(text), "   | `"), "and of no other")
}
