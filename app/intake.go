package app

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
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
		in.arrived.ring()
	}
	return fresh, err
}

// takeIn handles the oldest delivery of the inbox. Its facts and its end are written in one transaction.
func (a *App) takeIn(ctx context.Context) (did bool, next time.Time, err error) {
	var d *store.Delivery
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		d, next, err = tx.ClaimDelivery(lease)
		return err
	})
	if err != nil || d == nil {
		return false, next, err
	}
	log := zerolog.Ctx(ctx).With().Str(keyDelivery, d.GUID).Str("event", d.Event).Logger()
	write, err := a.understand(log.WithContext(ctx), d)
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		if err != nil {
			return a.setAside(tx, d, err)
		}
		if write != nil {
			if err := write(tx); err != nil {
				return err
			}
		}
		return tx.DeliveryHandled(d.ID)
	})
	if err != nil {
		zerolog.Ctx(ctx).Error().Err(err).Str(keyDelivery, d.GUID).Msg("facts cannot be recorded")
		return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error { return a.setAside(tx, d, err) })
	}
	a.metrics.deliveries.WithLabelValues(d.Event).Inc()
	a.undecided.ring()
	return true, time.Time{}, nil
}

// setAside leaves a delivery that could not be handled for later. One that fails again and again is parked for a person;
// it never stops those behind it.
func (a *App) setAside(tx *store.Tx, d *store.Delivery, why error) error {
	_, err := tx.DeliveryFailed(d.ID, why.Error(), tx.Now.Add(patience(d.Attempts, gh.RetryAfter(why))))
	return err
}

// understand makes facts of a delivery, asks GitHub for what they leave out, and returns what is to be written.
func (a *App) understand(ctx context.Context, d *store.Delivery) (record, error) {
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
		a.freightOf, a.asked, a.pathsOf, a.overtaken, a.reload,
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
		if _, err := tx.RecordPush(p); err != nil {
			return err
		}
	}
	if err := recordPulls(tx, f.Pulls); err != nil {
		return err
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
		return tx.BumpPullsAt(repo, b.SHA)
	}
	return tx.BumpPullsInto(repo, b.Branch)
}

// recordPulls records what is known of pull requests of ours.
func recordPulls(tx *store.Tx, pulls []promotion.Pull) error {
	return recordAll(pulls, func(p promotion.Pull) error {
		_, err := tx.RecordPull(p)
		return err
	})
}

// whose returns the account that a delivery is about.
func whose(f handlers.Facts) string {
	if f.Access != nil {
		return string(f.Access.Account)
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
