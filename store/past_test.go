package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"
	"waybill/store"
)

func TestThePastOfAWarehouse(t *testing.T) { prove(t, pasts) }

var pasts = []test{
	{"what a rollback goes back to is there, however much of another warehouse came since", func(w *world) {
		w.takesWeb()
		w.bring(1, w.merge(1))
		for n := promotion.Number(2); n < 23; n++ {
			w.bring(n, w.mergeWeb(int(n)))
		}
		w.bring(23, w.merge(2))
		s := w.snapshot(dev)
		i, why := command.RollbackTo(s, promotion.Request{}, s.Hosted("api"))
		w.Zero(why)
		w.Equal("api#1", s.Freight[i].Name)

		p := w.queued(dev, 24, s.Freight[i])
		p.Class, p.Automatic, p.Pins = promotion.Rollback, false, true
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		s = w.snapshot(dev)
		w.True(gate.KeeperOf(s, w.clock.Now()).Waived(&p), "it goes back by one step")
	}},
	{"what a rollback goes back to is there, however often other freight came to single targets", func(w *world) {
		w.bring(1, w.merge(1))
		two := w.merge(2)
		for n := promotion.Number(2); n < 24; n++ {
			w.bring(n, two)
		}
		s := w.snapshot(dev)
		i, why := command.RollbackTo(s, promotion.Request{}, s.Hosted("api"))
		w.Zero(why)
		w.Equal("api#1", s.Freight[i].Name)
		w.Len(s.Deployments, 21, "of the past no more than that")
	}},
	{"the latest verdict on what a rollback may go back to is there", func(w *world) {
		w.takesWeb()
		w.bring(1, w.merge(1))
		w.bring(2, w.merge(2))
		w.bring(3, freightNo(1))
		for n := promotion.Number(4); n < 24; n++ {
			w.bring(n, w.mergeWeb(int(n)))
		}
		w.unjudged(3)
		w.bring(24, freightNo(2))
		s := w.snapshot(dev)
		w.Len(s.DeploymentsOf(freightNo(1).ID), 2)
		w.True(s.VerifiedHere(freightNo(1).ID), "the third promotion has said nothing")
	}},
	{"what took freight back is there, however much came since", func(w *world) {
		w.takesWeb()
		w.bring(1, w.merge(1))
		w.bring(2, w.merge(2))
		w.goesBack(3, freightNo(1))
		w.bring(4, w.merge(3))
		for n := promotion.Number(5); n < 27; n++ {
			w.bring(n, w.mergeWeb(int(n)))
		}
		s := w.snapshot(dev)
		w.True(s.TakenBack(&s.Freight[s.FreightAt(freightNo(2).ID)]))
	}},
	{"what failed of freight that a command names is there, however much came since", func(w *world) {
		w.takesWeb()
		p := w.queued(dev, 1, w.merge(1))
		p.State, p.Ended = promotion.Failed, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		for n := promotion.Number(2); n < 24; n++ {
			w.bring(n, w.mergeWeb(int(n)))
		}
		w.update(func(tx *store.Tx) error {
			_, err := tx.Requests.Record(pipeline, promotion.Request{
				ID: 1, Command: promotion.Command{Verb: promotion.CmdRetry, Stage: dev, Freight: "api#1"}, At: tx.Now,
			})
			return err
		})
		s := w.snapshot(dev)
		retried := command.ToRetry(s, s.Requests[0])
		w.NotNil(retried)
		w.Equal(promotion.Number(1), retried.Number)
		w.Equal(promotion.Number(1), s.Promotions[0].Number, "in the order of the queue")
	}},
	{"what waits goes where the files of the stage are, with a plan that is made anew", func(w *world) {
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, w.merge(1))}})
		w.update(func(tx *store.Tx) error {
			return tx.Plans.Save(pipeline, 1, promotion.Plan{Round: 1, Base: "b1", At: tx.Now, Asks: "x"}, nil)
		})
		live := promotion.Branch{Repo: home, Name: "live"}
		w.pipeline.Stage(dev).Files = live
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.read(1)}})
		a := w.snapshot(dev).Attempt(1)
		w.Equal(live, a.Files)
		w.True(a.Replaced(w.pipeline.Stage(dev)))
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.read(1)}})
		w.Equal(1, w.snapshot(dev).Attempt(1).Plan.Round, "the round stays")
	}},
	{"what was to bring hosted freight to further targets is there, however much came since", func(w *world) {
		w.takesWeb()
		w.bring(1, w.merge(1))
		p := w.queued(dev, 2, freightNo(1))
		p.Automatic, p.State, p.Ended, p.Cause = false, promotion.Declined, w.clock.Now(), 1
		p.Only = []promotion.TargetName{"eu-7"}
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		for n := promotion.Number(3); n < 25; n++ {
			w.bring(n, w.mergeWeb(int(n)))
		}
		s := w.snapshot(dev)
		w.NotNil(s.Promotion(2))
		w.Equal(promotion.Declined, s.Promotion(2).State)
	}},
}

