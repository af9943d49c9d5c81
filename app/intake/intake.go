package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// Inbox keeps deliveries in the store, and wakes the workers that handle them.
type Inbox struct {
	store     *store.Store
	pipelines *pipelines.Registry
	wake      work.Wake
	rows      *rows
	unsettled *unsettled
	unawaited *unawaited
}

// NewInbox returns the inbox of an environment.
func NewInbox(e *env.Env) Inbox {
	return Inbox{
		e.Store, e.Pipelines, e.Arrived, newRows(), &unsettled{waiting: map[string]bool{}},
		&unawaited{kept: map[promotion.Repo][]promotion.Signal{}},
	}
}

// Accept implements handlers.Inbox.
func (in Inbox) Accept(ctx context.Context, d handlers.Delivery) (fresh bool, err error) {
	if d.Glance.Files && in.unsettled.add(d.GUID) {
		defer func() {
			if err != nil || !fresh {
				in.unsettled.remove(d.GUID)
			}
		}()
	}
	if !d.Idle {
		if d.Idle, err = in.uninteresting(ctx, &d); err != nil {
			return false, err
		}
	}
	fresh, err = in.store.Accept(ctx, store.Delivery{
		Source: d.Source, GUID: d.GUID, Event: d.Event, Action: d.Action, Repo: d.Repo, Installation: d.Installation,
		Body: d.Body, Received: d.Received, Idle: d.Idle,
	})
	if errors.Is(err, store.ErrDifferentPayload) {
		return false, handlers.ErrAltered
	}
	if err == nil && !d.Idle && !in.rows.joins(d.Source, d.Installation, d.Repo) {
		in.wake.Notify()
	}
	return fresh, err
}

// Intake handles deliveries.
type Intake struct {
	*env.Env
	learn     *learn.Learn
	surfaces  surface.Surfaces
	from      Inbox
	proposals proposals
}

// New returns an Intake of the deliveries of an inbox that come from some surfaces.
func New(e *env.Env, l *learn.Learn, s surface.Surfaces, from Inbox) *Intake {
	return &Intake{e, l, s, from, proposals{e, l.Rules, newLane()}}
}

// Take takes a delivery from the inbox.
func (in *Intake) Take(ctx context.Context, room int) (do work.Piece, next time.Time, err error) {
	due, next, err := in.Store.Due(ctx, store.Deliveries)
	if err == nil && !due && next.IsZero() {
		in.from.unsettled.clear()
	}
	if err != nil || !due {
		return nil, next, err
	}
	d, next, err := in.Store.ClaimDelivery(ctx, in.Workers.Claim(room, work.UsualLease))
	if err != nil || d == nil {
		return nil, next, err
	}
	return func(ctx context.Context) error { return in.handleInRow(ctx, d) }, time.Time{}, nil
}

// inRow is how many deliveries of a repository are handled one after the other before it is the turn of others.
const inRow = 16

// handleInRow handles a delivery, and those that wait behind it in its repository.
func (in *Intake) handleInRow(ctx context.Context, d *store.Delivery) (err error) {
	defer in.from.rows.begin(d.Source, d.Installation, d.Repo)()
	for n := 1; d != nil && err == nil; n++ {
		d, err = in.handle(ctx, d, n < inRow)
	}
	return err
}

