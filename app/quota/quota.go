// Package quota counts what people do within an hour, in memory: answers in Slack, commands over the API,
// what is read of their pull requests.
package quota

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Span is how long something counts, from the first thing on that is counted with it.
const Span = time.Hour

// kept is how many counts are remembered; the one that was not used for the longest is forgotten first.
const kept = 10_000

// Quota counts under names. Its counts are forgotten at the end of the process.
type Quota struct {
	mu    sync.Mutex
	taken *lru.Cache[string, count]
}

// count is how often something was taken since a time.
type count struct {
	since time.Time
	n     int
}

// New returns a quota of which nothing has been taken.
func New() *Quota {
	taken, err := lru.New[string, count](kept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &Quota{taken: taken}
}

// Share is what a name may take within Span.
type Share struct {
	Of   string
	Most int
}

// Take takes one from each of the shares and returns 0. If one of them is used up it takes nothing, and returns how
// long that lasts.
func (q *Quota) Take(now time.Time, shares ...Share) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	counts := make([]count, len(shares))
	for i, s := range shares {
		c, known := q.taken.Get(s.Of)
		if !known || now.Sub(c.since) >= Span {
			c = count{since: now}
		}
		if c.n >= s.Most {
			wait = max(wait, Span-now.Sub(c.since))
		}
		counts[i] = c
	}
	if wait > 0 {
		return wait
	}
	for i, s := range shares {
		counts[i].n++
		q.taken.Add(s.Of, counts[i])
	}
	return 0
}
