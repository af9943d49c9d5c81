package gh

import (
	"context"
	"time"
)

// Content counts the content that installations make. Pull requests, comments and requests for reviews are content:
// they notify people, and GitHub limits how many of them may be made in a time, and how fast.
type Content interface {
	// TakeContent counts a piece that an installation is about to make, or returns for how long it may make none.
	TakeContent(ctx context.Context, installation int64) (wait time.Duration, err error)
	// MadeContent says that it has been made or refused, and for how long the installation makes no more.
	MadeContent(ctx context.Context, installation int64, shut time.Duration) error
}

// noContent is the cause of a failure: an installation may make no content now.
type noContent struct {
	installation int64
	sent         bool
}

// Error implements error.
func (*noContent) Error() string { return "enough content for now" }

// NoContent returns the installation that may make none, and whether GitHub has said so in answer to a request.
func (n *noContent) NoContent() (installation int64, sent bool) { return n.installation, n.sent }

// full is the error of content for which there is no room.
func (i *installationState) full(wait time.Duration, text string, sent bool) error {
	return &failure{class: ClassThrottled, text: text, after: wait, cause: &noContent{i.id, sent}}
}

// throttles is for how long no content is made after GitHub has said that it was made too fast. GitHub does not say how
// long that lasts: some minutes, up to an hour.
var throttles = []time.Duration{2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// throttledFor returns for how long GitHub wants no more content.
func (g *gate) throttledFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(0, g.throttled.Sub(g.now()))
}

// throttle stops the creation of content for a while, and returns for how long: the longer, the more often GitHub has
// asked for it in a row. Things that were on their way together and are refused together count once.
func (g *gate) throttle() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if left := g.throttled.Sub(now); left > 0 {
		return left
	}
	if now.Sub(g.throttled) > time.Hour {
		g.throttles = 0
	}
	pause := throttles[min(g.throttles, len(throttles)-1)]
	g.throttles++
	g.throttled = now.Add(pause)
	return pause
}
