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
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/app/env"
	"waybill/app/work"
	"waybill/store"
)

const (
	// atOnce is how many events of a pipeline are sent before it is the turn of the next one.
	atOnce = 20
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
	to      Receiver
	post    func(ctx context.Context, r Receiver, m message) error
	stopped atomic.Int64 // the pipeline at which the last run ended before it had come around
}

// New makes a Notifier. A wire carries its events; nil: http.DefaultTransport.
func New(e *env.Env, to Receiver, wire http.RoundTripper) *Notifier {
	c := newClient(wire)
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

// Take takes the work of sending the events that there are, unless the receiver is given time.
func (n *Notifier) Take(ctx context.Context, c store.Claim) (do work.Piece, next time.Time, err error) {
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
		return nil, time.Time{}, err
	}
	if !asked {
		if err := n.Store.Update(ctx, func(tx *store.Tx) error { return tx.Clocks.AskEvents() }); err != nil {
			return nil, time.Time{}, err
		}
	}
	return n.TakeOnTime(ctx, store.ClockEvents, c.For(work.LongLease), n.run)
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

// sendAll sends some events of each pipeline, beginning behind the one where it stopped the last time. It goes on when
// the receiver refuses those of a pipeline, and stops when nobody answers.
func (n *Notifier) sendAll(ctx context.Context) error {
	begun := n.stopped.Load()
	var refusals error
	for last, again := begun, begun == 0; ; {
		u, lines, err := n.unsent(ctx, last)
		if err != nil {
			return errors.Join(refusals, err)
		}
		if u == nil && !again {
			last, again = 0, true
			continue
		}
		if u == nil || again && begun > 0 && u.Pipeline > begun {
			n.stopped.Store(0)
			return refusals
		}
		last = u.Pipeline
		n.stopped.Store(last)
		if err := n.sendLines(ctx, u, lines); err != nil {
			refusals = errors.Join(refusals, fmt.Errorf("send events of %s: %w", u.Repo, err))
			if _, is := errors.AsType[refusal](err); !is {
				return refusals
			}
		}
	}
}

// unsent returns the next pipeline behind one of them of which there is something to send, and some of that.
func (n *Notifier) unsent(ctx context.Context, behind int64) (u *store.Unsent, lines []store.Event, err error) {
	err = n.Store.View(ctx, func(tx *store.Tx) (err error) {
		if u, err = tx.Audit.NextUnsent(behind); err != nil || u == nil {
			return err
		}
		lines, err = tx.Audit.Events(u.Pipeline, u.After, atOnce)
		return err
	})
	return u, lines, err
}

// sendLines sends lines one after the other until the receiver does not take one. It leaves out that one and those
// behind it that have waited for too long.
func (n *Notifier) sendLines(ctx context.Context, u *store.Unsent, lines []store.Event) (failed error) {
	left := 0
	defer func() {
		if left > 0 {
			zerolog.Ctx(ctx).Warn().Int("events", left).Str("repo", string(u.Repo)).
				Msg("events were left out: they are older than three days, and their receiver does not take them")
		}
	}()
	for _, line := range lines {
		if failed == nil {
			failed = n.send(ctx, u, line)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		late := n.Clock().Sub(line.At) > kept
		if failed != nil && !late {
			return failed
		}
		err := n.Store.Update(ctx, func(tx *store.Tx) error { return tx.Audit.NoteSent(u.Pipeline, line.Seq) })
		if err != nil {
			return err
		}
		if failed != nil {
			left++
		}
	}
	return failed
}

// send sends a line.
func (n *Notifier) send(ctx context.Context, u *store.Unsent, line store.Event) error {
	m, err := messageOf(u, line)
	if err != nil {
		return err
	}
	return n.post(ctx, n.to, m)
}

// message is an event on its way.
type message struct {
	ID   string // the same however often it is sent
	Kind string
	Body []byte
}

// messageOf has the hash of the line in the ID, because numbers are given again once a backup has been restored.
func messageOf(u *store.Unsent, line store.Event) (message, error) {
	n := api.NoticeOf(u.Repo, line)
	body, err := json.Marshal(n)
	return message{ID: fmt.Sprintf("%d-%d-%.12s", u.Pipeline, line.Seq, line.Hash), Kind: n.Kind, Body: body}, err
}

// sign returns the signature of a body as GitHub writes those of its webhooks.
func sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
