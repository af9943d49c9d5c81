package ongithub

import (
	"context"
	"encoding/json"
	"fmt"

	"waybill/app/surface"
	"waybill/app/views"
	"waybill/store"
)

// showLabels adds the new labels to the pull request, and removes those that it has added before and that are not
// wanted any more.
func (g *Surface) showLabels(ctx context.Context, v *store.View) error {
	var now, before views.LabelsView
	if err := surface.ReadLook(v, &now); err != nil {
		return err
	}
	if v.Shown != "" {
		if err := json.Unmarshal([]byte(v.Shown), &before); err != nil {
			return fmt.Errorf("read what %s shows: %w", v.Surface, err)
		}
	}
	client, err := g.Client(now.Repo)
	if err != nil {
		return err
	}
	for _, old := range views.Difference(before.Labels, now.Labels) {
		if err := client.Labels.Remove(ctx, now.Number, old); err != nil {
			return err
		}
	}
	if added := views.Difference(now.Labels, before.Labels); len(added) > 0 {
		return client.Labels.Add(ctx, now.Number, added)
	}
	return nil
}
