package work

import (
	"context"
	"time"

	"waybill/store"
)

// Suspects returns a Take of the work that two processes in a row have died of, for a worker that does one piece at a
// time: if that kills, nothing else is suspected of it. It asks one kind after the other, so that each has its turn,
// however much of the others there is and however long it takes.
func Suspects(s *store.Store, kinds ...Take) Take {
	turn := 0
	return func(ctx context.Context, c store.Claim) (do Piece, next time.Time, err error) {
		if some, next, err := s.Suspects(ctx); err != nil || !some {
			return nil, next, err
		}
		c.Suspects = true
		for range kinds {
			take := kinds[turn]
			turn = (turn + 1) % len(kinds)
			if do, _, err = take(ctx, c); do != nil || err != nil {
				return do, time.Time{}, err
			}
		}
		return nil, time.Time{}, nil
	}
}
