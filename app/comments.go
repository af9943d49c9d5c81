package app

import (
	"context"
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
	command, is := promotion.ParseCommand(f.Comment.Text)
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
		PullRepo: f.Repo, Pull: f.Comment.Number,
	}
	return inOrder([]record{lost, func(tx *store.Tx) error {
		_, err := tx.RecordRequest(row.ID, r)
		return err
	}}), nil
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

// meant returns the pipeline that a command means when it is written in a repository: one that lives there or takes
// freight from there. Where several do, it is the only one that has the stage; if that does not tell, none is meant.
func (r *registry) meant(repo promotion.Repo, c promotion.Command) (store.PipelineRow, *promotion.Pipeline, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var near, having []compiled
	for _, one := range r.all {
		if !one.concerns(repo) {
			continue
		}
		near = append(near, one)
		if one.pipeline.Stage(c.Stage) != nil {
			having = append(having, one)
		}
	}
	switch {
	case len(having) == 1:
		return having[0].row, having[0].pipeline, true
	case len(near) == 1:
		return near[0].row, near[0].pipeline, true
	}
	return store.PipelineRow{}, nil, false
}

// concerns reports whether a pipeline lives in a repository or takes freight from it.
func (c compiled) concerns(repo promotion.Repo) bool {
	if c.pipeline.Home == repo {
		return true
	}
	for _, w := range c.pipeline.Warehouses {
		if w.Repo == repo {
			return true
		}
	}
	return false
}
