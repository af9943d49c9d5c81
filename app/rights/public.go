package rights

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"waybill/store"
)

// visibility is whether everybody may read a repository, as GitHub answered at a time.
type visibility struct {
	public bool
	at     time.Time
}

// Public reports whether everybody may read a pipeline's home repository, so that to be allowed to read it says nothing
// of a person. Not to know is yes.
func (r *Rights) Public(ctx context.Context, row store.PipelineRow) bool {
	now := r.clock()
	if it, known := r.public.Get(row.ID); known && now.Sub(it.at) < rightsLast {
		return it.public
	}
	home, err := r.hub.Client(row.Repo)
	if err != nil {
		return true
	}
	public, err := home.Public(ctx)
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("GitHub cannot be asked who may read")
		return true
	}
	r.public.Add(row.ID, visibility{public, now})
	return public
}
