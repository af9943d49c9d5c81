package ongithub

import (
	"context"
	"fmt"
	"strings"
	"time"

	"waybill/app/env"
	"waybill/app/surface"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// Surface is GitHub as a surface.
type Surface struct {
	*env.Env
	started time.Time
	keep    time.Duration // how long facts are kept
}

// New returns the surface. keep is how long facts are kept.
func New(e *env.Env, keep time.Duration) *Surface { return &Surface{e, e.Clock(), keep} }

// Name implements Surface.
func (g *Surface) Name() string { return handlers.SourceGitHub }

// Identify returns the requests of comments, reviews, labels and buttons.
func (g *Surface) Identify(ctx context.Context, d surface.Delivery) (all surface.Input, err error) {
	from := &d.Told.From
	for _, event := range d.Told.Events {
		var input surface.Input
		switch e := event.(type) {
		case *handlers.Approval:
			input, err = g.approved(ctx, from, e)
		case *handlers.Comment:
			input = g.commented(from, e)
		case *handlers.Press:
			input, err = g.pressed(ctx, from, e)
		case *handlers.Rerun:
			input, err = g.rerun(ctx, from, e)
		case *handlers.Label:
			input, err = g.labelled(ctx, from, e)
		}
		if err != nil {
			return surface.Input{}, err
		}
		all = all.And(input)
	}
	return all, nil
}

// Reply answers a command on the pull request, check run or label by which it was given.
func (g *Surface) Reply(ctx context.Context, a *surface.Answer) (work.Record, error) {
	if strings.HasPrefix(a.Surface, views.CheckAddress) {
		return g.replyOnCheck(ctx, a)
	}
	if rest, is := strings.CutPrefix(a.Surface, surface.LabelAddress); is {
		return g.replyToLabel(ctx, a, rest)
	}
	return g.replyOnPull(ctx, a, a.Surface)
}

// Want writes down the check runs, comments, labels and deployments of a stage.
func (g *Surface) Want(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	return views.WantStage(tx, key, s)
}

// Show brings views to GitHub.
func (g *Surface) Show(ctx context.Context, all []store.View) []error {
	if surface.Kinds[all[0].Kind].Together {
		return g.showTogether(ctx, all)
	}
	errs := make([]error, len(all))
	for i := range all {
		all[i].RemoteID, errs[i] = g.showOne(ctx, &all[i])
	}
	return errs
}

func (g *Surface) showOne(ctx context.Context, v *store.View) (id string, err error) {
	switch v.Kind {
	case surface.KindComment:
		return g.showComment(ctx, v)
	case surface.KindProtectionRule:
		return g.showProtectionRule(ctx, v)
	case surface.KindAttention:
		return v.RemoteID, g.showAttention(ctx, v)
	case surface.KindLabels:
		return v.RemoteID, g.showLabels(ctx, v)
	}
	return "", fmt.Errorf("show %s: GitHub does not show a %s", v.Surface, v.Kind)
}
