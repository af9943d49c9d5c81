package learn

import (
	"context"

	"github.com/rs/zerolog"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// handsBehind asks GitHub who has made the freight that a stage wants signed off, unless that is known: once for each
// freight, when somebody signs it off, so that a promotion that nobody signs off costs nothing more. Where somebody is
// not known GitHub is asked each time, because accounts learn addresses. If GitHub does not answer, nothing more is
// known, and the sign-off does not count.
func (q *Requests) handsBehind(
	ctx context.Context, row store.PipelineRow, stage promotion.StageName,
) (work.Record, error) {
	var f promotion.Freight
	var some bool
	err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
		f, some, err = tx.Ledger.FreightToSign(store.StageKey{Pipeline: row.ID, Stage: stage})
		return err
	})
	if _, unknown := f.Unknown(); err != nil || !some || !unknown {
		return nil, err
	}
	hands, err := q.handsOf(ctx, f)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		zerolog.Ctx(ctx).Warn().Err(err).Str(work.KeyRepo, string(row.Repo)).Str("freight", f.Name).
			Msg("GitHub cannot be asked who has made it")
		return nil, nil
	}
	return func(tx *store.Tx) error { return tx.Facts.SaveHands(row.ID, f.ID, hands) }, nil
}

func (q *Requests) handsOf(ctx context.Context, f promotion.Freight) (promotion.Hands, error) {
	client, err := q.Client(f.Repo)
	if err != nil {
		return promotion.Hands{}, err
	}
	if f.Pull != 0 {
		return client.HandsOfPull(ctx, f.Pull)
	}
	hands, err := client.HandsOfCommit(ctx, f.SHA)
	return f.Behind(hands), err
}
