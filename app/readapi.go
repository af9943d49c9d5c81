package app

import (
	"context"
	"fmt"
	"strings"

	"waybill/app/api"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// readAPI makes the API by which programs and people read what is where. With open, everybody may.
func (a *App) readAPI(c config.Server, open bool) (*api.Server, error) {
	o := api.Options{Store: a.store, Clock: a.clock, Backstage: adapter{a}, OpenReads: open}
	var err error
	if c.APITokensFile != "" {
		if o.Tokens, err = api.OpenTokens(c.APITokensFile); err != nil {
			return nil, err
		}
	}
	if c.GitHub.OAuthClientID != "" {
		door := a.hub.Web(c.GitHub.OAuthClientID, string(c.GitHub.OAuthClientSecret), c.PublicURL+api.CallbackPath)
		if o.SignIn, err = api.NewSignIn(door, string(c.GitHub.OAuthClientSecret), strings.HasPrefix(c.PublicURL, "https://")); err != nil {
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

// adapter is what the read API sees of the App.
type adapter struct {
	a *App
}

// Compiled returns what the stored files of a pipeline mean.
func (b adapter) Compiled(row store.PipelineRow) (*promotion.Pipeline, error) {
	return b.a.pipelines.compiled(row)
}

// Permission says what a person may do on a pipeline's home repository.
func (b adapter) Permission(ctx context.Context, row store.PipelineRow, who promotion.Actor) (promotion.Permission, error) {
	p, _, err := b.a.rights.Of(ctx, row, who, false)
	return p, err
}

// Rights says what whoever has a login now may do on a pipeline's home repository.
func (b adapter) Rights(ctx context.Context, row store.PipelineRow, login promotion.Login) (promotion.Actor, promotion.Permission, []string, error) {
	who, err := b.a.rights.Who(ctx, row, login)
	if err != nil || who.ID == 0 {
		return who, promotion.NoPermission, nil, err
	}
	permission, teams, err := b.a.rights.Of(ctx, row, who, true)
	return who, permission, teams, err
}

// Resync reads one pipeline's files and facts now.
func (b adapter) Resync(ctx context.Context, pipeline int64) error {
	return b.a.ResyncPipeline(ctx, pipeline)
}
