package app

import (
	"context"
	"errors"
	"slices"
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
		return true, time.Time{}, a.unwritable(ctx, d, err)
	}
	a.metrics.deliveries.WithLabelValues(d.Event).Inc()
	a.undecided.ring()
	return true, time.Time{}, nil
}

// setAside leaves a delivery that could not be handled for later, or, when trying again cannot help, for a person.
func (a *App) setAside(tx *store.Tx, d *store.Delivery, why error) error {
	if !errors.Is(why, gh.ErrTransient) {
		return tx.ParkDelivery(d.ID, why.Error())
	}
	_, err := tx.DeliveryFailed(d.ID, why.Error(), tx.Now.Add(patience(d.Attempts, gh.RetryAfter(why))))
	return err
}

// unwritable parks a delivery whose facts the database does not take: it must not stop those behind it.
func (a *App) unwritable(ctx context.Context, d *store.Delivery, why error) error {
	zerolog.Ctx(ctx).Error().Err(why).Str(keyDelivery, d.GUID).Msg("facts cannot be recorded")
	return a.store.Update(ctx, func(tx *store.Tx) error { return tx.ParkDelivery(d.ID, why.Error()) })
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
	if err != nil {
		return nil, err
	}
	if !a.allowed(whose(f)) {
		return nil, nil
	}
	var all []record
	if f.Merged != nil {
		made, err := a.freightOf(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	if f.Comment != nil {
		request, err := a.asked(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	if f.PathsUnknown {
		if f.Pushes, err = a.pushesOf(ctx, f); err != nil {
			return nil, err
		}
	}
	if pulls, err := a.overtaken(ctx, f); err != nil {
		return nil, err
	} else if len(pulls) > 0 {
		all = append(all, func(tx *store.Tx) error { return recordPulls(tx, pulls) })
	}
	if f.ConfigTouched || f.Access != nil || f.Repository != nil {
		reload, err := a.reload(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, reload)
	}
	return inOrder(append(all, func(tx *store.Tx) error { return recordFacts(tx, f) })), nil
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

// freightOf makes freight of a merged pull request, in every warehouse that accepts it.
func (a *App) freightOf(ctx context.Context, f handlers.Facts) ([]record, error) {
	m := f.Merged
	wanting := a.pipelines.takers(f.Repo, m.Base)
	if len(wanting) == 0 {
		return nil, nil
	}
	client, err := a.client(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	files, err := client.PullFiles(ctx, m.Number)
	if err != nil {
		return nil, err
	}
	var all []record
	for _, w := range wanting {
		if !w.warehouse.Accepts(files, m.Labels) {
			continue
		}
		freight := newFreight(w.warehouse, m.Number, m.MergeSHA, m.MergedAt, m.Author, m.Title)
		pipeline := w.pipeline
		all = append(all, func(tx *store.Tx) error {
			_, err := tx.RecordFreight(pipeline, freight)
			return err
		})
	}
	return all, nil
}

// newFreight makes freight of a pull request that a warehouse accepts.
func newFreight(w *promotion.Warehouse, number int, sha promotion.SHA, merged time.Time, by promotion.Actor, title string) promotion.Freight {
	f := promotion.NewFreight(w, number, sha, merged)
	f.Author, f.Title = by, title
	return f
}

// pushesOf asks for the paths of pushes whose delivery does not name them all. Branches that no pipeline looks at, such as
// those of promotions and of people, are left out.
func (a *App) pushesOf(ctx context.Context, f handlers.Facts) ([]promotion.Push, error) {
	pushes := slices.DeleteFunc(slices.Clone(f.Pushes), func(p promotion.Push) bool { return !a.pipelines.watches(p.Repo, p.Branch) })
	if len(pushes) == 0 {
		return nil, nil
	}
	client, err := a.client(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	for i := range pushes {
		if pushes[i].Paths, err = client.ChangedPaths(ctx, pushes[i].Before, pushes[i].After); err != nil {
			return nil, err
		}
	}
	return pushes, nil
}

// overtaken looks again at open pull requests of ours when a push changes files that they change, too: GitHub sends no
// webhook when a pull request begins to conflict with its base.
func (a *App) overtaken(ctx context.Context, f handlers.Facts) (pulls []promotion.Pull, err error) {
	for _, push := range f.Pushes {
		var open []promotion.Attempt
		err := a.store.View(ctx, func(tx *store.Tx) error {
			open, err = tx.OpenAttempts(push.Repo, push.Branch)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, attempt := range open {
			if attempt.Plan == nil || !share(attempt.Plan.Paths, push.Paths) {
				continue
			}
			client, err := a.client(f.Installation, push.Repo)
			if err != nil {
				return nil, err
			}
			pull, err := client.Mergeable(ctx, attempt.Pull)
			if err != nil {
				return nil, err
			}
			pulls = append(pulls, pull)
		}
	}
	return pulls, nil
}

// share reports whether both name a path.
func share(some, others []string) bool {
	return slices.ContainsFunc(some, func(path string) bool { return slices.Contains(others, path) })
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
