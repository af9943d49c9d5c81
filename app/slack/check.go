package slack

import (
	"context"
	"strings"
)

// Scopes are those that the App's bot needs: to hear of mentions, to post, to answer commands, to write to people, and
// to know who they are.
var Scopes = []string{"app_mentions:read", "chat:write", "commands", "im:write", "users:read"}

// Granted asks Slack whether the token works, and returns the scopes that it has; nil if Slack does not say.
func (c *Client) Granted(ctx context.Context) (scopes []string, err error) {
	is, err := c.api.AuthTestContext(ctx)
	if err != nil {
		return nil, classify("ask where we are", err)
	}
	for _, scope := range strings.Split(is.Header.Get("X-OAuth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}