// handle handles a delivery. It writes the facts and the end of the delivery in one transaction, and claims the next
// one in it, if that is wanted too.
func (in *Intake) handle(ctx context.Context, d *store.Delivery, more bool) (next *store.Delivery, err error) {
	log := zerolog.Ctx(ctx).With().Str(work.KeyDelivery, d.GUID).Str("event", d.Event).
		Str(work.KeyRepo, string(d.Repo)).Logger()
	limited, held, cancel := work.Leased(log.WithContext(ctx), d.Lease, work.UsualLease)
	defer cancel()
	if d.Lease.Deadly() {
		return nil, work.UnlessLost(held, in.setAside(held, d, work.ErrDeadly))
	}
	u, failed := in.readDelivery(limited, d)
	if ctx.Err() != nil {
		return nil, nil
	}
	if failed == nil {
		// The lease is not looked at before: the end of the delivery fails without it, and all of this with that.
		failed = in.CountPanic(held, work.InDelivery, in.Store.Update(ctx, func(tx *store.Tx) error {
			if err := u.write(tx); err != nil {
				return err
			}
			if err := tx.Inbox.DeliveryHandled(d); err != nil {
				return err
			}
			if u.foreign = u.foreign || !in.concernsUs(d); u.foreign { // the records may have installed a pipeline
				if err := tx.Inbox.DropBody(d); err != nil {
					return err
				}
			}
			if !more {
				return nil
			}
			next, err = tx.Inbox.ClaimNext(d, in.Workers.Claim(0, work.UsualLease))
			return err
		}))
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	if errors.Is(failed, store.ErrLeaseLost) {
		return nil, work.UnlessLost(held, failed)
	}
	if failed != nil {
		return nil, work.UnlessLost(held, in.setAside(held, d, failed))
	}
	in.from.unsettled.remove(d.GUID)
	in.Metrics.Deliveries.WithLabelValues(d.Event).Inc()
	in.logHandled(&log, d, u.foreign)
	in.Undecided.Notify()
	if u.after != nil {
		u.after(limited)
	}
	return next, nil
}

// concernsUs reports whether a delivery concerns a pipeline: its repository, or its installation if it names none.
func (in *Intake) concernsUs(d *store.Delivery) bool {
	switch {
	case d.Source != handlers.SourceGitHub:
		return true
	case d.Repo == "":
		return in.Pipelines.LivesIn(d.Installation)
	}
	return in.Pipelines.Concerns(d.Repo)
}

// logHandled logs that a delivery has been handled: at debug, if it concerns no pipeline.
func (in *Intake) logHandled(log *zerolog.Logger, d *store.Delivery, foreign bool) {
	level := zerolog.InfoLevel
	if foreign {
		level = zerolog.DebugLevel
	}
	log.WithLevel(level).Str("action", d.Action).Msg("handled")
}

// readDelivery reads the facts of a delivery. It contains a panic.
func (in *Intake) readDelivery(ctx context.Context, d *store.Delivery) (u understood, err error) {
	err = in.Contain(ctx, work.InDelivery, func() error {
		u, err = in.understand(ctx, d)
		return err
	})
	return u, err
}

// setAside records that a delivery could not be handled; it never blocks later ones. After a failure of GitHub it is
// tried again until it succeeds. After another failure, a refusal that may pass included, a person finds it parked
// after some hours, and at once after a panic or five deaths of the server, because these would repeat.
func (in *Intake) setAside(ctx context.Context, d *store.Delivery, why error) error {
	parked := false
	err := in.Store.Update(ctx, func(tx *store.Tx) (err error) {
		switch {
		case work.PanicOf(why) != nil, errors.Is(why, work.ErrDeadly):
			parked = true
			return tx.Inbox.ParkDelivery(d, why.Error())
		case work.Transient(why):
			return tx.Inbox.DelayDelivery(d, why.Error(),
				tx.Now.Add(work.RequestBackoff.After(d.Attempts, work.RetryAfter(why))))
		}
		parked, err = tx.Inbox.DeliveryFailed(d, why.Error(), tx.Now.Add(work.DeliveryBackoff.After(d.Attempts, 0)))
		return err
	})
	if err != nil {
		return err
	}
	log, remedy := zerolog.Ctx(ctx).Warn(), "it is tried again"
	if parked {
		in.from.unsettled.remove(d.GUID)
		in.Metrics.Parked.Inc()
		log, remedy = zerolog.Ctx(ctx).Error(), "`waybill deliveries replay "+d.GUID+"` has it tried again"
	}
	log.Err(why).Bool("parked", parked).Int("attempt", d.Attempts).Msg("a delivery could not be handled: " + remedy)
	return nil
}

// understood is the records of a delivery.
type understood struct {
	records []work.Record
	after   func(context.Context) // called once they are written, and not again; may be nil
	foreign bool                  // it concerns no pipeline: its body is not kept
}

func (u *understood) write(tx *store.Tx) error { return work.InOrder(u.records)(tx) }

// understand reads the facts and requests of a delivery, and asks GitHub for facts that it lacks.
func (in *Intake) understand(ctx context.Context, d *store.Delivery) (understood, error) {
	from := in.surfaces.From(d.Source)
	if from == nil {
		return understood{}, fmt.Errorf("handle a delivery of %q: no such source", d.Source)
	}
	if d.Source != handlers.SourceGitHub {
		return in.identify(ctx, from, surface.Delivery{Delivery: d})
	}
	us, err := in.Hub.Self(ctx)
	if err != nil {
		return understood{}, err
	}
	told, err := handlers.Decode(handlers.Self(us), d.Event, d.Body)
	if errors.Is(err, handlers.ErrIgnored) {
		in.Metrics.Ignored.WithLabelValues(d.Event).Inc()
		return understood{}, nil
	}
	if err != nil {
		return understood{}, err
	}
	if served, err := in.Owners.Serves(ctx, told.Account); err != nil || !served {
		return understood{foreign: !served}, err
	}
	told.Received = d.Received
	took, tells, err := in.tookName(ctx, &told)
	if err != nil || !tells {
		return understood{foreign: took}, err
	}
	u, err := in.identify(ctx, from, surface.Delivery{Delivery: d, Told: &told})
	if err != nil {
		return understood{}, err
	}
	records, err := in.learned(ctx, &told)
	u.foreign, u.records = took, append(u.records, records...)
	return u, err
}

// identify records the requests of a delivery.
func (in *Intake) identify(ctx context.Context, from surface.Surface, d surface.Delivery) (u understood, err error) {
	input, err := from.Identify(ctx, d)
	if err != nil {
		return u, err
	}
	recorded := false
	for _, r := range input.Requests {
		rec, err := in.learn.Requests.Ask(ctx, r)
		if err != nil {
			return u, err
		}
		recorded = recorded || rec != nil
		u.records = append(u.records, rec)
	}
	u.records = append(u.records, input.Record)
	if input.After != nil {
		u.after = func(ctx context.Context) { input.After(ctx, recorded) }
	}
	return u, nil
}
