package learn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// How GitHub is asked who has made freight: of so much at once, and for so long for one command.
const (
	handsAtOnce = 8
	handsWithin = 30 * time.Second
)

// handsBehind asks GitHub who has made what a request to a stage brings, as far as that is not known: once for each
// freight, so that what nobody gives a command about that leaves out its author costs nothing more. Where somebody is
// not known GitHub is asked each time, because accounts learn addresses, and for no more freight then: the request is
// refused. If GitHub does not answer, or not in time, it is refused, too, and what was read is known the next time.
func (q *Requests) handsBehind(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, stage promotion.StageName, r promotion.Request,
) (work.Record, error) {
	var about []promotion.Freight
	err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
		about, err = unknownBehind(tx, store.StageKey{Pipeline: row.ID, Stage: stage}, p, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, handsWithin)
	defer cancel()
	var known []work.Record
	for some := range slices.Chunk(about, handsAtOnce) {
		all, err := q.handsOfAll(within, some)
		for i, f := range some {
			if all[i] != nil {
				hands := *all[i]
				known = append(known, func(tx *store.Tx) error { return tx.Freight.SaveHands(row.ID, f.ID, hands) })
				f.Hands = f.Hands.With(hands)
			}
			if _, unknown := f.Unknown(); unknown {
				about = nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Str(work.KeyRepo, string(row.Repo)).Str("stage", string(stage)).
				Msg("GitHub cannot be asked who has made what comes to a stage")
		}
		if about == nil {
			break
		}
	}
	return work.InOrder(known), nil
}

// handsOfAll asks GitHub who has made some freight, all at once. Of what GitHub does not answer about there are none.
func (q *Requests) handsOfAll(ctx context.Context, some []promotion.Freight) ([]*promotion.Hands, error) {
	all := make([]*promotion.Hands, len(some))
	var asked errgroup.Group
	for i, f := range some {
		asked.Go(func() error {
			hands, err := q.handsOf(ctx, f)
			if err == nil {
				all[i] = &hands
			}
			return err
		})
	}
	err := asked.Wait()
	return all, err
}

// unknownBehind returns what a request brings of which it is not known who has made it, and must be.
func unknownBehind(
	tx *store.Tx, key store.StageKey, p *promotion.Pipeline, r promotion.Request,
) ([]promotion.Freight, error) {
	var err error
	if r.Pull != 0 {
		if r.Carries, err = tx.Attempts.CarriedBy(key.Pipeline, r.PullRepo, r.Pull); err != nil {
			return nil, err
		}
	}
	meant, err := tx.Requests.FreightMeant(key.Pipeline, r)
	if err != nil {
		return nil, err
	}
	s, err := tx.Ledger.Snapshot(p, key, meant...)
	if errors.Is(err, store.ErrUnknownStage) {
		return nil, nil // the refusal says so
	}
	if err != nil {
		return nil, err
	}
	return decide.AskMakers(s, r, tx.Now), nil
}

func (q *Requests) handsOf(ctx context.Context, f promotion.Freight) (promotion.Hands, error) {
	client, err := q.Client(f.Repo)
	if err != nil {
		return promotion.Hands{}, err
	}
	if f.Pull != 0 {
		return client.Pulls.Hands(ctx, f.Pull)
	}
	hands, err := client.Commits.Hands(ctx, f.SHA)
	return f.Behind(hands), err
}
