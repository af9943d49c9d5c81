package intake

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// removed has a comment or a label of ours made again that a person has removed, as long as it shows an active
// promotion.
func (in *Intake) removed(_ context.Context, from *handlers.From, r *handlers.Removal) (work.Record, error) {
	return func(tx *store.Tx) error {
		address := views.CommentAddress(from.Repo, r.Number)
		if r.Label != "" {
			address = views.LabelsAddress(from.Repo, r.Number)
		}
		v, err := tx.Views.ViewBySurface(address)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		lasting, err := views.OfActivePromotions(tx, v.Pipeline)
		switch {
		case err != nil || !slices.ContainsFunc(lasting, func(one store.View) bool { return one.Surface == v.Surface }):
			return err
		case r.Label != "":
			return views.RestoreLabels(tx, v, func(name string) bool { return name == r.Label })
		case v.RemoteID == strconv.FormatInt(r.Comment, 10):
			return views.Restore(tx, v, "")
		}
		return nil
	}, nil
}
