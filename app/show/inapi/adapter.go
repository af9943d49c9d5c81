package inapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"waybill/app/api"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// ReadAPI makes the HTTP API by the settings of the server. With open, everybody may read. It returns an error for
// settings that cannot work.
func (s *Surface) ReadAPI(c config.Server, open bool) (*api.Server, error) {
	addresses := handlers.Addresses{Proxies: c.Door.Proxies}
	o := api.Options{
		Store: s.Store, Clock: s.Clock, Adapter: s, OpenReads: open,
		Secret: string(c.GitHub.WebhookSecret), Web: strings.TrimSuffix(c.GitHub.WebURL, "/"),
		Network: func(r *http.Request) netip.Prefix { return handlers.Network(addresses.Of(r)) },
	}
	var err error
	if c.APITokensFile != "" {
		if o.Tokens, err = api.OpenTokens(c.APITokensFile); err != nil {
			return nil, err
		}
	}
	if c.GitHub.OAuthClientID != "" {
		door := s.Hub.Web(c.GitHub.OAuthClientID, string(c.GitHub.OAuthClientSecret), c.PublicURL+api.CallbackPath)
		if o.SignIn, err = api.NewSignIn(
			door, string(c.GitHub.OAuthClientSecret), strings.HasPrefix(c.PublicURL, "https://"),
		); err != nil {
			return nil, fmt.Errorf("prepare the sign-in: %w", err)
		}
	}
	if c.Workflows.Audience != "" {
		if o.Workflows, err = api.NewWorkflows(c.Workflows.Issuer, c.Workflows.Audience, o.Clock); err != nil {
			return nil, err
		}
	}
	return api.New(o)
}

// Compiled returns the meaning of a stored pipeline.
func (s *Surface) Compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	return s.Pipelines.Compiled(row)
}

// Permission returns a person's permission on a pipeline's home repository.
func (s *Surface) Permission(
	ctx context.Context, row store.PipelineRow, who promotion.Actor,
) (promotion.Permission, error) {
	p, _, err := s.Env.Rights.Of(ctx, row, who, false)
	return p, err
}

// Given implements api.Adapter.
func (s *Surface) Given(tx *store.Tx, key string) (bool, error) {
	_, err := tx.Inbox.Delivery(addressAPI + key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Remembered returns that permission without a question to GitHub.
func (s *Surface) Remembered(row store.PipelineRow, who promotion.Actor) promotion.Permission {
	return s.Env.Rights.Known(row, who)
}

// Rights returns the account to which a login belongs now, with its permission and teams on a pipeline's home
// repository.
func (s *Surface) Rights(
	ctx context.Context, row store.PipelineRow, login promotion.Login,
) (promotion.Actor, promotion.Permission, []string, error) {
	who, err := s.Env.Rights.ActorOf(ctx, row, login)
	if err != nil || who.ID == 0 {
		return who, promotion.NoPermission, nil, err
	}
	permission, teams, err := s.Env.Rights.Of(ctx, row, who, true)
	return who, permission, teams, err
}

// Resync resyncs one pipeline now.
func (s *Surface) Resync(ctx context.Context, pipeline int64) error {
	return s.resyncPipeline(ctx, pipeline)
}

// Missing implements Adapter.
func (s *Surface) Missing(pipeline int64) []promotion.Ungranted { return s.Grants.Of(pipeline) }

// Doctor looks at everything that may be wrong.
func (s *Surface) Doctor(ctx context.Context) (api.Health, error) { return s.examine(ctx) }

// Report records the freight that CI reports. The same report again is the same freight.
func (s *Surface) Report(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event,
) (promotion.Freight, bool, error) {
	return s.reports.ReportFreight(ctx, row, w, r, line)
}
