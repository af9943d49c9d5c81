package store_test

import (
	"context"
	"errors"
	"fmt"
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
			_, answered, err := tx.Requests.ByID(pipeline, r.ID)
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
					fresh, err = tx.Requests.Give(act)
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
	{"a command to several stages is answered once, when all have, and refused if one refuses", func(w *world) {
		var all []promotion.Request
		for _, stage := range []promotion.StageName{dev, "gate", prod} {
			r := hold(stage)
			r.Command.Stages, r.Surface = "*", "slack:C1"
			all = append(all, r)
		}
		first := w.askAll(all)
		w.Equal([]string{dev, "gate", prod}, w.undecided())
		w.Equal(first, w.snapshot(prod).Requests[0].Together)
		replied := func() (outcome string) {
			if e := w.claim(); e != nil {
				w.Equal(promotion.EffectKey(fmt.Sprintf("reply/%d", first)), e.Key())
				w.Equal("slack:C1", e.Surface)
				outcome = e.Outcome
			}
			return outcome
		}
		answer := func(stage string, a promotion.Answer) {
			a.Request = w.snapshot(stage).Requests[0].ID
			w.apply(stage, promotion.Decision{Answered: []promotion.Answer{a}})
		}
		answer(prod, promotion.Answer{Outcome: promotion.Refused, Reason: promotion.Because(promotion.Forbidden, "write")})
		w.Empty(replied())
		answer(dev, promotion.Answer{Outcome: promotion.Done, About: 7})
		w.Empty(replied(), "one has not answered")
		w.clock.advance(time.Hour)
		w.prune(w.clock.Now())
		answer("gate", promotion.Answer{Outcome: promotion.Already})
		w.Equal("refused", replied())
		w.view(func(tx *store.Tx) error {
			all, err := tx.Requests.Together(pipeline, first)
			w.Len(all, 3, "what is to be told is kept")
			w.Equal(promotion.Number(7), all[0].About)
			w.Equal(promotion.Because(promotion.Forbidden, "write"), all[2].Reason)
			w.Equal(promotion.StageName(prod), all[2].Command.Stage)
			none, err2 := tx.Requests.Together(pipeline, 0)
			w.Empty(none)
			return errors.Join(err, err2)
		})
	}},
	{"a pipeline without stages answers nobody", func(w *world) {
		w.save(row(), nil)
		err := w.store.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Requests.Record(pipeline, hold(dev))
			return err
		})
		w.ErrorIs(err, store.ErrUnknownStage)
	}},
	{"GitHub's answer to a verify is noted with the request", func(w *world) {
		w.host(dev, 1, w.merge(1), "m1")
		id := w.ask(promotion.Request{Command: promotion.Command{Verb: promotion.CmdVerify, Stage: dev}, At: start})
		w.settle()
		w.update(func(tx *store.Tx) error { return tx.Attempts.SaveObserved(pipeline, 1, id, tx.Now) })
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
			carried, err := tx.Attempts.CarriedBy(pipeline, "acme/deploy", pull)
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

// askAll records the requests of one command to several stages.
func (w *world) askAll(all []promotion.Request) (first int64) {
	w.update(func(tx *store.Tx) (err error) {
		first, err = tx.Requests.RecordAll(pipeline, all)
		return err
	})
	return first
}

func (w *world) ask(r promotion.Request) (id int64) {
	w.Helper()
	w.update(func(tx *store.Tx) (err error) {
		id, err = tx.Requests.Record(pipeline, r)
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
