// Package notify sends what happens in the pipelines to a receiver that the settings of the server name: the events of
// the API, signed, in the order of each pipeline. How far it has come is in the database, so that a restart loses
// nothing; an event may come twice.
package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/app/env"
	"waybill/app/work"
	"waybill/store"
)

const (
	// atOnce is how many events of a pipeline are sent before it is the turn of the next one.
	atOnce = 100
	// kept is for how long events wait for a receiver that does not take them.
	kept = 72 * time.Hour
)

// Receiver is who is sent events.
type Receiver struct {
	URL    string // empty: nobody
	Secret []byte // that signs them
}

// Notifier sends events.
type Notifier struct {
	*env.Env
	to   Receiver
	post func(ctx context.Context, r Receiver, m message) error
}

// New makes a Notifier.
func New(e *env.Env, to Receiver) *Notifier {
	c := newClient()
	return &Notifier{Env: e, to: to, post: c.post}
}

// Sends reports whether there is a receiver.
func (n *Notifier) Sends() bool { return n.to.URL != "" }

// Prepare notes whether there is a receiver. A new one gets what happens from now on.
func (n *Notifier) Prepare(ctx context.Context) error {
	return n.Store.Update(ctx, func(tx *store.Tx) error {
		if n.Sends() {
			return tx.Audit.SendEvents()
		}
		return tx.Audit.SendNoEvents()
	})
}

// Next sends the events that there are, unless the receiver is given time.
func (n *Notifier) Next(ctx context.Context) (did bool, next time.Time, err error) {
	var some, asked bool
	err = n.Store.View(ctx, func(tx *store.Tx) error {
		u, err := tx.Audit.NextUnsent(0)
		if err != nil || u == nil {
			return err
		}
		some = true
		c, err := tx.Clocks.Clock(store.ClockEvents)
		asked = !c.Due.IsZero()
		return err
	})
	if err != nil || !some {
		return false, time.Time{}, err
	}
	if !asked {
		if err := n.Store.Update(ctx, func(tx *store.Tx) error { return tx.Clocks.AskEvents() }); err != nil {
			return false, time.Time{}, err
		}
	}
	return n.OnTime(ctx, store.ClockEvents, store.Claim{Lease: work.LongLease}, n.run)
}

// run sends events under a lease. What fails is tried again with delays.
func (n *Notifier) run(ctx context.Context, c *store.Clock) error {
	began := n.Clock()
	return n.RunClock(ctx, c, work.InWorker, work.RequestBackoff, func(ctx context.Context) (work.Record, error) {
		if err := n.sendAll(ctx); err != nil {
			return nil, err
		}
		return func(tx *store.Tx) error { return tx.Clocks.ClockDone(c, began, time.Time{}) }, nil
	})
}

// sendAll sends some events of each pipeline.
func (n *Notifier) sendAll(ctx context.Context) error {
	for last := int64(0); ; {
		var u *store.Unsent
		var lines []store.Event
		err := n.Store.View(ctx, func(tx *store.Tx) (err error) {
			if u, err = tx.Audit.NextUnsent(last); err != nil || u == nil {
				return err
			}
			lines, err = tx.Audit.Events(u.Pipeline, u.After, atOnce)
			return err
		})
		if err != nil || u == nil {
			return err
		}
		if err := n.sendLines(ctx, u, lines); err != nil {
			return fmt.Errorf("send events of %s: %w", u.Repo, err)
		}
		last = u.Pipeline
	}
}

// sendLines sends lines one after the other, and leaves out those that have waited for too long.
func (n *Notifier) sendLines(ctx context.Context, u *store.Unsent, lines []store.Event) error {
	left := 0
	for _, line := range lines {
		if n.Clock().Sub(line.At) > kept {
			left++
		} else {
			m, err := messageOf(api.NoticeOf(u.Repo, line), u.Pipeline)
			if err == nil {
				err = n.post(ctx, n.to, m)
			}
			if err != nil {
				return err
			}
		}
		err := n.Store.Update(ctx, func(tx *store.Tx) error { return tx.Audit.NoteSent(u.Pipeline, line.Seq) })
		if err != nil {
			return err
		}
	}
	if left > 0 {
		zerolog.Ctx(ctx).Warn().Int("events", left).Str("repo", string(u.Repo)).
			Msg("events were left out: their receiver did not take them for three days")
	}
	return nil
}

// message is an event on its way.
type message struct {
	ID   string // the same however often it is sent
	Kind string
	Body []byte
}

func messageOf(n api.Notice, pipeline int64) (message, error) {
	body, err := json.Marshal(n)
	return message{ID: fmt.Sprintf("%d-%d", pipeline, n.Seq), Kind: n.Kind, Body: body}, err
}

// sign returns the signature of a body as GitHub writes those of its webhooks.
func sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
