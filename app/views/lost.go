package views

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"waybill/app/surface"
	"waybill/promotion"
	"waybill/store"
)

// Restore has a view made again; left is the look that GitHub still shows. If the view was made again too often, the
// audit trail gets an alert in its place.
func Restore(tx *store.Tx, v store.View, left string) error {
	given, err := tx.Views.LostView(&v, left)
	if err != nil || !given {
		return err
	}
	return tx.Audit.Log(store.Event{
		Kind: store.EventAlert, Pipeline: v.Pipeline, Stage: v.Stage, Word: "removed", Source: "github",
		Text: fmt.Sprintf("somebody removes %s again and again; it is made again when there is something new to show",
			v.Surface),
	})
}

// RestoreLabels has labels added again that were removed from a pull request.
func RestoreLabels(tx *store.Tx, v store.View, gone func(name string) bool) error {
	var look LabelsView
	if err := surface.ReadLook(&v, &look); err != nil {
		return err
	}
	left := look
	left.Labels = slices.DeleteFunc(slices.Clone(look.Labels), gone)
	if len(left.Labels) == len(look.Labels) {
		return nil
	}
	text, err := json.Marshal(left)
	return errors.Join(err, Restore(tx, v, string(text)))
}

// OfActivePromotions returns the views of a pipeline's active promotions that show their wanted look.
func OfActivePromotions(tx *store.Tx, pipeline int64) ([]store.View, error) {
	active, err := tx.Promotions.Active(pipeline)
	if err != nil {
		return nil, err
	}
	var all []store.View
	for _, p := range active {
		addresses, err := addressesOf(tx, pipeline, p)
		if err != nil {
			return nil, err
		}
		for _, address := range addresses {
			v, err := tx.Views.ViewBySurface(address)
			if errors.Is(err, store.ErrNotFound) || err == nil &&
				(v.Shown != v.Wanted || slices.ContainsFunc(all, func(o store.View) bool { return o.Surface == address })) {
				continue
			}
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// addressesOf returns the addresses of all views that may show a promotion on GitHub.
func addressesOf(tx *store.Tx, pipeline int64, p promotion.Promotion) ([]string, error) {
	f, err := tx.Freight.ByID(pipeline, p.Freight.ID)
	if err != nil {
		return nil, err
	}
	all := []string{checkOf(pipeline, p.Stage, p.Freight.ID), deploymentAddress(pipeline, p.Number)}
	targets, err := tx.Views.ViewsUnder(deploymentAddress(pipeline, p.Number))
	if err != nil {
		return nil, err
	}
	for _, v := range targets {
		all = append(all, v.Surface)
	}
	if f.Pull != 0 {
		all = append(all, CommentAddress(f.Repo, f.Pull), LabelsAddress(f.Repo, f.Pull))
	}
	attempt, err := tx.Attempts.Of(pipeline, p.Number)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return all, nil
	case err == nil && attempt.Pull != 0:
		all = append(all, HeadAddress(pipeline, p.Stage, attempt.Made.Head), CommentAddress(attempt.Files.Repo, attempt.Pull))
	}
	return all, err
}
