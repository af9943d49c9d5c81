package sandbox

import (
	"context"

	"waybill/internal/story"
)

// Deaf is a World that loses the webhooks of the happenings of people and CI. The program learns of them by a resync
// after each happening.
type Deaf struct{ *World }

// Do carries out one happening, loses its webhooks, runs a resync, and returns the lines that follow.
func (d Deaf) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	switch h.Kind {
	case story.Merge, story.Close, story.Reopen, story.Retarget, story.Delete, story.Check, story.Status,
		story.Deployment, story.Push, story.Edit, story.Config, story.Image:
	default:
		return d.World.Do(ctx, h)
	}
	d.down = false
	defer d.wire.endHappening()
	d.github.LoseWebhooks(true)
	if err := d.happen(ctx, h); err != nil {
		return nil, err
	}
	if err := d.settle(ctx); err != nil {
		return nil, err
	}
	d.github.ForgetLost()
	d.github.LoseWebhooks(false)
	if err := d.program.Resync(ctx); err != nil {
		return nil, err
	}
	if _, err := d.rest(ctx); err != nil {
		return nil, err
	}
	return d.tell(ctx)
}
