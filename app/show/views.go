package show

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/store"
)

// Shower shows the views whose wanted look has changed.
type Shower struct {
	*env.Env
	surfaces surface.Surfaces
}

// New returns a Shower of the views of some surfaces.
func New(e *env.Env, s surface.Surfaces) *Shower { return &Shower{e, s} }

// Take takes a view whose wanted look has changed, and others that one request can show with it.
func (s *Shower) Take(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
	if due, next, err := s.Store.Due(ctx, store.ViewsToDo); err != nil || !due {
		return nil, next, err
	}
	all, next, err := s.Store.ClaimViews(ctx, s.Workers.Claim(c, work.UsualLease), together)
	if err != nil || len(all) == 0 {
		return nil, next, err
	}
	return func(ctx context.Context) error { return s.showAll(ctx, all) }, time.Time{}, nil
}

// showAll shows views that were claimed together.
func (s *Shower) showAll(ctx context.Context, all []store.View) (err error) {
	ctx = s.InPipeline(ctx, all[0].Pipeline)
	limited, held, cancel := work.Leased(ctx, all[0].Lease, work.UsualLease)
	defer cancel()
	var errs []error
	bug := s.Contain(limited, work.InView, func() error {
		if all[0].Lease.Deadly() {
			return work.ErrDeadly
		}
		errs, err = s.show(limited, all)
		return err
	})
	if bug != nil {
		errs = slices.Repeat([]error{bug}, len(all))
	}
	if ctx.Err() != nil {
		return nil
	}
	// The leases are not looked at before: without one of them all of this fails. The end of one view is one statement.
	write := s.Store.Update
	if len(all) == 1 {
		write = s.Store.UpdateOne
	}
	err = write(ctx, func(tx *store.Tx) error {
		for i := range all {
			if err := s.noteShown(held, tx, &all[i], errs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.count(all, errs)
	}
	return work.UnlessLost(ctx, err)
}

// count counts the views that were shown, or are to be tried again.
func (s *Shower) count(all []store.View, errs []error) {
	for i, v := range all {
		outcome := env.TriedDone
		if errs[i] != nil {
			outcome = env.TriedAgain
		}
		s.Metrics.Shown(v.Kind, outcome)
	}
}

// together reports whether one request can show others with a view. A view that was tried before is shown alone.
func together(v *store.View) bool { return surface.Kinds[v.Kind].Together && v.Attempts <= 1 }

// noteShown records that a view is shown, or when it is tried again: if the server has died of it again and again, when
// there is something new to show.
func (s *Shower) noteShown(ctx context.Context, tx *store.Tx, v *store.View, failed error) error {
	if none, is := work.NoContent(failed); is {
		return tx.Views.AwaitContent(v, failed.Error(), none)
	}
	if errors.Is(failed, work.ErrDeadly) {
		zerolog.Ctx(ctx).Error().Err(failed).Str("view", v.Surface).Msg("not shown before there is something new to show")
		return tx.Views.ParkView(v, failed.Error())
	}
	if failed != nil {
		line := zerolog.Ctx(ctx).Warn()
		if env.Lacks(failed) { // the log has told of that once
			line = zerolog.Ctx(ctx).Debug()
		}
		line.Err(failed).Str("view", v.Surface).Msg("not shown")
		backoff := work.RequestBackoff
		if env.RefusedForGood(failed) {
			backoff = work.RefusedBackoff
		}
		return tx.Views.RetryView(v, failed.Error(), tx.Now.Add(backoff.After(v.Attempts, work.RetryAfter(failed))))
	}
	return tx.Views.ShowedView(v, tx.Now.Add(surface.Kinds[v.Kind].Every))
}

// show calls the surface of views. Views that come together are of one kind.
func (s *Shower) show(ctx context.Context, all []store.View) ([]error, error) {
	shows := s.surfaces.From(surface.Kinds[all[0].Kind].Surface)
	if shows == nil {
		return nil, fmt.Errorf("show %s: no such kind of view: %s", all[0].Surface, all[0].Kind)
	}
	return shows.Show(ctx, all), nil
}
