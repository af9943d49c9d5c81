package sandbox

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// Forgetful is a World in which everything that nobody needs any more is forgotten after each happening, as soon as it
// is older than Memory. What a decision looks at must be the same before and after.
type Forgetful struct {
	*World
	Memory time.Duration
	Gone   *atomic.Int64 // counts what was forgotten
}

// Do makes one thing happen with everything that follows, and forgets.
func (f Forgetful) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	lines, err := f.World.Do(ctx, h)
	if err == nil && !f.killed() {
		err = f.forget(ctx)
	}
	return lines, err
}

func (f Forgetful) forget(ctx context.Context) error {
	return f.program.store.Update(ctx, func(tx *store.Tx) error {
		before, err := f.snapshots(tx)
		if err != nil {
			return err
		}
		old := tx.Now.Add(-f.Memory)
		var s store.Pruning
		for !s.Done {
			if s, err = tx.Upkeep.Prune(store.Horizon{Deliveries: old, Facts: old, Audit: old}, s, 3); err != nil {
				return err
			}
		}
		f.Gone.Add(s.Gone)
		after, err := f.snapshots(tx)
		if err == nil && !reflect.DeepEqual(before, after) {
			err = fmt.Errorf("what was forgotten changes what decisions look at: before\n%+v\nafter\n%+v", before, after)
		}
		if err == nil {
			_, err = tx.Audit.CheckTrail()
		}
		return err
	})
}

// snapshots are what every stage would be decided on.
func (f Forgetful) snapshots(tx *store.Tx) (all []promotion.Snapshot, err error) {
	pipelines, err := tx.Ledger.Pipelines()
	if err != nil {
		return nil, err
	}
	for _, row := range pipelines {
		stages, err := tx.Ledger.Stages(row.ID)
		if err != nil {
			return nil, err
		}
		for _, stage := range stages {
			s, err := tx.Ledger.Snapshot(f.script.Scene.Pipeline, stage.Key)
			if err != nil {
				return nil, err
			}
			all = append(all, *s)
		}
	}
	return all, nil
}
