package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Webhooks lists the payloads of the contract, each as "event" or
// "event.action", sorted.
func (c *Contract) Webhooks() []string {
	return slices.Sorted(maps.Keys(c.webhooks))
}

// FillWebhook completes the payload of a webhook as Fill completes an answer, and sets its action. Events without an
// action, such as push, take the action "".
func (c *Contract) FillWebhook(event, action string, have map[string]any) (map[string]any, error) {
	schema, err := c.webhookSchema(event, action)
	if err != nil {
		return nil, err
	}
	stated := maps.Clone(have)
	if stated == nil {
		stated = map[string]any{}
	}
	if action != "" {
		stated["action"] = action
	}
	return fillObject(schema, stated)
}

// CheckWebhook compares the payload of a delivery with GitHub's description of
// the event and the action that the payload names. The error is nil or lists
// every violation as Violations.
func (c *Contract) CheckWebhook(event string, body []byte) error {
	f := &findings{operation: "webhook " + event}
	var payload map[string]any
	if err := json.Unmarshal(body, &payload); err != nil {
		f.add(Request, "body: %v", err)
		return f.err()
	}
	action, _ := payload["action"].(string)
	schema, err := c.webhookSchema(event, action)
	if err != nil {
		f.add(Route, "%v", err)
		return f.err()
	}
	f.operation = "webhook " + webhookName(event, action)
	f.addBody(Request, schema, payload)
	return f.err()
}

// webhookSchema returns the schema of the payload of an event's action.
func (c *Contract) webhookSchema(event, action string) (*openapi3.Schema, error) {
	schema := c.webhooks[webhookName(event, describedAction(event, action))]
	if schema != nil {
		return schema, nil
	}
	var known []string
	for _, webhook := range c.Webhooks() {
		if of, name, _ := strings.Cut(webhook, "."); of == event {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("GitHub has no event %q, or vendor-spec/subset.txt leaves it out", event)
	}
	return nil, fmt.Errorf("event %q has no action %q, only %s", event, action, strings.Join(known, ", "))
}

// webhookName returns the contract's key for an event and action.
func webhookName(event, action string) string {
	if action == "" {
		return event
	}
	return event + "." + action
}
