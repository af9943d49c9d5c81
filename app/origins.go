package app

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/handlers"
)

// originsLast is how long the networks that GitHub publishes are kept before GitHub is asked again.
const originsLast = time.Hour

// origins are the networks that webhooks are taken from. Nothing is refused as long as they are not known, nor where it
// cannot be told from where a request comes: the signature decides in any case.
type origins struct {
	hub       *gh.Hub
	clock     func() time.Time
	addresses handlers.Addresses

	mu    sync.Mutex
	known []netip.Prefix
	tries int // in a row that failed
	next  time.Time
}

// admits reports whether a webhook may come from where a request comes from.
func (o *origins) admits(r *http.Request) bool {
	address := o.addresses.Of(r)
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.known) == 0 || !address.IsValid() ||
		slices.ContainsFunc(o.known, func(n netip.Prefix) bool { return n.Contains(address) })
}

// renew asks GitHub for the networks, if it is time. If GitHub does not say, those that are known stay.
func (o *origins) renew(ctx context.Context) (did bool, next time.Time, err error) {
	o.mu.Lock()
	due := o.next
	o.mu.Unlock()
	if now := o.clock(); now.Before(due) {
		return false, due, nil
	}
	known, err := o.hub.HookOrigins(ctx)
	if ctx.Err() != nil {
		return false, time.Time{}, ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.tries++
		o.next = o.clock().Add(min(work.RequestBackoff.After(o.tries, 0), originsLast))
		zerolog.Ctx(ctx).Warn().Err(err).Int("known", len(o.known)).Msg("GitHub does not say from where webhooks come")
		return true, time.Time{}, nil
	}
	o.known, o.tries, o.next = known, 0, o.clock().Add(originsLast)
	return true, time.Time{}, nil
}
