package api

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"waybill/promotion"
	"waybill/store"
)

// How many commands somebody gives over the API within an hour on one pipeline, and all together, before only those go
// on who may write there. Whoever has an account on GitHub may read what is public, and each question costs requests
// and room.
const (
	askedOfReader  = 20
	askedOfReaders = 240

	askedSpan = time.Hour
	// asksKept is how many people and pipelines are remembered.
	asksKept = 10_000
)

// asks counts the commands of people of whom it is not known that they may write. They are forgotten at the end of the
// process.
type asks struct {
	mu    sync.Mutex
	given *lru.Cache[string, given]
}

// given is how many commands were given since a time.
type given struct {
	since    time.Time
	commands int
}

func newAsks() *asks {
	all, err := lru.New[string, given](asksKept)
	if err != nil {
		panic(err) // the size is a constant
	}
	return &asks{given: all}
}

// take counts a command of a person on a pipeline, unless the person, or all together, have given the most. Then it
// returns how long until more may be given.
func (a *asks) take(pipeline int64, by promotion.Actor, now time.Time) (wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	own, all := fmt.Sprintf("%d/%d", pipeline, by.ID), fmt.Sprint(pipeline)
	mine, ours := a.of(own, now), a.of(all, now)
	if mine.commands >= askedOfReader {
		wait = askedSpan - now.Sub(mine.since)
	}
	if ours.commands >= askedOfReaders {
		wait = max(wait, askedSpan-now.Sub(ours.since))
	}
	if wait > 0 {
		return wait
	}
	mine.commands++
	ours.commands++
	a.given.Add(own, mine)
	a.given.Add(all, ours)
	return 0
}

// of returns what is counted under a key.
func (a *asks) of(key string, now time.Time) given {
	it, known := a.given.Get(key)
	if !known || now.Sub(it.since) >= askedSpan {
		return given{since: now}
	}
	return it
}

// bounded refuses a command of somebody who may not write where too many have been given. GitHub is only asked then:
// while it does not answer, people can still hold a stage. A command that is known by its key only asks for its answer,
// and one of whom GitHub has said lately that they may write is not counted.
func (s *Server) bounded(c *call, by promotion.Actor, key string) error {
	err := s.view(c.Context(), func(tx *store.Tx) error {
		_, err := tx.Inbox.Delivery("api:" + key)
		return err
	})
	switch {
	case !errors.Is(err, store.ErrNotFound):
		return err
	case s.adapter.Remembered(c.row, by) >= promotion.Write:
		return nil
	}
	wait := s.asks.take(c.row.ID, by, s.clock())
	if wait == 0 {
		return nil
	}
	may, err := s.adapter.Permission(c.Context(), c.row, by)
	switch {
	case err != nil:
		return unavailable("so many commands have been given that GitHub is asked who may write to %s, and it does not "+
			"answer now: try again later", c.row.Repo)
	case may >= promotion.Write:
		return nil
	}
	p := newProblem(http.StatusTooManyRequests, "you may not write to %s: without that, one person gives at most %d "+
		"commands an hour here, and all give %d. Look at the status instead, or try again later",
		c.row.Repo, askedOfReader, askedOfReaders)
	p.after = wait
	return p
}
