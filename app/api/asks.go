package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/quota"
	"waybill/promotion"
	"waybill/store"
)

// How many commands somebody gives over the API within an hour on one pipeline, and all together, before only those go
// on who may write there. Whoever has an account on GitHub may read what is public, and each question costs requests
// and room.
const (
	askedOfReader  = 20
	askedOfReaders = 240
)

// taken counts a command of a person on a pipeline. It returns how long until more may be given, if the person, or all
// together, have given the most.
func (s *Server) taken(pipeline int64, by promotion.Actor) (wait time.Duration) {
	return s.asks.Take(s.clock(), quota.Share{Of: fmt.Sprintf("%d/%d", pipeline, by.ID), Most: askedOfReader},
		quota.Share{Of: fmt.Sprint(pipeline), Most: askedOfReaders})
}

// bounded refuses a command of somebody who may not write where too many have been given. GitHub is only asked then:
// while it does not answer, people can still hold a stage. A command that is known by its key only asks for its answer,
// and one of whom GitHub has said lately that they may write is not counted.
func (s *Server) bounded(c *call, by promotion.Actor, key string) error {
	given := false
	err := s.view(c.Context(), func(tx *store.Tx) (err error) {
		given, err = s.adapter.Given(tx, key)
		return err
	})
	switch {
	case err != nil || given:
		return err
	case s.adapter.Remembered(c.row, by) >= promotion.Write:
		return nil
	}
	wait := s.taken(c.row.ID, by)
	if wait == 0 {
		return nil
	}
	may, err := s.adapter.Permission(c.Context(), c.row, by)
	switch {
	case err != nil:
		zerolog.Ctx(c.Context()).Info().Err(err).Msg("GitHub does not say who may write")
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
