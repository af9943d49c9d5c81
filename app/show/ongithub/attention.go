package ongithub

import (
	"context"
	"errors"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/store"
)

// showAttention puts labels, reviewers and assignees on a pull request. What GitHub refuses for good, such as a
// reviewer who may not read the repository, is given up: no promotion depends on it.
func (g *Surface) showAttention(ctx context.Context, v *store.View) error {
	var look views.AttentionView
	if err := surface.ReadLook(v, &look); err != nil {
		return err
	}
	client, err := g.Client(look.Repo)
	if err != nil {
		return err
	}
	err = client.Pulls.DrawAttention(ctx, look.Number, look.Attention)
	if err == nil || errors.Is(err, gh.ErrTransient) || errors.Is(err, gh.ErrLacking) {
		return err
	}
	zerolog.Ctx(ctx).Warn().Err(err).Str("view", v.Surface).Msg("not put on the pull request")
	return nil
}
