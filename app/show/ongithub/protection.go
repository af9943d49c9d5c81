package ongithub

import (
	"context"
	"fmt"

	"waybill/app/surface"
	"waybill/app/views"
	"waybill/store"
)

// showProtectionRule answers a job that waits, or reports why it waits, once, and returns the answer.
func (g *Surface) showProtectionRule(ctx context.Context, v *store.View) (told string, err error) {
	var b views.ProtectionView
	if err := surface.ReadLook(v, &b); err != nil {
		return v.RemoteID, err
	}
	told = fmt.Sprintf("%d %s", b.Asked, b.State)
	if b.Report == "" || told == v.RemoteID {
		return v.RemoteID, nil
	}
	client, err := g.Client(b.Repo)
	if err != nil {
		return v.RemoteID, err
	}
	return told, client.Workflows.AnswerProtectionRule(ctx, b.Run, b.Environment, b.State, b.Report)
}
