package slack

import (
	"context"
	"encoding/json"

	"github.com/slack-go/slack/socketmode"
)

// Listen takes what Slack tells by Socket Mode until the context ends, over one connection after the other. What keep
// returns an error for is not acknowledged: Slack tells it again.
func (c *Client) Listen(ctx context.Context, keep func(ctx context.Context, payload json.RawMessage) error) error {
	client := socketmode.New(c.api)
	ended := make(chan error, 1)
	go func() { ended <- client.RunContext(ctx) }()
	for {
		select {
		case err := <-ended:
			return classify("listen to Slack", err)
		case e := <-client.Events:
			if e.Request == nil || e.Request.EnvelopeID == "" {
				continue
			}
			if keep(ctx, e.Request.Payload) == nil {
				_ = client.AckCtx(ctx, e.Request.EnvelopeID, nil) // one that does not arrive is told again, and kept once
			}
		}
	}
}
