package gh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"waybill/promotion"
)

// Shut says that GitHub is not asked on behalf of an installation now, or only for its pressing work. The zero value
// says that it is asked for everything.
type Shut struct {
	// Until is the end of a limit, or, in an outage, when GitHub is asked next whether it answers again.
	Until time.Time
	// Outage says that GitHub has not answered several times in a row. It is over when GitHub answers.
	Outage bool
	// Scarce says that little is left of the hour's requests or points: only pressing work may ask.
	Scarce bool
}

// outageAfter is how many requests of an installation fail in a row, for GitHub's own reasons, before it is an outage,
// and outageWithin the time between two of them: one thing that fails whenever it is tried again is none.
const (
	outageAfter  = 5
	outageWithin = time.Minute
)

// outagePauses are between two questions whether GitHub answers again: the last one is repeated.
var outagePauses = []time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second}

// outage counts the failures of an installation's requests. In an outage only those that began since its last change
// say something: eight requests that fail together are one outage.
type outage struct {
	era    int       // grows when an outage begins or ends, and with each question in between
	failed int       // requests in a row, or in an outage questions
	last   time.Time // when one failed
	next   time.Time // when GitHub is asked again; zero: there is no outage
}

// era is the time since the last change, about which a request that begins now will tell.
func (g *gate) era() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.outage.era
}

// sign is the conclusion about GitHub from the end of a request.
type sign int

const (
	unclear sign = iota // its caller gave up, or it may have asked for too much
	alive
	dead
)

// heard learns from a request of an era.
func (g *gate) heard(era int, s sign) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := &g.outage
	shut := !o.next.IsZero()
	switch {
	case era != o.era, s == unclear && !shut:
	case s == alive && shut:
		*o = outage{era: o.era + 1}
	case s == alive:
		o.failed = 0
	case shut:
		o.failed++
		o.ask(g.now())
	default:
		now := g.now()
		if now.Sub(o.last) > outageWithin {
			o.failed = 0
		}
		o.last = now
		if o.failed++; o.failed == outageAfter {
			o.failed = 1
			o.ask(now)
		}
	}
}

// ask has GitHub asked again after a pause.
func (o *outage) ask(now time.Time) {
	o.era++
	o.next = now.Add(outagePauses[min(o.failed, len(outagePauses))-1])
}

// signOf concludes from the error of a request that got no answer after a time.
func signOf(resource string, err error, took time.Duration) sign {
	switch ClassOf(err) {
	case ClassTrouble, "":
		return dead
	case ClassSlow:
		return signOfSilence(resource, err, took)
	}
	return alive // GitHub gives no token
}

// signOfSilence concludes from a request that was given up. One that could not connect says that the network is dead.
// GitHub itself ends all requests but large queries after ten seconds, so a longer silence is the network's, too. A
// caller that gave up sooner says nothing.
func signOfSilence(resource string, err error, took time.Duration) sign {
	var connecting *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return unclear
	case !errors.Is(err, context.DeadlineExceeded), errors.As(err, &connecting) && connecting.Op == "dial":
		return dead
	case resource == resourceGraphQL, took < answersWithin:
		return unclear
	}
	return dead
}

// signIn concludes from the status of an answer. With some GitHub answers a query that is too large.
func signIn(resource string, status int) sign {
	large := status == http.StatusBadGateway || status == http.StatusGatewayTimeout
	switch {
	case large && resource == resourceGraphQL:
		return unclear
	case status >= http.StatusInternalServerError:
		return dead
	}
	return alive
}

// state is whether GitHub is asked now.
func (g *gate) state() Shut {
	s := Shut{Until: g.outage.next, Outage: !g.outage.next.IsZero()}
	for _, until := range g.until {
		if until.After(g.now()) && until.After(s.Until) {
			s.Until = until
		}
	}
	if s != (Shut{}) {
		return s
	}
	for _, until := range g.scarce {
		if until.After(g.now()) && until.After(s.Until) {
			s = Shut{Until: until, Scarce: true}
		}
	}
	return s
}

// news reports whether the state is another one than at the last call.
func (g *gate) news() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.state()
	changed := now != g.told
	g.told = now
	return changed
}

// asked is when GitHub is asked next whether it answers again; the zero time if there is no outage.
func (g *gate) asked() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.outage.next.IsZero() {
		return time.Time{}
	}
	return promotion.Later(g.outage.next, g.until[resourceREST])
}

// Shut returns whether GitHub is asked for an installation now.
func (h *Hub) Shut(installation int64) Shut {
	g := h.installationOf(installation).gate
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state()
}

// probesAtOnce is how many installations GitHub is asked about at a time, whether it answers them again.
const probesAtOnce = 32

// Probe asks GitHub whether it answers again, for all installations in an outage for which that is due, at the same
// time: one that GitHub does not answer keeps no other waiting. It reports whether there was one, and otherwise when
// that is due next; the zero time if there is no outage.
func (h *Hub) Probe(ctx context.Context) (did bool, next time.Time, err error) {
	due, next := h.toProbe()
	errs := make([]error, len(due))
	var all sync.WaitGroup
	slots := make(chan struct{}, probesAtOnce)
	for n, i := range due {
		slots <- struct{}{}
		all.Go(func() {
			errs[n] = h.askAgain(ctx, i)
			<-slots
		})
	}
	all.Wait()
	if len(due) == 0 {
		return false, next, nil
	}
	return true, time.Time{}, errors.Join(errs...)
}

// toProbe returns the installations of which GitHub is to be asked now, and when that is due for the next one.
func (h *Hub) toProbe() (due []*installationState, next time.Time) {
	now := h.config.Clock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.installations {
		at := i.gate.asked()
		if at.IsZero() {
			continue
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
		if !at.After(now) {
			due = append(due, i)
		}
	}
	return due, next
}

// askAgain asks GitHub whether it answers an installation again. It gives GitHub no longer than GitHub gives itself.
func (h *Hub) askAgain(ctx context.Context, i *installationState) error {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	_, _, err := h.rest(i.http(fmt.Sprint(i.id), onlyMetadata())).RateLimit.Get(ctx)
	return err
}
