package views

import (
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// WantStage writes down the views of a stage at rest, by its snapshot. Check runs and deployments come before comments
// and labels.
func WantStage(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	shown := shownOf(s)
	if err := tx.Views.ReadAhead(addresses(key, s, shown)); err != nil {
		return err
	}
	return tx.Views.Together(func() error { return wantAll(tx, key, s, shown) })
}

// wantAll writes down the views of a stage, and of the freight that is shown.
func wantAll(tx *store.Tx, key store.StageKey, s *promotion.Snapshot, shown []promotion.Freight) error {
	if err := wantProtectionRules(tx, key, s); err != nil {
		return err
	}
	if err := wantDeployments(tx, key, s); err != nil || s.Stage.Delivery == promotion.DeliveryNone {
		return err
	}
	if err := wantGuardChecks(tx, key, s); err != nil {
		return err
	}
	for _, f := range shown {
		at := decide.Why(s, f.ID, tx.Now)
		if !at.TakenAway() { // newer freight contains it, and views of older freight change with each arrival otherwise
			at.Was = promotion.Was{}
		}
		if err := wantCheck(tx, key, s, f, at); err != nil {
			return err
		}
		if err := wantOnOwn(tx, key, s, f, at); err != nil {
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
	}
	return wantOnEarlier(tx, key, s, shown)
}

// wantOnOwn writes down the views on the promotion's own pull request.
func wantOnOwn(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	if err := wantCheckOnPromotion(tx, key, s, f, at); err != nil {
		return err
	}
	if err := wantBody(tx, key, s, f, at); err != nil || s.Pipeline.Quiet {
		return err
	}
	return wantOnPromotion(tx, key, s, f, at)
}

// wantOnEarlier writes down the views on the pull requests of promotions that have just ended, and whose freight has
// been promoted again since: nobody may go on with them.
func wantOnEarlier(tx *store.Tx, key store.StageKey, s *promotion.Snapshot, shown []promotion.Freight) error {
	return work.RecordAll(shown, func(f promotion.Freight) error {
		for i := range s.Promotions {
			p := &s.Promotions[i]
			if p.Freight.ID != f.ID || p.Stage != key.Stage || p.Ended.IsZero() || tx.Now.Sub(p.Ended) > recently ||
				s.NewestOf(f.ID).Number == p.Number {
				continue
			}
			if err := wantOnOwn(tx, key, s, f, decide.WhyPromoted(s, p, tx.Now)); err != nil {
				return err
			}
		}
		return nil
	})
}

// addresses returns the addresses of the views that WantStage looks at, but for those of guards and targets.
func addresses(key store.StageKey, s *promotion.Snapshot, shown []promotion.Freight) (all []string) {
	for i := range s.Promotions {
		if p := &s.Promotions[i]; s.Deployed(p) != "" {
			all = append(all, deploymentAddress(key.Pipeline, p.Number))
		}
	}
	if s.Stage.Delivery == promotion.DeliveryNone {
		return all
	}
	for _, f := range shown {
		all = append(all, checkOf(key.Pipeline, key.Stage, f.ID))
		if f.Pull != 0 && !s.Pipeline.Quiet {
			all = append(all, CommentAddress(f.Repo, f.Pull), LabelsAddress(f.Repo, f.Pull))
		}
	}
	for _, a := range s.Attempts {
		if a.Pull == 0 {
			continue
		}
		all = append(all, HeadAddress(key.Pipeline, key.Stage, a.Made.Head), bodyAddress(a.Files.Repo, a.Pull))
		if !s.Pipeline.Quiet {
			all = append(all, CommentAddress(a.Files.Repo, a.Pull))
		}
	}
	return all
}

// shownOf returns the freight of a stage whose views are kept up to date: the newest, and older freight that is there,
// or that has one of the promotions of the snapshot: those that are open, and the latest.
func shownOf(s *promotion.Snapshot) (shown []promotion.Freight) {
	newest := max(0, len(s.Freight)-shownFreight)
	for _, f := range s.Freight[:newest] {
		if s.HostedDeployment(f.ID) != nil || s.NewestOf(f.ID) != nil {
			shown = append(shown, f)
		}
	}
	return append(shown, s.Freight[newest:]...)
}

// shownFreight bounds how many pieces of a stage's freight have views that are kept up to date though nothing has
// promoted them lately: the newest.
const shownFreight = 20
