package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// RequestID is the header that names a request, in the answer and in the log.
const RequestID = "X-Request-Id"

// maxQuestion bounds the body of a request: a command is short.
const maxQuestion = 64 << 10

// call is one request whose sender may make it.
type call struct {
	*http.Request
	who      Caller
	row      store.PipelineRow   // of routes that are about one pipeline
	pipeline *promotion.Pipeline // compiled of its files; nil if they have never been good
	trouble  error               // why the stored files mean nothing, which only a newer version can cause
}

// serve answers the requests of one route.
func (s *Server) serve(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxQuestion)
		begun := time.Now()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.life, cancel)()
		r = r.WithContext(ctx)
		c, err := s.admit(route, r)
		status := http.StatusOK
		if err == nil {
			status, err = s.answer(route, c, w)
		}
		if err != nil {
			refuse(w, r, err)
			status = problemOf(err).Status
		}
		zerolog.Ctx(r.Context()).Info().Str("method", r.Method).Str("path", r.URL.Path).Stringer("who", c.who).
			Int("status", status).Dur("took", time.Since(begun)).Msg("answered")
	})
}

// answer has the route's handler answer, and returns with which status.
func (s *Server) answer(route Route, c *call, w http.ResponseWriter) (status int, err error) {
	if route.stream != nil {
		return http.StatusOK, route.stream(s, c, w)
	}
	answer, err := route.do(s, c)
	if err != nil {
		return 0, err
	}
	status = http.StatusOK
	if made, is := answer.(created); is {
		status, answer = http.StatusCreated, made.answer
	}
	if route.Method == http.MethodGet {
		tag, err := tagOf(answer)
		if err != nil {
			return 0, err
		}
		w.Header().Set("ETag", tag)
		if has(c.Request, tag) {
			w.WriteHeader(http.StatusNotModified)
			return http.StatusNotModified, nil
		}
	}
	send(w, status, "application/json", answer)
	return status, nil
}

// admit finds out who the caller is, and whether they may. Nothing is looked up for unknown callers.
func (s *Server) admit(route Route, r *http.Request) (*call, error) {
	c := &call{Request: r}
	var err error
	if c.who, err = s.identify(r, route.Needs); err != nil {
		return c, err
	}
	switch route.At {
	case Everywhere:
		return c, s.everywhere(c.who, route.Needs)
	case OnePipeline:
		return c, s.admitTo(route, c)
	}
	return c, nil
}

// admitTo finds the pipeline that the path names, for those who may read it.
func (s *Server) admitTo(route Route, c *call) error {
	repo := promotion.Repo(c.PathValue("owner") + "/" + c.PathValue("repo"))
	none := notFound("there is no pipeline of %s that you may read; `GET %spipelines` lists those that you may (GitHub "+
		"is asked who may: if it does not answer, nobody may)", repo, root)
	err := s.view(c.Context(), func(tx *store.Tx) (err error) {
		c.row, err = tx.Pipelines.ByRepo(repo)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return none
	case err != nil:
		return err
	case c.who.run != nil:
		return s.admitRun(route, c, none)
	case !s.may(c, c.row, Read):
		return none
	case !s.may(c, c.row, route.Needs):
		return c.who.lacks(route.Needs)
	}
	c.pipeline, c.trouble = s.compiled(c.row)
	return nil
}

// admitRun lets the run of a workflow use the route where a warehouse takes reports of its repository.
func (s *Server) admitRun(route Route, c *call, none error) error {
	c.pipeline, c.trouble = s.compiled(c.row)
	switch {
	case c.pipeline == nil || !slices.ContainsFunc(c.pipeline.Warehouses, c.reports):
		return none
	case !route.Workflows:
		return forbidden("a token of a workflow reports freight and does nothing else: this needs one that this server's " +
			"WAYBILL_API_TOKENS_FILE lists")
	}
	return nil
}

// reports reports whether a warehouse takes reports of the caller's repository.
func (c *call) reports(w *promotion.Warehouse) bool {
	return w.Kind == promotion.FromReports && strings.EqualFold(string(w.Repo), string(c.who.run.Repo))
}

// compiled returns the pipeline of stored files, nil if there are none that have been good.
func (s *Server) compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	if len(row.Config) == 0 {
		return nil, nil
	}
	return s.adapter.Compiled(row)
}

// nothing answers requests that fit no route.
func (s *Server) nothing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if _, err := s.identify(r, Read); err != nil {
		refuse(w, r, err)
		return
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != root {
			w.Header().Set("Allow", method)
			refuse(w, r,
				newProblem(http.StatusMethodNotAllowed, "%s is not something to do with %s: use %s", r.Method, r.URL.Path, method))
			return
		}
	}
	refuse(w, r, notFound("there is no %s; docs/api.md lists what there is", r.URL.Path))
}

// The bounds of how many items a page has.
const (
	usualLimit = 20
	maxLimit   = 100
)

// limit is how many items the caller wants on a page.
func (c *call) limit() (int, error) {
	text := c.URL.Query().Get("limit")
	if text == "" {
		return usualLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, badRequest("limit must be a number from 1 to %d", maxLimit)
	}
	return n, nil
}

// page returns how many items the caller wants on a page, and reads into x where it begins; x stays as it is for the
// first one.
func (c *call) page(x any) (limit int, err error) {
	limit, err = c.limit()
	if text := c.URL.Query().Get("cursor"); err == nil && text != "" {
		err = decodeCursor(text, x)
	}
	return limit, err
}
