package app

import (
	"context"
	"errors"
	"time"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/rs/zerolog"
)

// inbox keeps deliveries in the store and rings the bell.
type inbox struct{ *App }

// Accept implements handlers.Inbox.
func (in inbox) Accept(ctx context.Context, d handlers.Delivery) (fresh bool, err error) {
	fresh, err = in.store.Accept(ctx, store.Delivery{
		Source: d.Source, GUID: d.GUID, Event: d.Event, Action: d.Action, Repo: d.Repo, Installation: d.Installation,
		Body: d.Body, Received: d.Received,
	})
	if errors.Is(err, store.ErrDifferentPayload) {
		return false, handlers.ErrAltered
	}
	if err == nil {
		in.arrived.notify()
	}
	return fresh, err
}

// takeIn handles one delivery of the inbox. Its facts and its end are written in one transaction.
func (a *App) takeIn(ctx context.Context) (did bool, next time.Time, err error) {
	var d *store.Delivery
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		d, next, err = tx.Inbox.ClaimDelivery(a.workers.claim(a.workers.Intake, workLease))
		return err
	})
	if err != nil || d == nil {
		return false, next, err
	}
	a.arrived.notify() // there may be more for another worker
	log := zerolog.Ctx(ctx).With().Str(keyDelivery, d.GUID).Str("event", d.Event).Logger()
	limited, held, cancel := leased(log.WithContext(ctx), d.Lease, workLease)
	defer cancel()
	write, failed := a.readDelivery(limited, d)
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	if failed == nil {
		failed = a.noted(held, inDelivery, a.store.Update(held, func(tx *store.Tx) error {
			if write != nil {
				if err := write(tx); err != nil {
					return err
				}
			}
			return tx.Inbox.DeliveryHandled(d)
		}))
	}
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	if errors.Is(failed, store.ErrLeaseLost) {
		return true, time.Time{}, unlessLost(held, failed)
	}
	if failed != nil {
		return true, time.Time{}, unlessLost(held, a.setAside(held, d, failed))
	}
	a.metrics.deliveries.WithLabelValues(d.Event).Inc()
	a.undecided.notify()
	return true, time.Time{}, nil
}

// readDelivery makes facts of a delivery. A panic is contained to it.
func (a *App) readDelivery(ctx context.Context, d *store.Delivery) (write record, err error) {
	err = a.contained(ctx, inDelivery, func() error {
		write, err = a.understand(ctx, d)
		return err
	})
	return write, err
}

// setAside leaves a delivery that could not be handled for later; it never stops those behind it. GitHub's troubles are
// waited out. What fails for another reason is parked for a person after some hours, and a bug at once: it does not go
// away.
func (a *App) setAside(ctx context.Context, d *store.Delivery, why error) error {
	parked := false
	err := a.store.Update(ctx, func(tx *store.Tx) (err error) {
		switch {
		case panicOf(why) != nil:
			parked = true
			return tx.Inbox.ParkDelivery(d, why.Error())
		case transient(why):
			return tx.Inbox.DelayDelivery(d, why.Error(), tx.Now.Add(requestBackoff.after(d.Attempts, retryAfter(why))))
		}
		parked, err = tx.Inbox.DeliveryFailed(d, why.Error(), tx.Now.Add(deliveryBackoff.after(d.Attempts, 0)))
		return err
	})
	if err != nil {
		return err
	}
	log := zerolog.Ctx(ctx).Warn()
	if parked {
		a.metrics.parked.Inc()
		log = zerolog.Ctx(ctx).Error()
	}
	log.Err(why).Bool("parked", parked).Int("attempt", d.Attempts).Msg("a delivery could not be handled")
	return nil
}

// understand makes facts of a delivery, asks GitHub for what they leave out, and returns what is to be written.
func (a *App) understand(ctx context.Context, d *store.Delivery) (record, error) {
	switch d.Source {
	case handlers.SourceSlack:
		return a.understandSlack(ctx, d)
	case sourceAPI:
		return a.understandAPI(ctx, d)
	}
	us, err := a.hub.Self(ctx)
	if err != nil {
		return nil, err
	}
	f, err := handlers.Decode(handlers.Self(us), d.Event, d.Body)
	if errors.Is(err, handlers.ErrIgnored) {
		a.metrics.ignored.WithLabelValues(d.Event).Inc()
		return nil, nil
	}
	if err != nil || !a.allowed(whose(f)) {
		return nil, err
	}
	var all []record
	for _, ask := range []func(context.Context, *handlers.Facts) (record, error){
		a.regrant, a.approved, a.freightOf, a.pushedTo, a.released, a.imaged, a.dispatched, a.commented, a.pressed, a.labelled, a.removed, a.pathsOf, a.overtaken, a.reload, a.proposed,
		a.candidate, a.grouped, a.barred, a.reportedOnTargets,
	} {
		rec, err := ask(ctx, &f)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	files, err := a.touchedFiles(ctx, &f)
	if err != nil {
		return nil, err
	}
	return inOrder(append(all, func(tx *store.Tx) error { return recordFacts(tx, f) }, files)), nil
}

func inOrder(all []record) record {
	return func(tx *store.Tx) error {
		for _, rec := range all {
			if rec == nil {
				continue
			}
			if err := rec(tx); err != nil {
				return err
			}
		}
		return nil
	}
}

// recordFacts writes down what a delivery says by itself. What is known already changes nothing.
func recordFacts(tx *store.Tx, f handlers.Facts) error {
	if err := recordSignals(tx, f.Signals, f.Suites); err != nil {
		return err
	}
	for _, p := range f.Pushes {
		if _, err := tx.Facts.RecordPush(p); err != nil {
			return err
		}
	}
	if err := recordPulls(tx, f.Pulls); err != nil {
		return err
	}
	if f.Dequeued != "" {
		why := say.Dequeued(f.Dequeued, f.Sender)
		if err := tx.Facts.RefusePull(f.Repo, f.Pulls[0].Number, why); err != nil {
			return err
		}
	}
	for _, b := range f.Bumps {
		if err := bump(tx, f.Repo, b); err != nil {
			return err
		}
	}
	return nil
}

// bump notes that GitHub may think anew about merging some pull requests.
func bump(tx *store.Tx, repo promotion.Repo, b handlers.Bump) error {
	if b.SHA != "" {
		return tx.Facts.BumpPullsAt(repo, b.SHA)
	}
	return tx.Facts.BumpPullsInto(repo, b.Branch)
}

// recordPulls records what is known of pull requests of ours.
func recordPulls(tx *store.Tx, pulls []promotion.Pull) error {
	return recordAll(pulls, func(p promotion.Pull) error {
		_, err := tx.Facts.RecordPull(p)
		return err
	})
}

// whose returns the account that a delivery is about.
func whose(f handlers.Facts) string {
	if f.Access != nil {
		return string(f.Access.Account)
	}
	if f.People != "" {
		return string(f.People)
	}
	return owner(f.Repo)
}

// owner returns the owner of a repository.
func owner(r promotion.Repo) string {
	for i := range r {
		if r[i] == '/' {
			return string(r[:i])
		}
	}
	return string(r)
}