// takesWeb lets dev take from a second warehouse.
func (w *world) takesWeb() {
	w.pipeline.Warehouses = append(w.pipeline.Warehouses,
		&promotion.Warehouse{Name: "web", Kind: promotion.FromPulls, Repo: "acme/web", Branch: "main"})
	s := w.pipeline.Stage(dev)
	s.From = append(s.From, promotion.Source{Warehouse: "web"})
	w.update(func(tx *store.Tx) error { return tx.Pipelines.Save(row(), w.pipeline) })
	w.settle()
}

// mergeWeb records pull request n of the second warehouse as merged n minutes after start.
func (w *world) mergeWeb(n int) promotion.Freight {
	f := promotion.NewFreight(w.pipeline.Warehouse("web"), n, promotion.SHA("d"+promotion.Number(n).String()),
		start.Add(time.Duration(n)*time.Minute))
	w.update(func(tx *store.Tx) error {
		_, err := tx.Freight.Record(pipeline, f)
		return err
	})
	return f
}

// bring has a promotion bring freight to dev, which verifies it, in place of that of the same warehouse.
func (w *world) bring(n promotion.Number, f promotion.Freight) { w.come(w.queued(dev, n, f), f) }

// goesBack has a rollback bring freight to dev.
func (w *world) goesBack(n promotion.Number, f promotion.Freight) {
	p := w.queued(dev, n, f)
	p.Class, p.Pins = promotion.Rollback, true
	w.come(p, f)
}

func (w *world) come(p promotion.Promotion, f promotion.Freight) {
	w.Helper()
	w.clock.advance(time.Minute)
	now := w.clock.Now()
	commit := promotion.SHA("m" + p.Number.String())
	p.Automatic, p.Rollout, p.Started, p.Merged, p.MergeSHA = false, oneStep(), now, now, commit
	p.State, p.Ended = promotion.Succeeded, now
	came := promotion.Deployment{Promotion: p.Number, Stage: dev, Warehouse: f.Warehouse, Freight: f.ID, Entered: now,
		Since: now, Commit: commit, Results: onePart(commit, now), Verdict: promotion.Passed, Judged: now}
	decision := promotion.Decision{Promotions: []promotion.Promotion{p}}
	s := w.snapshot(dev)
	if i := s.Hosted(f.Warehouse); i >= 0 {
		left := s.Deployments[i]
		left.Left = now
		decision.Deployments = append(decision.Deployments, left)
	}
	decision.Deployments = append(decision.Deployments, came)
	w.NoError(w.store.Update(w.Context(), func(tx *store.Tx) error {
		b, err := tx.Ledger.Basis(w.pipeline, key(dev))
		if err != nil {
			return err
		}
		return tx.Ledger.Apply(b, decision)
	}))
}

// unjudged takes the verdict of a deployment away.
func (w *world) unjudged(n promotion.Number) {
	w.Helper()
	s := w.snapshot(dev)
	d := s.Deployments[s.DeploymentOf(n)]
	d.Verdict, d.Judged = promotion.Pending, time.Time{}
	w.apply(dev, promotion.Decision{Deployments: []promotion.Deployment{d}})
}
