package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/store"
)

// redeliveryPause is the time between two requests for a redelivery: GitHub asks for a second between requests that do
// something.
const redeliveryPause = time.Second

// redeliverNext has GitHub attempt once more the next webhook that was missed.
func (a *App) redeliverNext(ctx context.Context) (did bool, next time.Time, err error) {
	var m *store.Missed
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		m, next, err = tx.Inbox.ClaimMissed(store.Claim{Lease: lease}, redeliveryPause)
		return err
	})
	if err != nil || m == nil {
		return false, next, err
	}
	limited, held, cancel := leased(ctx, m.Lease, lease)
	defer cancel()
	rec := a.redeliver(limited, m)
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	return true, time.Time{}, unlessLost(ctx, a.store.Update(held, rec))
}

// redeliver has GitHub attempt once more what was missed, and returns what is to be written of it. Whether that came is
// seen in the inbox, or by the next sweep.
func (a *App) redeliver(ctx context.Context, m *store.Missed) record {
	err := a.store.View(ctx, func(tx *store.Tx) error {
		arrived, err := tx.Inbox.Arrived(m.GUID)
		if err == nil && arrived {
			err = errArrived
		}
		return err
	})
	if err == nil {
		err = a.hub.Redeliver(ctx, m.Attempt)
	}
	log := zerolog.Ctx(ctx).With().Str(keyDelivery, m.GUID).Str("event", m.Event).Logger()
	switch {
	case errors.Is(err, errArrived):
		return func(tx *store.Tx) error { return tx.Inbox.ForgetMissed(m.GUID) }
	case errors.Is(err, gh.ErrRefused):
		log.Warn().Err(err).Msg("GitHub does not redeliver: its repository is resynced")
		rec, failed := a.repaired(ctx, []store.Missed{*m})
		if failed == nil {
			return rec
		}
		err = failed
	}
	if err != nil {
		log.Warn().Err(err).Msg("ask for a redelivery")
	} else {
		a.metrics.redelivered.Inc()
		log.Info().Int("attempt", m.Tries+1).Msg("redelivery asked for")
	}
	return func(tx *store.Tx) error {
		return tx.Inbox.MissedAskedFor(m, text(err), tx.Now.Add(askAgain(m.Tries, err)))
	}
}

// errArrived says that a webhook need not be delivered again.
var errArrived = errors.New("it has arrived")

// askAgain is how long to wait after so many requests for a redelivery before GitHub is asked once more.
func askAgain(tries int, failed error) time.Duration {
	if failed != nil {
		return requestBackoff.after(tries, gh.RetryAfter(failed))
	}
	return redeliveryBackoff.after(tries, 0)
}

// text is what went wrong; empty if nothing did.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// rereadOld gives up what GitHub has forgotten by now.
func (a *App) rereadOld(ctx context.Context, oldest time.Time) (record, error) {
	var lost []store.Missed
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		lost, err = tx.Inbox.MissedBefore(oldest)
		return err
	})
	if err != nil || len(lost) == 0 {
		return nil, err
	}
	zerolog.Ctx(ctx).Warn().Int("given_up", len(lost)).Msg("webhooks that GitHub has forgotten: their repositories are resynced")
	return a.repaired(ctx, lost)
}

// place is where a missed delivery happened.
type place struct {
	installation, repository int64
}

// repaired has every pipeline resynced that lost deliveries may have been about, and looks for pipelines where none is
// known.
func (a *App) repaired(ctx context.Context, lost []store.Missed) (record, error) {
	var all []record
	seen := map[place]bool{}
	for _, m := range lost {
		at := place{m.Installation, m.Repository}
		if !seen[at] {
			rec, err := a.resyncAt(ctx, at)
			if err != nil {
				return nil, fmt.Errorf("make up for %s %s: %w", m.Event, m.GUID, err)
			}
			all = append(all, rec)
		}
		seen[at] = true
		all = append(all, forgetMissed([]string{m.GUID}))
	}
	a.metrics.givenUp.Add(float64(len(lost)))
	return inOrder(all), nil
}

// resyncAt makes the resync of every pipeline due that may have missed something from a repository. GitHub names it by
// its id alone: a pipeline that takes from another repository than its own may mean that one. If no pipeline lives
// there, the lost delivery may have been about its first pipeline file.
func (a *App) resyncAt(ctx context.Context, at place) (record, error) {
	ids, lives := a.pipelines.near(at)
	due := func(tx *store.Tx) error { return recordAll(ids, tx.Clocks.AskResync) }
	if lives {
		return due, nil
	}
	found, err := a.findPipelines(ctx, at)
	return inOrder([]record{due, found}), err
}

// findPipelines reads the pipeline files of a repository that is known by its id, or of all that an installation
// reaches.
func (a *App) findPipelines(ctx context.Context, at place) (record, error) {
	repos, err := a.hub.Repositories(ctx, at.installation)
	if errors.Is(err, gh.ErrRefused) {
		return nil, nil // it has been uninstalled
	}
	if err != nil {
		return nil, err
	}
	var all []record
	for _, repo := range repos {
		if at.repository != 0 && repo.ID != at.repository {
			continue
		}
		rec, err := a.readPipeline(ctx, at.installation, repo.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}
