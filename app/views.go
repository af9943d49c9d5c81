package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// The kinds of views: what shows people where things stand.
const (
	viewCheck   = "check"
	viewComment = "comment"
	viewLabels  = "labels"
	viewSlack   = "slack"
)

// want writes down how a view should look.
func want(tx *store.Tx, v store.View, looks any) error {
	wanted, err := json.Marshal(looks)
	if err != nil {
		return fmt.Errorf("describe %s: %w", v.Surface, err)
	}
	v.Wanted = string(wanted)
	_, err = tx.WantView(v)
	return err
}

// showNext shows one view that is not as it is wanted.
func (a *App) showNext(ctx context.Context) (did bool, next time.Time, err error) {
	var v *store.View
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		v, next, err = tx.ClaimView(a.last.view, lease)
		return err
	})
	if err != nil || v == nil {
		return false, next, err
	}
	a.last.view = v.Pipeline
	var id string
	err = a.contained(ctx, inView, func() (err error) {
		id, err = a.show(ctx, v)
		return err
	})
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error {
		if err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Str("view", v.Surface).Msg("not shown")
			return tx.RetryView(v.Surface, err.Error(), tx.Now.Add(patience(v.Attempts, retryAfter(err))))
		}
		return tx.ShowedView(v.Surface, v.Wanted, id, tx.Now.Add(calm[v.Kind]))
	})
}

// calm is how long a view of a kind stays as it is before it is changed again: what is wanted meanwhile is shown at once
// then. A check run follows at once, because what people wait for shows there.
var calm = map[string]time.Duration{viewComment: 10 * time.Second, viewSlack: 3 * time.Second}

// show brings one view to where it is looked at, and returns its id there.
func (a *App) show(ctx context.Context, v *store.View) (id string, err error) {
	switch v.Kind {
	case viewCheck:
		return a.showCheck(ctx, v)
	case viewComment:
		return a.showComment(ctx, v)
	case viewSlack:
		return a.showInSlack(ctx, v)
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

// showFreight writes down how everything should look that shows where the freight of a stage stands. It is asked once a
// stage has come to rest: state before prose, and one request instead of three.
func (a *App) showFreight(tx *store.Tx, p *promotion.Pipeline, key store.StageKey) error {
	s, err := tx.Snapshot(p, key)
	if err != nil || s.Stage.PassThrough() {
		return err
	}
	for i := max(0, len(s.Freight)-shownFreight); i < len(s.Freight); i++ {
		f := s.Freight[i]
		at := promotion.Why(s, f.ID, tx.Now)
		if err := wantCheck(tx, key, s, f, at); err != nil {
			return err
		}
		if err := wantCheckOnPromotion(tx, key, s, f, at); err != nil {
			return err
		}
		if p.Quiet {
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
