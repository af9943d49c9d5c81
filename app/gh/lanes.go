package gh

import (
	"context"
	"sync"
)

// lanes lets one through at a time for each name. An empty lane is forgotten.
type lanes struct {
	mu   sync.Mutex
	busy map[string]*lane
}

type lane struct {
	token chan struct{} // holds one value while the lane is taken
	users int           // in it or waiting
}

// enter waits until the lane is free and returns how to leave it.
func (l *lanes) enter(ctx context.Context, name string) (leave func(), err error) {
	one := l.join(name)
	select {
	case one.token <- struct{}{}:
		return func() { <-one.token; l.part(name, one) }, nil
	case <-ctx.Done():
		l.part(name, one)
		return nil, ctx.Err()
	}
}

func (l *lanes) join(name string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy = map[string]*lane{}
	}
	one, ok := l.busy[name]
	if !ok {
		one = &lane{token: make(chan struct{}, 1)}
		l.busy[name] = one
	}
	one.users++
	return one
}

func (l *lanes) part(name string, one *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.busy, name)
	}
}
