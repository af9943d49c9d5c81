package githubsim

import (
	"net/http"
	"strconv"
	"time"
)

// The resources that GitHub counts apart.
const (
	resourceCore    = "core"
	resourceGraphQL = "graphql"
)

// window is one hour of one installation's requests.
type window struct {
	used  map[string]int
	reset time.Time
}

// key is whose requests are counted together.
func (who caller) key() int64 {
	switch {
	case who.grant != nil && who.grant.install != nil:
		return who.grant.install.id
	case who.account != nil:
		return who.account.id
	}
	return 0
}

func (w *world) window(who caller) *window {
	now := w.clock()
	one, ok := w.limits[who.key()]
	if !ok || !now.Before(one.reset) {
		one = &window{used: map[string]int{}, reset: now.Add(time.Hour).Truncate(time.Second)}
		w.limits[who.key()] = one
	}
	return one
}

// spend counts a request, or refuses it when the hour's share is used up.
func (w *world) spend(who caller, resource string) error {
	one := w.window(who)
	if one.used[resource] >= w.limit {
		if who.kind == asInstallation {
			return refuse(http.StatusForbidden, "API rate limit exceeded for installation ID %d.", who.key())
		}
		return refuse(http.StatusForbidden, "API rate limit exceeded for user ID %d.", who.key())
	}
	one.used[resource]++
	return nil
}

// refund takes a request back that GitHub does not count: a conditional one that changed nothing.
func (w *world) refund(who caller, resource string) { w.window(who).used[resource]-- }

func (w *world) limitHeaders(who caller, resource string, header http.Header) {
	one := w.window(who)
	header.Set("X-RateLimit-Limit", strconv.Itoa(w.limit))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, w.limit-one.used[resource])))
	header.Set("X-RateLimit-Used", strconv.Itoa(one.used[resource]))
	header.Set("X-RateLimit-Reset", strconv.FormatInt(one.reset.Unix(), 10))
	header.Set("X-RateLimit-Resource", resource)
}

func rateLimit(c *call) (reply, error) {
	c.refund(c.who, resourceCore) // asking is free
	one := c.window(c.who)
	share := func(resource string) obj {
		used := one.used[resource]
		return obj{"limit": c.limit, "remaining": max(0, c.limit-used), "used": used, "reset": one.reset.Unix()}
	}
	core := share(resourceCore)
	return ok(obj{"resources": obj{"core": core, "graphql": share(resourceGraphQL), "search": share("search")}, "rate": core}), nil
}

// SetRateLimit changes how many requests an installation has per hour, also for the hour that runs.
func (s *Server) SetRateLimit(requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.limit = requests
}
