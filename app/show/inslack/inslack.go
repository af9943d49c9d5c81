package inslack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/quota"
	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/store"
)

// Surface is Slack as a surface.
type Surface struct {
	*env.Env
	inbox     handlers.Inbox
	slack     *slack.Client // nil: Slack is not set up
	publicURL string        // where people reach the server; empty: not set
	budget    *quota.Quota  // of answers
}

// New returns the surface. client is nil where Slack is not set up; publicURL is where people reach the server.
func New(e *env.Env, inbox handlers.Inbox, client *slack.Client, publicURL string) *Surface {
	return &Surface{e, inbox, client, publicURL, quota.New()}
}

// Listen receives events from Slack by Socket Mode into the inbox, until the context ends. A connection that fails is
// tried again for ever: GitHub works without it.
func (in *Surface) Listen(ctx context.Context) error {
	for ctx.Err() == nil {
		err := in.slack.Listen(ctx, func(ctx context.Context, payload json.RawMessage) error {
			_, _, err := handlers.AcceptSlack(ctx, in.inbox, payload, in.Clock())
			if errors.Is(err, handlers.ErrIgnored) || errors.Is(err, handlers.ErrAltered) {
				return nil
			}
			return err
		})
		if ctx.Err() == nil {
			zerolog.Ctx(ctx).Error().Err(err).Msg("not connected to Slack: is SLACK_APP_TOKEN right?")
			work.Sleep(ctx, nil, time.Minute)
		}
	}
	return nil
}

// Name implements Surface.
func (in *Surface) Name() string { return handlers.SourceSlack }

// Reply answers a command in the thread, or to the person, where it was given.
func (in *Surface) Reply(ctx context.Context, a *surface.Answer) (work.Record, error) {
	to, is := parsePlace(a.Surface)
	if !is {
		return nil, fmt.Errorf("answer on %q: not a place in Slack", a.Surface)
	}
	return nil, in.replyTo(ctx, a, to)
}

// Show brings messages to Slack.
func (in *Surface) Show(ctx context.Context, all []store.View) []error {
	errs := make([]error, len(all))
	for i := range all {
		all[i].RemoteID, errs[i] = in.showOne(ctx, &all[i])
	}
	return errs
}
