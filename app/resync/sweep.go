package resync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// The sweep finds webhooks that GitHub could not deliver: it tries once and never again by itself (semantics 6.7).
const (
	// sweepEvery is how often GitHub is asked for the webhooks that it could not deliver.
	sweepEvery = 10 * time.Minute
	// sweepPages is how many pages of 100 attempts one sweep reads. After more missed ones every pipeline is resynced,
	// which costs less than thousands of redeliveries.
	sweepPages = 50
	// sweepOverlap is how far a sweep reads back behind the one before: attempts are listed by their beginning, and some
	// had no answer yet.
	sweepOverlap = 5 * time.Minute
	// underWay is how long an attempt without an answer may still get one. GitHub gives up after 10 seconds, an Enterprise
	// Server after 30.
	underWay = time.Minute
)

// SweepNext makes a sweep if one is due, and otherwise asks GitHub to redeliver one missed webhook.
func (r *Resyncer) SweepNext(ctx context.Context) (did bool, next time.Time, err error) {
	did, next, err = r.OnTime(ctx, store.ClockSweep, store.Claim{Lease: work.LongLease}, r.sweep)
	if did || err != nil {
		return did, next, err
	}
	did, wake, err := r.redeliverNext(ctx)
	if next.IsZero() || !wake.IsZero() && wake.Before(next) {
		next = wake
	}
	return did, next, err
}

// sweep reads GitHub's attempts since the last sweep and notes those that were missed.
func (r *Resyncer) sweep(ctx context.Context, c *store.Clock) error {
	found := 0
	err := r.RunClock(ctx, c, work.InWorker, work.RequestBackoff,
		func(ctx context.Context) (work.Record, error) { return r.findMissed(ctx, c, &found) })
	var later *work.ErrLater
	switch {
	case err == nil:
		r.Metrics.Sweeps.WithLabelValues("complete").Inc()
		if found > 0 {
			r.Metrics.Missed.Add(float64(found))
			zerolog.Ctx(ctx).Warn().Int("missed", found).Msg("GitHub could not deliver webhooks: it is asked to try again")
		}
	case errors.As(err, &later):
		r.Metrics.Sweeps.WithLabelValues("failed").Inc()
	}
	return err
}

// findMissed makes a sweep, and returns how to record it. The record sets found to the number of new missed webhooks.
func (r *Resyncer) findMissed(ctx context.Context, c *store.Clock, found *int) (work.Record, error) {
	began := r.Clock()
	oldest := began.Add(-gh.DeliveryWindow)
	var readTo time.Time
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		readTo, err = tx.Inbox.ReadTo()
		return err
	})
	if err != nil {
		return nil, err
	}
	since := readTo
	if since.Before(oldest) {
		since = oldest
	}
	attempts, complete, err := r.Hub.Attempts(ctx, since, sweepPages)
	if err != nil {
		return nil, err
	}
	missed, accepted := neverAccepted(attempts, began)
	if missed, err = r.onlyServed(ctx, missed); err != nil {
		return nil, err
	}
	old, err := r.giveUpOld(ctx, oldest)
	if err != nil {
		return nil, err
	}
	all := []work.Record{forgetMissed(accepted), recordMissed(missed, found), old}
	if unread := !complete || !c.Done.IsZero() && c.Done.Before(oldest); unread {
		zerolog.Ctx(ctx).Warn().Time("since", readTo).Msg("more deliveries than a sweep reads: every pipeline is resynced")
		all = append(all, resyncAll)
	}
	readTo = readUpTo(readTo, attempts)
	return work.InOrder(append(all,
		func(tx *store.Tx) error { return tx.Inbox.Swept(c, began, readTo, began.Add(sweepEvery)) })), nil
}

// readUpTo returns the time from which the next sweep reads on.
func readUpTo(before time.Time, attempts []gh.Attempt) time.Time {
	if len(attempts) == 0 {
		return before
	}
	if to := attempts[0].At.Add(-sweepOverlap); to.After(before) {
		return to
	}
	return before
}

// neverAccepted groups attempts by their GUID. It returns the deliveries without an accepted attempt, the oldest first,
// and the GUIDs of the others. It leaves out an attempt that may still be answered, and a redelivery that failed: its
// delivery is known, or was given up.
func neverAccepted(attempts []gh.Attempt, now time.Time) (missed []store.Missed, accepted []string) {
	seen := map[string]bool{}
	for _, at := range attempts {
		if at.Accepted() {
			seen[at.GUID] = true
			accepted = append(accepted, at.GUID)
		}
	}
	for _, at := range slices.Backward(attempts) {
		if seen[at.GUID] || at.Redelivery || at.Code == 0 && now.Sub(at.At) < underWay {
			continue
		}
		seen[at.GUID] = true
		missed = append(missed, store.Missed{
			GUID: at.GUID, Attempt: at.ID, Event: at.Event, Repository: at.Repository, Installation: at.Installation,
			First: at.At,
		})
	}
	return missed, accepted
}

// onlyServed leaves out deliveries of events that are not read, and of accounts that are not served.
func (r *Resyncer) onlyServed(ctx context.Context, missed []store.Missed) ([]store.Missed, error) {
	missed = slices.DeleteFunc(missed, func(m store.Missed) bool { return !slices.Contains(handlers.Events(), m.Event) })
	if len(missed) == 0 {
		return nil, nil
	}
	served, err := r.served(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(missed, func(m store.Missed) bool {
		return !slices.ContainsFunc(served, func(in gh.Installation) bool { return in.ID == m.Installation })
	}), nil
}

// served lists the installations that the server works for.
func (r *Resyncer) served(ctx context.Context) ([]gh.Installation, error) {
	all, err := r.Hub.Installations(ctx)
	return slices.DeleteFunc(all,
		func(in gh.Installation) bool { return in.Suspended || !r.Allowed(string(in.Account.Login)) }), err
}

// recordMissed notes missed deliveries.
func recordMissed(missed []store.Missed, found *int) work.Record {
	return func(tx *store.Tx) error {
		*found = 0 // the transaction may run again
		for _, m := range missed {
			m.RunAt = tx.Now
			fresh, err := tx.Inbox.RecordMissed(m)
			if err != nil {
				return err
			}
			if fresh {
				*found++
			}
		}
		return nil
	}
}

func forgetMissed(guids []string) work.Record {
	return func(tx *store.Tx) error { return work.RecordAll(guids, tx.Inbox.ForgetMissed) }
}

// resyncAll makes the resync of every pipeline due.
func resyncAll(tx *store.Tx) error {
	rows, err := tx.Ledger.Pipelines()
	if err != nil {
		return fmt.Errorf("ask for resyncs: %w", err)
	}
	return work.RecordAll(rows, func(row store.PipelineRow) error { return tx.Clocks.AskResync(row.ID) })
}
