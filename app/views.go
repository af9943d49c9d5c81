package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"

	"github.com/rs/zerolog"
)

// The kinds of views: what shows people where things stand.
const (
	viewCheck          = "check"
	viewComment        = "comment"
	viewDeployment     = "deployment"
	viewProtectionRule = "barrier"
	viewLabels         = "labels"
	viewSlack          = "slack"
)

// want writes down how a view should look.
func want(tx *store.Tx, v store.View, looks any) error {
	_, err := wantNew(tx, v, looks)
	return err
}

// wantNew writes down how a view should look, and reports whether that is new.
func wantNew(tx *store.Tx, v store.View, looks any) (changed bool, err error) {
	wanted, err := json.Marshal(looks)
	if err != nil {
		return false, fmt.Errorf("describe %s: %w", v.Surface, err)
	}
	v.Wanted = string(wanted)
	return tx.Views.WantView(v)
}

// showNext shows one view that is not as it is wanted, and what can be shown together with it.
func (a *App) showNext(ctx context.Context) (did bool, next time.Time, err error) {
	var views []store.View
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		views, next, err = a.claimViews(tx)
		return err
	})
	if err != nil || len(views) == 0 {
		return false, next, err
	}
	a.shown.notify() // there may be more for another worker
	limited, held, cancel := leased(ctx, views[0].Lease, workLease)
	defer cancel()
	var errs []error
	bug := a.contained(limited, inView, func() error {
		errs = a.showAll(limited, views)
		return nil
	})
	if bug != nil {
		errs = slices.Repeat([]error{bug}, len(views))
	}
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	err = a.store.Update(held, func(tx *store.Tx) error {
		for i := range views {
			if err := a.noteShown(held, tx, &views[i], errs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return true, time.Time{}, unlessLost(ctx, err)
}

// claimViews claims the next view, and more if one request can show them with it. What was tried before is shown alone.
func (a *App) claimViews(tx *store.Tx) (views []store.View, next time.Time, err error) {
	c := a.workers.claim(a.workers.Views, workLease)
	v, next, err := tx.Views.ClaimView(c)
	if err != nil || v == nil {
		return nil, next, err
	}
	if !together(v) || v.Attempts > 1 {
		return []store.View{*v}, next, nil
	}
	more, err := tx.Views.ClaimMore(v, c)
	return append([]store.View{*v}, more...), next, err
}

// noteShown writes down that a view is shown, or when it is tried again.
func (a *App) noteShown(ctx context.Context, tx *store.Tx, v *store.View, failed error) error {
	if failed != nil {
		zerolog.Ctx(ctx).Warn().Err(failed).Str("view", v.Surface).Msg("not shown")
		return tx.Views.RetryView(v, failed.Error(), tx.Now.Add(requestBackoff.after(v.Attempts, retryAfter(failed))))
	}
	return tx.Views.ShowedView(v, tx.Now.Add(changesEvery[v.Kind]))
}

// changesEvery is the least time between two changes of a view of a kind: what is wanted meanwhile is shown at once
// then. A check run follows at once, because what people wait for shows there.
var changesEvery = map[string]time.Duration{viewComment: 10 * time.Second, viewSlack: 3 * time.Second}

// together reports whether one request can show a view with others of its kind.
func together(v *store.View) bool { return v.Kind == viewCheck || v.Kind == viewDeployment }

// showAll brings views that were claimed together to where they are looked at, notes what they are called there, and
// returns the error of each.
func (a *App) showAll(ctx context.Context, views []store.View) []error {
	if together(&views[0]) {
		return a.showTogether(ctx, views)
	}
	errs := make([]error, len(views))
	for i := range views {
		views[i].RemoteID, errs[i] = a.show(ctx, &views[i])
	}
	return errs
}

// show brings one view to where it is looked at, and returns its id there.
func (a *App) show(ctx context.Context, v *store.View) (id string, err error) {
	switch v.Kind {
	case viewComment:
		return a.showComment(ctx, v)
	case viewSlack:
		return a.showInSlack(ctx, v)
	case viewProtectionRule:
		return a.showProtectionRule(ctx, v)
	case viewLabels:
		return v.RemoteID, a.showLabels(ctx, v)
	}
	return "", fmt.Errorf("show %s: no such kind of view: %s", v.Surface, v.Kind)
}

// looks reads how a view should look.
func looks(v *store.View, into any) error {
	if err := json.Unmarshal([]byte(v.Wanted), into); err != nil {
		return fmt.Errorf("read view %s: %w", v.Surface, err)
	}
	return nil
}

// remote returns the number by which the other side knows a view; 0 if it is not there yet.
func remote(v *store.View) (int64, error) {
	if v.RemoteID == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v.RemoteID, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the id of view %s: %w", v.Surface, err)
	}
	return n, nil
}

// showFreight writes down how everything should look that shows where the freight of a stage stands, by a snapshot of
// the stage at rest: state before prose, and one request instead of three.
func showFreight(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if err := wantProtectionRules(tx, key, s); err != nil {
		return err
	}
	if err := wantDeployments(tx, key, s); err != nil || s.Stage.Delivery == promotion.DeliveryNone {
		return err
	}
	if err := wantGuardChecks(tx, key, s); err != nil {
		return err
	}
	for i := max(0, len(s.Freight)-shownFreight); i < len(s.Freight); i++ {
		f := s.Freight[i]
		at := decide.Why(s, f.ID, tx.Now)
		if err := wantCheck(tx, key, s, f, at); err != nil {
			return err
		}
		if err := wantCheckOnPromotion(tx, key, s, f, at); err != nil {
			return err
		}
		if s.Pipeline.Quiet {
			continue
		}
		if err := wantSticky(tx, key, s, f, at); err != nil {
			return err
		}
		if err := wantLabels(tx, key, f, at); err != nil {
			return err
		}
		if err := wantOnPromotion(tx, key, s, f, at); err != nil {
			return err
		}
	}
	return nil
}

// shownFreight bounds how many pieces of freight of a stage are kept up to date where people see them: the newest.
const shownFreight = 20
