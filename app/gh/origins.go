package gh

import (
	"context"
	"fmt"
	"net/netip"
)

// HookOrigins lists the networks that GitHub sends webhooks from, as it publishes them.
func (h *Hub) HookOrigins(ctx context.Context) ([]netip.Prefix, error) {
	meta, _, err := h.app.Meta.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask from where webhooks come: %w", classify(err))
	}
	var all []netip.Prefix
	for _, text := range meta.Hooks {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("ask from where webhooks come: %w", incomplete("a network"))
		}
		all = append(all, network.Masked())
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("ask from where webhooks come: %w", incomplete("any network"))
	}
	return all, nil
}
