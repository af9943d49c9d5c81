package access

import "waybill/internal/githubsim/hub"

import (
	"net/http"
	"strconv"
	"time"
)

// The resources that GitHub counts separately.
const (
	Core    = "core"
	GraphQL = "graphql"
)

// window is one hour of one installation's requests.
type window struct {
	used  map[string]int
	reset time.Time
}

// Limits counts the requests of each caller, and refuses those above the limit.
type Limits struct {
	clock   func() time.Time
	perHour int
	off     bool
	points  int               // that a query costs
	windows map[int64]*window // by caller.key
	content ContentLimit
	made    map[int64][]time.Time // content of the last hour, by caller.key
}

// NewLimits returns Limits of perHour requests an hour for each installation.
func NewLimits(clock func() time.Time, perHour int) *Limits {
	return &Limits{clock: clock, perHour: perHour, windows: map[int64]*window{}, made: map[int64][]time.Time{}}
}

// PerHour returns the number of requests that an installation has in an hour.
func (ls *Limits) PerHour() int { return ls.perHour }

// SetPerHour changes that number, also for the current hour.
func (ls *Limits) SetPerHour(requests int) { ls.perHour = requests }

// SetPoints has each query cost so many points; one if that is 0.
func (ls *Limits) SetPoints(points int) { ls.points = points }

// Cost returns what one request of a resource counts.
func (ls *Limits) Cost(resource string) int {
	if resource == GraphQL {
		return max(1, ls.points)
	}
	return 1
}

// SetOff switches the limits of requests off, as on an Enterprise Server, or on again.
func (ls *Limits) SetOff(off bool) { ls.off = off }

// Off reports whether there are no limits of requests.
func (ls *Limits) Off() bool { return ls.off }

// Leave uses up the current hour of every caller, but for so many requests of each resource.
func (ls *Limits) Leave(requests int) {
	for _, one := range ls.windows {
		one.used[Core], one.used[GraphQL] = ls.perHour-requests, ls.perHour-requests
	}
}

// Used returns how much of a resource a caller has used in the current hour, and the end of that hour.
func (ls *Limits) Used(who hub.Caller, resource string) (used int, reset time.Time) {
	one := ls.window(who)
	return one.used[resource], one.reset
}

func (ls *Limits) window(who hub.Caller) *window {
	now := ls.clock()
	one, ok := ls.windows[who.Key()]
	if !ok || !now.Before(one.reset) {
		one = &window{used: map[string]int{}, reset: now.Add(time.Hour).Truncate(time.Second)}
		ls.windows[who.Key()] = one
	}
	return one
}

// Spend counts a request, or refuses it if the limit of the hour is reached.
func (ls *Limits) Spend(who hub.Caller, resource string) error {
	one := ls.window(who)
	if !ls.off && one.used[resource] >= ls.perHour {
		if who.Kind == hub.AsInstallation {
			return hub.Refuse(http.StatusForbidden, "API rate limit exceeded for installation ID %d.", who.Key())
		}
		return hub.Refuse(http.StatusForbidden, "API rate limit exceeded for user ID %d.", who.Key())
	}
	one.used[resource] += ls.Cost(resource)
	return nil
}

// Refund uncounts a request that GitHub does not count: a conditional one that was answered with 304.
func (ls *Limits) Refund(who hub.Caller, resource string) { ls.window(who).used[resource]-- }

// Headers sets the headers with the caller's remaining requests, if there are limits.
func (ls *Limits) Headers(who hub.Caller, resource string, header http.Header) {
	if ls.off {
		return
	}
	one := ls.window(who)
	header.Set("X-RateLimit-Limit", strconv.Itoa(ls.perHour))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, ls.perHour-one.used[resource])))
	header.Set("X-RateLimit-Used", strconv.Itoa(one.used[resource]))
	header.Set("X-RateLimit-Reset", strconv.FormatInt(one.reset.Unix(), 10))
	header.Set("X-RateLimit-Resource", resource)
}
