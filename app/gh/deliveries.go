package gh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v60/github"
)

// DeliveryWindow is how long GitHub lists a delivery and sends it again when it is asked to.
const DeliveryWindow = 3 * 24 * time.Hour

// Attempt is one attempt of GitHub's to deliver a webhook to us. All attempts at one happening have the same GUID.
type Attempt struct {
	ID           int64
	GUID         string
	Event        string
	At           time.Time
	Redelivery   bool  // it was asked for
	Code         int   // the status of the answer, or GitHub's code for a missing one; 0 while it is under way
	Repository   int64 // 0: of no repository
	Installation int64 // 0: of none
}

// Accepted reports whether the webhook was taken.
func (a Attempt) Accepted() bool { return a.Code >= 200 && a.Code < 300 }

// Attempts lists the attempts since a time, the newest first, from at most so many pages of 100. It reports whether
// that was all.
//
// GitHub can list failures alone, but only by a range of status codes which leaves open how it counts a connection that
// never was.
func (h *Hub) Attempts(ctx context.Context, since time.Time, pages int) (all []Attempt, complete bool, err error) {
	cursor := ""
	for range pages {
		page, response, err := h.app.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: perPage, Cursor: cursor})
		if err != nil {
			return nil, false, fmt.Errorf("list deliveries: %w", classify(err))
		}
		for _, d := range page {
			a := attemptAnswer(d)
			if a.At.Before(since) {
				return all, true, nil
			}
			all = append(all, a)
		}
		if cursor = response.Cursor; cursor == "" {
			return all, true, nil
		}
	}
	return all, false, nil
}

func attemptAnswer(d *github.HookDelivery) Attempt {
	return Attempt{
		ID: d.GetID(), GUID: d.GetGUID(), Event: d.GetEvent(), At: d.GetDeliveredAt().UTC(),
		Redelivery: d.GetRedelivery(), Code: d.GetStatusCode(),
		Repository: d.GetRepositoryID(), Installation: d.GetInstallationID(),
	}
}

// Redeliver has GitHub attempt the delivery of an earlier attempt again. It comes to the webhook under the same GUID.
func (h *Hub) Redeliver(ctx context.Context, attempt int64) error {
	_, _, err := h.app.Apps.RedeliverHookDelivery(ctx, attempt)
	if later := (*github.AcceptedError)(nil); errors.As(err, &later) { // 202: that is how it says yes
		return nil
	}
	if err != nil {
		return fmt.Errorf("redeliver %d: %w", attempt, classify(err))
	}
	return nil
}
