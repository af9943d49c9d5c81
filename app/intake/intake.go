package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
			} else {
				in.unsettled.stored(d.GUID)
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
	return &Intake{e, l, s, from, proposals{e, l.Rules, l.PullFiles, newLane()}}
}

// Take takes a delivery from the inbox.
func (in *Intake) Take(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	seen := in.from.unsettled.inInbox()
	due, next, err := in.Store.Due(ctx, store.Deliveries)
	if err == nil && !due && next.IsZero() {
		in.from.unsettled.clear(seen)
	}
	if err != nil || !due {
		return nil, next, err
	}
	d, next, err := in.Store.ClaimDelivery(ctx, in.Workers.Claim(c, work.UsualLease))
	if err != nil || d == nil {
		return nil, next, err
	}
	row := inRow
	if c.Suspects { // others wait for their turn
		row = 1
	}
	return func(ctx context.Context) error { return in.handleInRow(ctx, d, row) }, time.Time{}, nil
}

// inRow is how many deliveries of a repository are handled one after the other before it is the turn of others.
const inRow = 16

// handleInRow handles a delivery, and those that wait behind it in its repository, as many as there is room for.
func (in *Intake) handleInRow(ctx context.Context, d *store.Delivery, room int) (err error) {
	defer in.from.rows.begin(d.Source, d.Installation, d.Repo)()
	for batch := []*store.Delivery{d}; len(batch) > 0 && err == nil; {
		room -= len(batch)
		batch, err = in.handle(ctx, batch, room)
	}
	return err
}

// handle handles deliveries that were claimed together. It writes their facts and their ends in one transaction, and
// claims what comes next in it, as far as there is room. If one of them cannot be handled, nothing is written, and each
// of them is handled again by itself, so that one does not hold up the others.
func (in *Intake) handle(ctx context.Context, batch []*store.Delivery, room int) (next []*store.Delivery, err error) {
	all := make([]handling, len(batch))
	for i, d := range batch {
		var end func()
		all[i], end = in.begin(ctx, d)
		defer end()
	}
	failed := in.Pipelines.Follow(ctx, in.Store)
	if failed == nil {
		failed = in.readAll(all)
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	if failed == nil {
		// The leases are not looked at before: the end of a delivery fails without its own, and all of this with that.
		failed = in.CountPanic(all[0].held, work.InDelivery, in.Store.Update(ctx, func(tx *store.Tx) error {
			for i := range all {
				if err := in.end(tx, &all[i]); err != nil {
					return err
				}
			}
			next, err = nil, nil
			if room > 0 {
				next, err = tx.Inbox.ClaimNext(batch[0], room, in.Workers.Claim(store.Claim{}, work.UsualLease))
			}
			return err
		}))
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil
	case failed != nil && len(batch) > 1:
		return nil, work.RecordAll(batch, func(d *store.Delivery) error {
			_, err := in.handle(ctx, []*store.Delivery{d}, 0)
			return err
		})
	case errors.Is(failed, store.ErrLeaseLost):
		return nil, work.UnlessLost(all[0].held, failed)
	case failed != nil:
		return nil, work.UnlessLost(all[0].held, in.setAside(all[0].held, batch[0], failed))
	}
	in.WakeOfFacts()
	for i := range all {
		in.after(&all[i])
	}
	return next, nil
}

// handling is a delivery that is being handled.
type handling struct {
	*store.Delivery
	understood
	limited, held context.Context // as of work.Leased
}

// begin begins to handle a delivery. The function that it returns ends that.
func (in *Intake) begin(ctx context.Context, d *store.Delivery) (h handling, end func()) {
	log := zerolog.Ctx(ctx).With().Str(work.KeyDelivery, d.GUID).Str("event", d.Event).
		Str(work.KeyRepo, string(d.Repo)).Logger()
	h.Delivery = d
	h.limited, h.held, end = work.Leased(log.WithContext(ctx), d.Lease, work.UsualLease)
	return h, end
}

// readAll reads the facts of deliveries, up to one of which that fails.
func (in *Intake) readAll(all []handling) (err error) {
	for i := range all {
		if all[i].understood, err = in.readDelivery(all[i].limited, all[i].Delivery); err != nil {
			return err
		}
	}
	return nil
}

// end writes the facts and the end of a delivery.
func (in *Intake) end(tx *store.Tx, h *handling) error {
	if err := h.write(tx); err != nil {
		return err
	}
	if err := tx.Inbox.DeliveryHandled(h.Delivery); err != nil {
		return err
	}
	if h.foreign = h.foreign || !in.concernsUs(h.Delivery); h.foreign { // the records may have installed a pipeline
		return tx.Inbox.DropBody(h.Delivery)
	}
	return nil
}

// after counts and logs a delivery that was handled, and has whoever waits for it go on.
func (in *Intake) after(h *handling) {
	in.from.unsettled.remove(h.GUID)
	in.Metrics.Deliveries.WithLabelValues(h.Event).Inc()
	in.logHandled(zerolog.Ctx(h.limited), h.Delivery, h.foreign)
	if h.understood.after != nil {
		h.understood.after(h.limited)
	}
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

// readDelivery reads the facts of a delivery, unless the server has died of that too often. It contains a panic.
func (in *Intake) readDelivery(ctx context.Context, d *store.Delivery) (u understood, err error) {
	if d.Lease.Deadly() {
		return u, work.ErrDeadly
	}
	err = in.Contain(ctx, work.InDelivery, func() error {
		u, err = in.understand(ctx, d)
		return err
	})
	return u, err
}

// setAside records that a delivery could not be handled; it never blocks later ones. After a failure of GitHub it is
// tried again until it succeeds. After another failure, a refusal that may pass included, a person finds it parked
// after two hours, and at once after a panic or five deaths of the server, because these would repeat.
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
		parked, err = in.giveUp(tx, d, why)
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
	self := handlers.Self{AppID: us.AppID, Slug: us.Slug}
	told, err := handlers.Decode(self, d.Event, d.Body)
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
	if self.Called, err = in.renamed(ctx, &told); err != nil {
		return understood{}, err
	}
	if self.Called != "" {
		if told, err = handlers.Decode(self, d.Event, d.Body); err != nil {
			return understood{}, err
		}
		told.Received = d.Received
	}
	branch, err := in.rebranched(ctx, &told)
	if err != nil {
		return understood{}, err
	}
	u, err := in.identify(ctx, from, surface.Delivery{Delivery: d, Told: &told})
	if err != nil {
		return understood{}, err
	}
	records, err := in.learned(ctx, &told)
	u.foreign, u.records = took, slices.Concat([]work.Record{branch}, u.records, records)
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
