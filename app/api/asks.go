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

// asks counts the commands of people. They are forgotten at the end of the process.
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

// take counts a command of a person on a pipeline, unless the person, or all together, have given the most.
func (a *asks) take(pipeline int64, by promotion.Actor, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	own, all := fmt.Sprintf("%d/%d", pipeline, by.ID), fmt.Sprint(pipeline)
	mine, ours := a.of(own, now), a.of(all, now)
	if mine.commands >= askedOfReader || ours.commands >= askedOfReaders {
		return false
	}
	mine.commands++
	ours.commands++
	a.given.Add(own, mine)
	a.given.Add(all, ours)
	return true
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
// while it does not answer, people can still hold a stage. A command that is known by its key only asks for its answer.
func (s *Server) bounded(c *call, by promotion.Actor, key string) error {
	if s.asks.take(c.row.ID, by, s.clock()) || s.permission(c.Context(), c.row, by) >= promotion.Write {
		return nil
	}
	err := s.view(c.Context(), func(tx *store.Tx) error {
		_, err := tx.Inbox.Delivery("api:" + key)
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return newProblem(http.StatusTooManyRequests, "somebody who may not write to %s gives %d commands an hour here, and "+
		"all together give %d: look at the status instead, or try again later", c.row.Repo, askedOfReader, askedOfReaders)
}
