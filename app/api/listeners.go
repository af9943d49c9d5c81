package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"waybill/promotion"
)

const (
	// maxListeners bounds how many connections stay open for events, maxListening how many of them are one caller's.
	maxListeners = 64
	maxListening = 8
	// maxFromAddress is how many come from one address, maxReading how many are those of people who may only read, who
	// may be anybody where the pipeline is public. The other half is kept for tokens and for people who may write.
	maxFromAddress = maxListeners / 2
	maxReading     = maxListeners / 2
)

// listeners are those who listen to events.
type listeners struct {
	mu  sync.Mutex
	all []*listener // in the order in which they came
}

// listener is a connection that stays open for events.
type listener struct {
	who     string       // the caller
	owner   string       // whose pipeline it is
	from    netip.Prefix // the address; the zero Prefix: not known
	reading bool         // the caller may only read
	gone    chan struct{}
}

// listenerOf returns the listener of a call.
func (s *Server) listenerOf(c *call) *listener {
	l := &listener{who: c.who.String(), owner: c.row.Repo.Owner(), gone: make(chan struct{})}
	person := c.who.Person()
	if !person.Bot() {
		l.who = fmt.Sprintf("%s (%d)", person.Login, person.ID) // whichever of their tokens they use
	}
	if s.network != nil {
		l.from = s.network(c.Request)
	}
	l.reading = c.who.token == nil && (person.Bot() || s.permission(c.Context(), c.row, person) < promotion.Write)
	return l
}

// bound is a number of listeners of a kind that there are at most.
type bound struct {
	of   func(*listener) bool
	most int
	what string
}

// enter lets a listener in, until leave is called. If there is no room, it takes the place of the newest listener of
// the caller who has most, provided that this one has at least two more than the new one's caller. If no caller has,
// the owner whose pipelines have most listeners gives up the newest of them, by the same rule.
func (l *listeners) enter(one *listener) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := count(l.all, func(o *listener) bool { return o.who == one.who })
	ofOwner := count(l.all, func(o *listener) bool { return o.owner == one.owner })
	if own >= maxListening {
		return newProblem(http.StatusTooManyRequests,
			"%s listens %d times already, and more would leave no room for others: close one", one.who, maxListening)
	}
	rest := slices.Clone(l.all)
	for _, b := range one.bounds() {
		if count(rest, b.of) < b.most {
			continue
		}
		i := greediest(rest, b.of, byCaller, own+2)
		if i < 0 {
			i = greediest(rest, b.of, byOwner, ofOwner+2)
		}
		if i < 0 {
			return unavailable("%d %s already, and more would leave no room for others: try again later", b.most, b.what)
		}
		rest = slices.Delete(rest, i, i+1)
	}
	for _, o := range l.all {
		if !slices.Contains(rest, o) {
			close(o.gone)
		}
	}
	l.all = append(rest, one)
	return nil
}

// bounds are those that hold for a listener.
func (one *listener) bounds() []bound {
	all := []bound{{func(*listener) bool { return true }, maxListeners, "listen"}}
	if one.reading {
		all = append(all, bound{func(o *listener) bool { return o.reading }, maxReading, "who may only read listen"})
	}
	if one.from.IsValid() {
		all = append(all, bound{func(o *listener) bool { return o.from == one.from }, maxFromAddress,
			"listen from your address"})
	}
	return all
}

func byCaller(l *listener) string { return l.who }
func byOwner(l *listener) string  { return l.owner }

// greediest returns the index of the newest listener of a kind in the group that has the most of them, and at least so
// many; -1: there is none.
func greediest(all []*listener, of func(*listener) bool, group func(*listener) string, least int) int {
	found, most := -1, least
	each := map[string]int{}
	for _, o := range all {
		if of(o) {
			each[group(o)]++
		}
	}
	for i, o := range all {
		if of(o) && each[group(o)] >= most {
			found, most = i, each[group(o)]
		}
	}
	return found
}

func count(all []*listener, of func(*listener) bool) (n int) {
	for _, o := range all {
		if of(o) {
			n++
		}
	}
	return n
}

func (l *listeners) leave(one *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *listener) bool { return o == one })
}
