package learn

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// handsBehind asks GitHub who has made the freight that a request to a stage is about, unless that is known: once for
// each freight, so that one about which nobody gives a command that leaves out its author costs nothing more. Where
// somebody is not known GitHub is asked each time, because accounts learn addresses. If GitHub does not answer, nothing
// more is known, and the request is refused.
func (q *Requests) handsBehind(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, stage promotion.StageName, r promotion.Request,
) (work.Record, error) {
	var about *promotion.Freight
	err := q.Store.View(ctx, func(tx *store.Tx) (err error) {
		about, err = unknownBehind(tx, store.StageKey{Pipeline: row.ID, Stage: stage}, p, r)
		return err
	})
	if err != nil || about == nil {
		return nil, err
	}
	f := *about
	hands, err := q.handsOf(ctx, f)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		zerolog.Ctx(ctx).Warn().Err(err).Str(work.KeyRepo, string(row.Repo)).Str("freight", f.Name).
			Msg("GitHub cannot be asked who has made it")
		return nil, nil
	}
	return func(tx *store.Tx) error { return tx.Freight.SaveHands(row.ID, f.ID, hands) }, nil
}

// unknownBehind returns the freight that a request is about, if it is not known who has made it; nil otherwise. A
// sign-off is of what is open.
func unknownBehind(
	tx *store.Tx, key store.StageKey, p *promotion.Pipeline, r promotion.Request,
) (*promotion.Freight, error) {
	if r.Command.Verb == promotion.CmdApprove {
		f, some, err := tx.Freight.ToSign(key)
		if _, unknown := f.Unknown(); err != nil || !some || !unknown {
			return nil, err
		}
		return &f, nil
	}
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
