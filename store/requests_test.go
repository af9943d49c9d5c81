package store_test

import (
	"context"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestRequests(t *testing.T) { prove(t, requests) }

var requests = []test{
	{"a command concerns the stage that it names, until it is answered", func(w *world) {
		r := promotion.Request{
			Command: promotion.Command{Verb: promotion.CmdHold, Stage: prod, Text: "wait", For: 90 * time.Second},
			By:      promotion.Actor{ID: 5, Login: "ann"}, Surface: "acme/api#1", PullRepo: "acme/api", Pull: 1, At: start,
			Permission: promotion.Maintain, Teams: []string{"sre"},
		}
		r.ID = w.ask(r)
		w.Equal([]string{prod}, w.undecided())
		w.Equal([]promotion.Request{r}, w.snapshot(prod).Requests)
		w.apply(prod, promotion.Decision{Answered: []promotion.Answer{{Request: r.ID}}})
		w.Empty(w.undecided())
		w.Empty(w.snapshot(prod).Requests)
		w.view(func(tx *store.Tx) error {
			_, answered, err := tx.Ledger.Request(pipeline, r.ID)
			w.Equal(start, answered)
			return err
		})
	}},
	{"commands are answered in the order in which they came", func(w *world) {
		first := w.ask(hold(prod))
		second := w.ask(hold(prod))
		w.Less(first, second)
		w.Equal(second, w.snapshot(prod).Requests[1].ID)
	}},
	{"what somebody has done is known for ever by what tells it from everything else (T20)", func(w *world) {
		for _, act := range []string{"comment/1 hold", "comment/1 unhold", "comment/2 hold"} {
			for _, want := range []bool{true, false} {
				var fresh bool
				w.update(func(tx *store.Tx) (err error) {
					fresh, err = tx.Ledger.Give(act)
					return err
				})
				w.Equal(want, fresh, act)
			}
		}
	}},
	{"what is asked of the whole pipeline is answered by its first stage and stops all (T31)", func(w *world) {
		w.ask(promotion.Request{Command: promotion.Command{Verb: promotion.CmdHold, All: true}, At: start})
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.Len(w.snapshot(dev).Requests, 1)
		w.Empty(w.snapshot(prod).Requests)
	}},
	{"a pipeline without stages answers nobody", func(w *world) {
		w.save(row(), nil)
		err := w.store.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Ledger.RecordRequest(pipeline, hold(dev))
			return err
		})
		w.ErrorIs(err, store.ErrUnknownStage)
	}},
	{"GitHub's answer to a verify is noted with the request", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		id := w.ask(promotion.Request{Command: promotion.Command{Verb: promotion.CmdVerify, Stage: dev}, At: start})
		w.settle()
		w.update(func(tx *store.Tx) error { return tx.Ledger.SaveObserved(pipeline, 1, id, tx.Now) })
		w.Equal(start, w.snapshot(dev).Requests[0].Observed)
		w.Equal([]string{dev}, w.undecided())
	}},
	{"the freight that a request names is in the snapshot, however old", func(w *world) {
		old := w.merge(1)
		w.host(dev, 1, old, "m1")
		w.leave(dev, 1)
		w.host(dev, 2, w.merge(2), "m2")
		for i := range 40 {
			w.pass(dev, promotion.Number(i+3), w.merge(i+3))
		}
		w.NotContains(names(w.snapshot(dev).Freight), "api#1")
		for _, r := range []promotion.Request{
			{Command: promotion.Command{Verb: promotion.CmdRollback, Stage: dev, Freight: "api#1"}},
			{Command: promotion.Command{Verb: promotion.CmdRollback, Stage: dev, Freight: "#1"}},
			{Command: promotion.Command{Verb: promotion.CmdRollback, Stage: dev, Freight: string(old.SHA)}},
			{Command: promotion.Command{Verb: promotion.CmdRollback, Stage: dev}, PullRepo: "acme/api", Pull: 1},
		} {
			r.At = start
			id := w.ask(r)
			s := w.snapshot(dev)
			w.Contains(names(s.Freight), "api#1", "%+v", r)
			w.Equal(promotion.Number(1), s.Deployments[0].Promotion, "its deployment is there as well")
			w.apply(dev, promotion.Decision{Answered: []promotion.Answer{{Request: id}}})
		}
	}},
}

// TestAPullRequestOfAPromotionCarriesItsFreight checks that the freight is found on which a command stands.
func TestAPullRequestOfAPromotionCarriesItsFreight(t *testing.T) {
	w := newWorld(t)
	f := w.merge(1)
	w.open(dev, 1, f, 70)
	for pull, want := range map[int]promotion.FreightID{70: f.ID, 71: "", 0: ""} {
		w.view(func(tx *store.Tx) error {
			carried, err := tx.Ledger.CarriedBy(pipeline, "acme/deploy", pull)
			w.Equal(want, carried, pull)
			return err
		})
	}
}

func hold(stage promotion.StageName) promotion.Request {
	return promotion.Request{
		Command: promotion.Command{Verb: promotion.CmdHold, Stage: stage}, At: start, Permission: promotion.Write,
	}
}

func (w *world) ask(r promotion.Request) (id int64) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		id, err = tx.Ledger.RecordRequest(pipeline, r)
		return err
	})
	return id
}

// pass deploys freight to a stage in place of the current freight.
func (w *world) pass(stage string, n promotion.Number, f promotion.Freight) {
	w.Helper()
	for _, s := range w.snapshot(stage).Deployments {
		if !s.Ended() {
			w.leave(stage, s.Promotion)
		}
	}
	w.clock.advance(time.Minute)
	w.host(stage, n, f, promotion.SHA("m"+n.String()))
}
