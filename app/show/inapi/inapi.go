package inapi

import (
	"context"

	"waybill/app/api"
	"waybill/app/env"
	"waybill/app/learn"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// Surface is the HTTP API as a surface, and the adapter by which the API reaches the rest of the program.
type Surface struct {
	*env.Env
	inbox          handlers.Inbox
	resyncPipeline func(ctx context.Context, pipeline int64) error
	reports        *learn.Reports
	examine        func(context.Context) (api.Health, error)
}

// New returns the surface. Commands go into inbox; resync resyncs one pipeline; examine finds out what is wrong.
func New(
	e *env.Env, inbox handlers.Inbox, resync func(ctx context.Context, pipeline int64) error, reports *learn.Reports,
	examine func(context.Context) (api.Health, error),
) *Surface {
	return &Surface{e, inbox, resync, reports, examine}
}

// Name implements Surface.
func (s *Surface) Name() string { return sourceAPI }

// Want does nothing: people who want to know the state ask for it.
func (s *Surface) Want(*store.Tx, store.StageKey, *promotion.Snapshot) error { return nil }

// Show does nothing: there are no views in the API.
func (s *Surface) Show(_ context.Context, all []store.View) []error {
	return make([]error, len(all))
}
