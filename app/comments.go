package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// asked makes a request of a comment that is a command. Whoever wrote it has the rights that they have on the home
// repository, wherever the comment stands (SEMANTICS 4).
func (a *App) asked(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Comment == nil {
		return nil, nil
	}
	command, is := promotion.ParseComment(f.Comment.Text)
	if !is {
		return nil, nil
	}
	row, p, found := a.pipelines.meant(f.Repo, command)
	if !found {
		return nil, nil
	}
	_, command = p.Address(command)
	permission, err := a.permission(ctx, row, f.Comment.By)
	if err != nil {
		return nil, err
	}
	lost, err := a.lostRights(ctx, row, p)
	if err != nil {
		return nil, err
	}
	r := promotion.Request{
		Command: command, By: f.Comment.By, At: f.Comment.At, Permission: permission,
		Surface:  fmt.Sprintf("%s#%d", f.Repo, f.Comment.Number),
		PullRepo: f.Repo, Pull: f.Comment.Number, Typed: fingerprint(f.Comment.Text),
	}
	return inOrder([]record{lost, func(tx *store.Tx) error {
		_, err := tx.RecordRequest(row.ID, r)
		return err
	}}), nil
}

// fingerprint tells later whether a text is the one that was typed, without keeping it.
func fingerprint(typed string) string {
	sum := sha256.Sum256([]byte(typed))
	return hex.EncodeToString(sum[:])
}

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
