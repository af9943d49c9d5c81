package env

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// Owners are the organisations and users that the server works for. The operator names them. Names change hands, so a
// name means the account that had it when Waybill first saw it, or the account whose id the operator gives.
type Owners struct {
	store *store.Store
	named map[promotion.Login]int64 // in small letters, with the id that the operator gives, or 0; empty: all are served

	mu    sync.Mutex
	first map[promotion.Login]int64 // the ids by which names are known
	other map[int64]promotion.Login // accounts that have the name of another one
}

func newOwners(s *store.Store, named []promotion.Actor) *Owners {
	o := &Owners{store: s, named: map[promotion.Login]int64{}, first: map[promotion.Login]int64{},
		other: map[int64]promotion.Login{}}
	for _, owner := range named {
		o.named[small(owner.Login)] = owner.ID
	}
	return o
}

// Sole reports whether the server works for one owner only, by the operator's word.
func (o *Owners) Sole() bool { return len(o.named) == 1 }

// small returns a name in small letters: GitHub's names of owners know no capitals.
func small(name promotion.Login) promotion.Login {
	return promotion.Login(strings.ToLower(string(name)))
}

// Forget forgets the accounts behind names that the operator does not list any more.
func (o *Owners) Forget(ctx context.Context) error {
	var names []promotion.Login
	for name, id := range o.named {
		if id == 0 {
			names = append(names, name)
		}
	}
	return o.store.Update(ctx, func(tx *store.Tx) error { return tx.Names.KeepOwners(names) })
}

// Serves reports whether the server works for an owner. Without an id it compares only the name: the caller asks again
// with the id once GitHub has told it.
func (o *Owners) Serves(ctx context.Context, owner promotion.Actor) (bool, error) {
	if len(o.named) == 0 {
		return true, nil
	}
	name := small(owner.Login)
	first, named := o.named[name]
	switch {
	case !named:
		return false, nil
	case owner.ID == 0:
		return true, nil
	case first == 0:
		var err error
		if first, err = o.firstSeen(ctx, name, owner.ID); err != nil {
			return false, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if first == owner.ID {
		maps.DeleteFunc(o.other, func(_ int64, has promotion.Login) bool { return has == name })
		return true, nil
	}
	if o.other[owner.ID] == "" {
		zerolog.Ctx(ctx).Error().Str("owner", string(owner.Login)).Int64("id", owner.ID).Int64("meant", first).
			Msgf("not served: another account has this name by now; if it is the one that is meant, let "+
				"WAYBILL_ALLOWED_OWNERS say %s:%d", owner.Login, owner.ID)
	}
	o.other[owner.ID] = name
	return false, nil
}

// firstSeen returns the id of the account that had a name when Waybill first saw the name. That is now, with the given
// id, if the database has no other; then it notes the id.
func (o *Owners) firstSeen(ctx context.Context, name promotion.Login, id int64) (first int64, err error) {
	o.mu.Lock()
	first = o.first[name]
	o.mu.Unlock()
	if first != 0 {
		return first, nil
	}
	err = o.store.Update(ctx, func(tx *store.Tx) error {
		first, err = tx.Names.NoteOwner(name, id)
		return err
	})
	if err == nil {
		o.mu.Lock()
		o.first[name] = first
		o.mu.Unlock()
	}
	return first, err
}

// Others lists the accounts that are not served because they have the name of another one. They are known by their ids
// only: the page that shows them is public.
func (o *Owners) Others() []int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.other))
}
