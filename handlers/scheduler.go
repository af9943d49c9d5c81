package handlers

import (
	"context"
	"fmt"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
)

// Scheduler is a githubapp.Scheduler that stores a delivery where those of go-githubapp would hold it in memory, so
// that the dispatcher answers GitHub only after it is durable.
type Scheduler struct {
	inbox Inbox
	app   int64 // ours
	clock func() time.Time
	count func(Outcome, string)
}

// Schedule puts a verified delivery into the inbox. An error means that it is not there and must not be acknowledged.
func (s *Scheduler) Schedule(ctx context.Context, d githubapp.Dispatch) error {
	outside, err := readEnvelope(d.EventType, d.Payload)
	if err != nil {
		return fmt.Errorf("read %s %s: %w", d.EventType, d.DeliveryID, err)
	}
	idle := outside.idle(d.EventType, s.app)
	fresh, err := s.inbox.Accept(ctx, Delivery{
		Source:       SourceGitHub,
		GUID:         d.DeliveryID,
		Event:        d.EventType,
		Action:       outside.action,
		Repo:         outside.repo,
		Installation: outside.installation,
		Body:         d.Payload,
		Received:     s.clock(),
		Idle:         idle,
		Glance:       outside.glance(d.EventType, s.app),
	})
	if err != nil {
		return fmt.Errorf("store %s %s: %w", d.EventType, d.DeliveryID, err)
	}
	switch {
	case !fresh:
		s.count(Repeated, d.EventType)
	case idle:
		s.count(Idle, d.EventType)
	default:
		s.count(Stored, d.EventType)
	}
	return nil
}

// subscription tells the dispatcher which events to schedule.
type subscription []string

// Handles implements githubapp.EventHandler.
func (s subscription) Handles() []string { return s }

// Handle implements githubapp.EventHandler. Our Scheduler never calls it: deliveries are handled from the inbox.
func (s subscription) Handle(_ context.Context, event, guid string, _ []byte) error {
	return fmt.Errorf("handle %s %s: deliveries are handled from the inbox only", event, guid)
}
