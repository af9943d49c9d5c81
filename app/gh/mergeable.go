package gh

import (
	"context"
	"time"

	"waybill/promotion"
)

const (
	// looks is how often a pull request is read until GitHub has worked out whether it fits its base.
	looks = 5
	// firstLook is the pause before the second look; each further one is twice as long.
	firstLook = 100 * time.Millisecond
)

// Mergeable reads an open pull request once GitHub knows whether it fits its base: after a push GitHub works that out
// in the background, beginning when it is asked. If it takes too long the error is ErrTransient: ask again later.
func (c *Client) Mergeable(ctx context.Context, number int) (promotion.Pull, error) {
	pause := firstLook
	for n := 1; ; n++ {
		p, err := c.look(ctx, number)
		if err != nil {
			return promotion.Pull{}, err
		}
		if p.GetState() != "open" || p.Mergeable != nil {
			return c.pullFact(ctx, p)
		}
		if n == looks {
			return promotion.Pull{}, c.wrong(transient(5*time.Second, "GitHub does not know yet whether it fits its base", nil),
				"read pull request #%d", number)
		}
		if err := c.hub.nap(ctx, pause); err != nil {
			return promotion.Pull{}, c.wrong(err, "read pull request #%d", number)
		}
		pause *= 2
	}
}
