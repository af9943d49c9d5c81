package api

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/promotion"
	"waybill/store"
)

const (
	// rightsLast is how long GitHub is believed: whoever loses a right has lost it here by then.
	rightsLast = 5 * time.Minute
	// rightsKept bounds how many answers are remembered.
	rightsKept = 10_000
)

// rights remembers what GitHub said about people's permissions. What it did not say is asked again the next time.
type rights struct {
	clock func() time.Time
	known *lru.Cache[right, answered]
}

type right struct {
	pipeline, person int64
}

type answered struct {
	permission promotion.Permission
	at         time.Time
}

func newRights(clock func() time.Time) *rights {
	known, err := lru.New[right, answered](rightsKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &rights{clock: clock, known: known}
}

// of returns what a person may do on a pipeline's home repository. An error is no permission.
func (r *rights) of(ctx context.Context, row store.PipelineRow, who promotion.Actor,
	ask func(context.Context, store.PipelineRow, promotion.Actor) (promotion.Permission, error)) (promotion.Permission, error) {
	key, now := right{row.ID, who.ID}, r.clock()
	if a, ok := r.known.Get(key); ok && now.Sub(a.at) < rightsLast {
		return a.permission, nil
	}
	p, err := ask(ctx, row, who)
	if err != nil {
		return promotion.NoPermission, err
	}
	r.known.Add(key, answered{p, now})
	return p, nil
}
