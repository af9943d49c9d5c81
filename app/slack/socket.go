package slack

import (
	"context"
	"encoding/json"

	"github.com/slack-go/slack/socketmode"
)

// Listen takes the payloads of Socket Mode until the context ends, over one connection after the other. A payload for
// which keep returns an error is not acknowledged: Slack sends it again.
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
