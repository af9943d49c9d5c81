package views

import (
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/store"
)

// WantStage writes down how everything should look that shows where the freight of a stage stands, by a snapshot of
// the stage at rest: state before prose, and one request instead of three.
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

// shownFreight bounds how many pieces of freight of a stage are kept up to date where people see them: the newest.
const shownFreight = 20
