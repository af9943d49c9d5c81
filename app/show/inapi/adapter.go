package inapi

import (
	"context"
	"fmt"
	"strings"

	"waybill/app/api"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// ReadAPI makes the API by which programs and people read what is where. With open, everybody may.
func (s *Surface) ReadAPI(c config.Server, open bool) (*api.Server, error) {
	o := api.Options{Store: s.Store, Clock: s.Clock, Adapter: s, OpenReads: open}
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
	return api.New(o), nil
}

// Compiled returns what the stored files of a pipeline mean.
func (s *Surface) Compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	return s.Pipelines.Compiled(row)
}

// Permission says what a person may do on a pipeline's home repository.
func (s *Surface) Permission(
	ctx context.Context, row store.PipelineRow, who promotion.Actor,
) (promotion.Permission, error) {
	p, _, err := s.Env.Rights.Of(ctx, row, who, false)
	return p, err
}

// Rights says what whoever has a login now may do on a pipeline's home repository.
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

// Resync reads one pipeline's files and facts now.
func (s *Surface) Resync(ctx context.Context, pipeline int64) error {
	return s.resyncPipeline(ctx, pipeline)
}

// Report makes freight of what CI says that it has made. The same report again is the same freight.
func (s *Surface) Report(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event,
) (promotion.Freight, bool, error) {
	return s.reports.ReportFreight(ctx, row, w, r, line)
}
