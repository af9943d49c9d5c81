package api

import (
	"net/http"
	"sync"
)

const (
	// maxListeners bounds how many connections stay open for events, maxListening how many of them are one caller's.
	maxListeners = 64
	maxListening = 8
)

// listeners counts who listens to events.
type listeners struct {
	mu   sync.Mutex
	all  int
	each map[string]int
}

// enter has a caller counted, until leave is called.
func (l *listeners) enter(who string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.each[who] >= maxListening:
		return nil, newProblem(http.StatusTooManyRequests,
			"%s listens %d times already, and more would leave no room for others: close one", who, maxListening)
	case l.all >= maxListeners:
		return nil, unavailable("%d listen already, and more would leave no room for others: try again later", maxListeners)
	}
	l.all++
	l.each[who]++
	return func() { l.leave(who) }, nil
}

func (l *listeners) leave(who string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.each[who]--; l.each[who] == 0 {
		delete(l.each, who)
	}
}
