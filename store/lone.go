package store

import (
	"context"
	"time"
)

// claimLone leases the next row of a queue where nothing is in the way: no row of the queue is leased, no account is
// shut, and only one repository has rows, so that no turns are to be taken. This is how it is in a server that is not
// busy, and then it is one statement. It is nil if something is in the way or no row may be worked on: claim finds out.
func claimLone[T any](ctx context.Context, s *Store, q *queue, c Claim, dest func(*T) []any) (
	row *T, l Lease, err error,
) {
	if c.Suspects {
		return nil, l, nil
	}
	last, known := s.looks.takeSome(q)
	if !s.db.Alone() || s.looks.sawLeases(q) {
		return nil, l, nil
	}
	l.queue, l.token = q, s.newToken()
	err = s.UpdateOne(ctx, func(tx *Tx) error {
		var rows []T
		err := tx.unnoted(q.in, func() (err error) { // it makes none due
			rows, err = list(tx, func(row *T) []any { return append([]any{&l.deaths}, dest(row)...) }, q.claimLone,
				append(c.args(tx, l.token), q.name)...)
			return err
		})
		row = nil
		if len(rows) > 0 {
			row, tx.took = &rows[0], append(tx.took, took{q, tx.Now, tx.conn.Steady(), c.Lease, last, known})
		}
		return err
	})
	return row, l, wrap("claim a "+q.name, err)
}

// ClaimDelivery is that of the inbox, in a transaction of its own.
func (s *Store) ClaimDelivery(ctx context.Context, c Claim) (d *Delivery, wake time.Time, err error) {
	d, lease, err := claimLone(ctx, s, deliveries, c, (*Delivery).destBody)
	if d != nil {
		d.Lease = lease.of(d.ID)
	}
	if err != nil || d != nil {
		return d, wake, err
	}
	err = s.Update(ctx, func(tx *Tx) error {
		d, wake, err = tx.Inbox.ClaimDelivery(c)
		return err
	})
	return d, wake, err
}

// ClaimViews is ClaimView of the views, in a transaction of its own. With a view of which together is true come those
// that one request can show with it.
func (s *Store) ClaimViews(
	ctx context.Context, c Claim, together func(*View) bool,
) (all []View, wake time.Time, err error) {
	v, lease, err := claimLone(ctx, s, views, c, (*View).dest)
	if err != nil {
		return nil, wake, err
	}
	if v == nil {
		err = s.Update(ctx, func(tx *Tx) error {
			all = nil
			if v, wake, err = tx.Views.ClaimView(c); err != nil || v == nil {
				return err
			}
			all, err = tx.Views.withMore(v, c, together)
			return err
		})
		return all, wake, err
	}
	v.Lease = lease.of(v.Surface)
	if s.UpdateOne(ctx, func(tx *Tx) error {
		all, err = tx.Views.withMore(v, c, together)
		return err
	}) != nil {
		return []View{*v}, wake, nil // it is leased: to show others with it saves a request, and no more
	}
	return all, wake, nil
}

// withMore returns a claimed view with those that are shown together with it.
func (vs Views) withMore(v *View, c Claim, together func(*View) bool) ([]View, error) {
	if !together(v) {
		return []View{*v}, nil
	}
	more, err := vs.ClaimMore(v, c)
	return append([]View{*v}, more...), err
}

// ClaimEffect is that of the outbox, in a transaction of its own.
func (s *Store) ClaimEffect(ctx context.Context, c Claim) (e *Effect, wake time.Time, err error) {
	e, lease, err := claimLone(ctx, s, effects, c, (*Effect).dest)
	if e != nil {
		e.Lease = lease.of(e.Pipeline, e.Key())
	}
	if err != nil || e != nil {
		return e, wake, err
	}
	err = s.Update(ctx, func(tx *Tx) error {
		e, wake, err = tx.Outbox.ClaimEffect(c)
		return err
	})
	return e, wake, err
}
