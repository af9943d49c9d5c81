package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestHealth(t *testing.T) { prove(t, healthTests) }

var healthTests = []test{
	{"a doctor learns when a delivery came last, and how many are missed", func(w *world) {
		w.view(func(tx *store.Tx) error {
			last, err := tx.Inbox.LastReceived("github")
			w.Zero(last)
			return err
		})
		_, err := w.store.Accept(w.Context(), store.Delivery{
			Source: "github", GUID: "g", Event: "push", Body: []byte("{}")})
		w.NoError(err)
		w.True(w.miss(store.Missed{GUID: "m", Attempt: 1, First: start, RunAt: start}))
		w.view(func(tx *store.Tx) error {
			last, err := tx.Inbox.LastReceived("github")
			w.Equal(start, last)
			w.NoError(err)
			other, err := tx.Inbox.LastReceived("slack")
			w.Zero(other)
			w.NoError(err)
			n, err := tx.Inbox.StillMissed()
			w.Equal(1, n)
			return err
		})
	}},
	{"a doctor learns which names of signals have been seen, each once", func(w *world) {
		w.update(func(tx *store.Tx) error {
			for i, name := range []string{"smoke", "lint", "smoke"} {
				if _, err := tx.Signals.Record(promotion.Signal{Repo: "acme/api", Kind: promotion.KindCheck, ID: int64(i + 1),
					SHA: "c1", App: "ci", Name: name, State: "success", Ended: start, Observed: start}); err != nil {
					return err
				}
			}
			return nil
		})
		w.view(func(tx *store.Tx) error {
			seen, err := tx.Signals.HeardOf("acme/api", promotion.KindCheck)
			w.Equal([]promotion.Signal{
				{Kind: promotion.KindCheck, App: "ci", Name: "lint"}, {Kind: promotion.KindCheck, App: "ci", Name: "smoke"},
			}, seen)
			w.NoError(err)
			none, err := tx.Signals.HeardOf("acme/api", promotion.KindStatus)
			w.Empty(none)
			return err
		})
	}},
	{"a doctor learns which messages fail in Slack", func(w *world) {
		w.view(func(tx *store.Tx) error {
			n, why, err := tx.Upkeep.FailingInSlack()
			w.Zero(n)
			w.Empty(why)
			w.NoError(err)
			hosting, err := tx.Deployments.Hosting(1)
			w.Empty(hosting)
			return err
		})
		w.EqualValues(1, w.store.Schema())
	}},
}
