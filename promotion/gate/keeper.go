package gate

import (
	"time"

	"waybill/promotion"
)

// Keeper answers whether something may happen in the stage of a snapshot at one time. It changes nothing.
type Keeper struct {
	s       *promotion.Snapshot
	instant instant // at which it is asked; no time.Time, whose pointer would keep the snapshot of a decision on the heap
}

// KeeperOf returns the keeper for a snapshot at a time. The keeper sees later changes of the snapshot.
func KeeperOf(s *promotion.Snapshot, now time.Time) Keeper { return Keeper{s, instantOf(now)} }

func (k Keeper) now() time.Time { return k.instant.time() }
