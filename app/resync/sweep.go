package resync

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// The sweep finds webhooks that GitHub could not deliver: it tries once and never again by itself (semantics 6.7).
const (
	// sweepEvery is how often GitHub is asked for the webhooks that it could not deliver.
	sweepEvery = 10 * time.Minute
	// sweepPages is how many pages of 100 attempts one sweep reads. A release to many stages makes thousands between two
	// sweeps. After still more every pipeline is resynced, because webhooks may have been missed among those not read.
	sweepPages = 200
	// sweepOverlap is how far a sweep reads back behind the one before: attempts are listed by their beginning, and some
	// had no answer yet.
	sweepOverlap = 5 * time.Minute
	// fewMissed is how many missed webhooks are redelivered without a resync first: that takes a second for each. At the
	// first sweep after a start none is. They may be about promotions that the database lacks, if it is a copy, and only a
	// resync looks for these.
	fewMissed = 5
	// mostFailures is how often in a row the first sweep after a start fails before decisions are made without it. Its
	// retries take a minute.
	mostFailures = 6
	// underWay is how long an attempt without an answer may still get one. GitHub gives up after 10 seconds, an Enterprise
	// Server after 30.
	underWay = time.Minute
)

// TakeSweep takes a sweep if one is due, and otherwise a missed webhook that GitHub is to redeliver.
func (r *Resyncer) TakeSweep(ctx context.Context, c store.Claim) (work.Piece, time.Time, error) {
	do, next, err := r.TakeOnTime(ctx, store.ClockSweep, c.For(work.LongLease), r.sweep)
	if do == nil && err == nil {
		var wake time.Time
		do, wake, err = r.takeMissed(ctx, c)
		next = promotion.Sooner(next, wake)
	}
	if do == nil {
		return nil, next, err
	}
	return func(ctx context.Context) error {
		defer r.WakeOfFacts() // for the resyncs that it has asked for, and for what waited for the first one
		return do(ctx)
	}, next, err
}

// sweep reads GitHub's attempts since the last sweep and notes those that were missed.
func (r *Resyncer) sweep(ctx context.Context, c *store.Clock) error {
	if c.Lease.Deadly() {
		err := r.Store.Update(store.Holding(ctx, c.Lease), func(tx *store.Tx) error { return tx.Inbox.GoOnUnswept() })
		if err != nil {
			return err
		}
	}
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
		if c.Failures+1 >= mostFailures {
			zerolog.Ctx(ctx).Warn().Err(err).Msg("GitHub does not say which webhooks were missed: Waybill goes on without that")
			if none := r.Store.Update(ctx, func(tx *store.Tx) error { return tx.Inbox.GoOnUnswept() }); none != nil {
				return none
			}
		}
	}
	return err
}

// findMissed makes a sweep, and returns how to record it. The record sets found to the number of new missed webhooks.
func (r *Resyncer) findMissed(ctx context.Context, c *store.Clock, found *int) (work.Record, error) {
	if err := r.Pipelines.Follow(ctx, r.Store); err != nil {
		return nil, err
	}
	oldest := r.Clock().Add(-gh.DeliveryWindow)
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
	read := r.Hub.Time()
	started := r.started.Add(read.Sub(r.Clock())) // by GitHub's clock
	missed, accepted := neverAccepted(attempts, read)
	if missed, err = r.onlyServed(ctx, missed); err != nil {
		return nil, err
	}
	old, err := r.giveUpOld(ctx, oldest)
	if err != nil {
		return nil, err
	}
	older, err := r.olderThan(ctx, c, attempts)
	if err != nil {
		return nil, err
	}
	all := []work.Record{older, forgetMissed(accepted), recordMissed(missed, found), old}
	switch {
	case !complete || !c.Done.IsZero() && read.Sub(promotion.Later(c.Done, started)) >= store.AwayFor:
		zerolog.Ctx(ctx).Warn().Time("since", readTo).Bool("read", complete).
			Msg("GitHub could not be asked for missed webhooks for a while, or there are too many: nothing is decided before " +
				"every pipeline has been resynced")
		all = append(all, func(tx *store.Tx) error { return tx.Recovery.MarkAllStale() })
	case len(missed) > fewMissed || c.Done.Before(started):
		all = append(all, r.resyncFirst(missed))
	}
	readTo = readUpTo(readTo, attempts)
	return work.InOrder(append(all,
		func(tx *store.Tx) error { return tx.Inbox.Swept(c, read, readTo, r.Clock().Add(sweepEvery)) })), nil
}

// olderThan returns how to record that the database is older than it was, if an attempt since the last sweep shows it:
// GitHub says that we took a webhook which the inbox does not have.
func (r *Resyncer) olderThan(ctx context.Context, c *store.Clock, attempts []gh.Attempt) (rec work.Record, err error) {
	swept := c.Done.Truncate(time.Second) // both by GitHub's clock, which tells the time of an attempt in seconds
	err = r.Store.View(ctx, func(tx *store.Tx) error {
		for _, at := range attempts {
			if swept.IsZero() || at.At.Before(swept) || !at.Accepted() || !slices.Contains(handlers.Events(), at.Event) {
				continue
			}
			has, err := tx.Inbox.Arrived(at.GUID)
			if err != nil {
				return err
			}
			if has {
				continue
			}
			zerolog.Ctx(ctx).Warn().Str(work.KeyDelivery, at.GUID).Time("taken", at.At).
				Msg("GitHub has delivered a webhook that is not in the database, which is an older copy then: nothing is decided " +
					"before every pipeline has been resynced")
			rec = func(tx *store.Tx) error { return tx.Recovery.NoteRestored() }
			return nil
		}
		return nil
	})
	return rec, err
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
	if err != nil {
		return nil, err
	}
	var served []gh.Installation
	for _, in := range all {
		serves, err := r.Owners.Serves(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		if serves && !in.Suspended {
			served = append(served, in)
		}
	}
	return served, nil
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

// resyncFirst has the pipelines resynced that missed webhooks may be about, before anything of them is decided: what
// happened is known at once and in its order, and redelivery fills in the rest.
func (r *Resyncer) resyncFirst(missed []store.Missed) work.Record {
	ids, _ := r.affected(missed)
	return func(tx *store.Tx) error { return work.RecordAll(ids, tx.Recovery.MarkStale) }
}
