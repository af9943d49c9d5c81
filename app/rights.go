package app

import (
	"context"

	"waybill/promotion"
	"waybill/store"
)

// permission asks what somebody may do on a pipeline's home repository now.
func (a *App) permission(ctx context.Context, row store.PipelineRow, who promotion.Actor) (promotion.Permission, error) {
	home, err := a.client(row.Installation, row.Repo)
	if err != nil {
		return promotion.NoPermission, err
	}
	rights, err := home.Permission(ctx, who.Login)
	if err != nil || rights.Actor.ID != who.ID { // the login may have been given to somebody else meanwhile (T14)
		return promotion.NoPermission, err
	}
	permission, _ := promotion.ParsePermission(rights.Role)
	return permission, nil
}

// lostRights looks up again who has given an approval that stands: one whose giver has lost the right does not count
// (A11).
func (a *App) lostRights(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline) (record, error) {
	var standing []promotion.Approval
	err := a.store.View(ctx, func(tx *store.Tx) error {
		var err error
		standing, err = tx.StandingApprovals(row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	entitled := map[int64]bool{}
	for _, one := range standing {
		permission, err := a.permission(ctx, row, one.By)
		if err != nil {
			return nil, err
		}
		entitled[one.ID] = p.Policy.Entitles(gives[one.Kind], one.Stage, permission, nil)
	}
	return func(tx *store.Tx) error {
		for _, one := range standing {
			if err := tx.SaveEntitled(one.ID, entitled[one.ID]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// gives is the command that gives an approval.
var gives = map[promotion.ApprovalKind]promotion.CommandVerb{
	promotion.SignOff:   promotion.CmdApprove,
	promotion.Admission: promotion.CmdAdmit,
}
