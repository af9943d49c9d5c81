package store_test

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// TestFreightIsPlacedAnewWhenThePipelineFileChangesItsOrder: what a stage has come to, and a reject, move along, so
// that an older version is no news by version and is by date.
func TestFreightIsPlacedAnewWhenThePipelineFileChangesItsOrder(t *testing.T) {
	w := newWorld(t)
	api := w.pipeline.Warehouses[0]
	configured := 0
	order := func(byDate bool) {
		api.Kind, api.Versions.ByDate = promotion.FromReleases, byDate
		configured++
		next := row()
		next.ConfigSHA, next.Config = promotion.SHA(fmt.Sprint(configured)), fmt.Appendf(nil, "version: 1 # %d", configured)
		w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(next, w.pipeline) })
	}
	order(true)
	release := func(n int, tag string) promotion.Freight {
		f, is := api.Versioned(promotion.Tagged{
			Tag: tag, SHA: promotion.SHA(tag), At: start.Add(time.Duration(n) * time.Minute), Release: n,
		})
		w.True(is)
		w.update(func(tx *store.Tx) error {
			_, err := tx.Freight.Record(pipeline, f)
			return err
		})
		return f
	}
	high := release(1, "v2.0.0")
	w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, high)}})
	r := promotion.Reject{ID: 1, Stage: dev, Freight: promotion.FreightRef{ID: high.ID, Name: high.Name, Warehouse: "api"},
		From: high.Mark(), FixedBy: high.Name, Fixed: high.Mark(), At: start}
	w.apply(dev, promotion.Decision{Rejects: []promotion.Reject{r}})
	release(2, "v1.9.1")

	places := func() (names []string, newest promotion.Mark, from, fixed promotion.Mark) {
		s := w.snapshot(dev)
		for i := range s.Freight {
			names = append(names, s.Freight[i].Name)
		}
		return names, s.Mark("api"), s.Rejects[0].From, s.Rejects[0].Fixed
	}
	for range 2 {
		order(true)
		names, newest, from, fixed := places()
		w.Equal([]string{"api@v2.0.0", "api@v1.9.1"}, names)
		for _, m := range []promotion.Mark{newest, from, fixed} {
			w.Equal(high.Mark(), m)
		}
		order(false)
		names, newest, from, fixed = places()
		w.Equal([]string{"api@v2.0.0"}, names, "there is nothing newer")
		placed := api.Placed(high)
		for _, m := range []promotion.Mark{newest, from, fixed} {
			w.Equal(placed.Mark(), m)
		}
	}
}
