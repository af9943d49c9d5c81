package views

import (
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// WantStage writes down the views of a stage at rest, by its snapshot. Check runs and deployments come before comments
// and labels.
func WantStage(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
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

// shownFreight bounds how many pieces of a stage's freight have views that are kept up to date: the newest.
const shownFreight = 20
