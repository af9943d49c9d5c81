package setup

import (
	"fmt"
	"strings"

	"waybill/app/slack"
	"waybill/handlers"
)

// SlackManifest returns the App's description for Slack's "From a manifest", for a server at an address. It is for
// HTTP: Socket Mode needs no addresses.
func SlackManifest(public string) string {
	return fmt.Sprintf(`display_information:
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
    bot: ["%[5]s"]
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
`, public, handlers.SlackCommandsPath, handlers.SlackInteractionsPath, handlers.SlackEventsPath,
		strings.Join(slack.Scopes, `", "`), handlers.SlackHome, handlers.SlackMention)
}
