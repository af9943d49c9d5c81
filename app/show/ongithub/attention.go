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

// drawnWithin is how often GitHub is asked at most for what it refuses: of a pull request that it has just opened it
// says that there is none, for some seconds. It has the same words for a team that the App does not reach.
const drawnWithin = 5

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
	passes := errors.Is(err, gh.ErrPassing) && v.Attempts < drawnWithin
	if err == nil || passes || errors.Is(err, gh.ErrTransient) || errors.Is(err, gh.ErrNoAccess) {
		return err
	}
	zerolog.Ctx(ctx).Warn().Err(err).Str("view", v.Surface).Msg("not put on the pull request")
	return nil
}
