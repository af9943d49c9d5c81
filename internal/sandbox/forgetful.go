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

// Forgetful is a World that prunes the database after each happening and keeps rows for Memory. It checks that pruning
// does not change the snapshots of decisions, and that the audit trail is still valid.
type Forgetful struct {
	*World
	Memory time.Duration
	Gone   *atomic.Int64 // counts the rows that were pruned
}

// Do carries out one happening, returns the lines that follow, and prunes.
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

// snapshots returns the snapshot of every stage.
func (f Forgetful) snapshots(tx *store.Tx) (all []promotion.Snapshot, err error) {
	pipelines, err := tx.Pipelines.All()
	if err != nil {
		return nil, err
	}
	for _, row := range pipelines {
		stages, err := tx.Stages.Of(row.ID)
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
