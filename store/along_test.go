package store_test

import (
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestWhatComesAlong(t *testing.T) { prove(t, alongs) }

// hosts has a stage host freight of a promotion that has ended.
func (w *world) hosts(stage string, n promotion.Number, f promotion.Freight) {
	w.Helper()
	w.host(stage, n, f, "m1")
	p := w.read(n)
	p.State, p.Ended = promotion.Succeeded, w.clock.Now()
	w.apply(stage, promotion.Decision{Promotions: []promotion.Promotion{p}})
}

var alongs = []test{
	{"what comes along with the open promotion is there where people sign off (T15)", func(w *world) {
		p := samplePipeline()
		p.Stages[0].Policy.Approvals = 1
		s := func() []string { return names(w.snapshotOf(p, dev).Freight) }
		w.hosts(dev, 1, w.merge(1))
		w.merge(2)
		w.merge(3)
		w.open(dev, 2, w.merge(4), 11)
		w.Equal([]string{"api#1", "api#2", "api#3", "api#4"}, s())
		w.Equal([]string{"api#1", "api#4"}, names(w.snapshot(dev).Freight), "nobody signs off")
	}},
	{"what comes along with what a request means is there, and with what is newer than all promotions", func(w *world) {
		p := samplePipeline()
		p.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdPromote: {{Not: []string{"author"}}}}
		w.hosts(dev, 1, w.merge(1))
		two := w.merge(2)
		w.merge(3)
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 2, w.merge(4))}})
		ended := w.read(2)
		ended.State, ended.Ended = promotion.Cancelled, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{ended}})
		five := w.merge(5)
		of := func(about ...promotion.FreightID) (got []string) {
			w.view(func(tx *store.Tx) error {
				s, err := tx.Ledger.Snapshot(p, key(dev), about...)
				got = names(s.Freight)
				return err
			})
			return got
		}
		all := []string{"api#1", "api#2", "api#3", "api#4", "api#5"}
		w.Equal([]string{"api#1", "api#4", "api#5"}, of(), "nobody asks")
		w.Equal(all, of(two.ID))
		w.Equal(all, of(five.ID))
	}},
	{"one piece more than may come along tells that there is more", func(w *world) {
		p := samplePipeline()
		p.Stages[0].Policy.Approvals = 1
		w.hosts(dev, 1, w.merge(1))
		w.update(func(tx *store.Tx) error {
			for n := 2; n <= promotion.MostAlong+3; n++ {
				if _, err := tx.Freight.Record(pipeline, freightNo(n)); err != nil {
					return err
				}
			}
			return nil
		})
		w.open(dev, 2, w.merge(promotion.MostAlong+4), 11)
		s := w.snapshotOf(p, dev)
		_, more := s.Brings(&s.Freight[len(s.Freight)-1])
		w.True(more)
	}},
}
