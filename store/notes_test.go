package store_test

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestNotes(t *testing.T) { prove(t, notes) }

// cargo returns the names of the freight between a stage's and another, newest first, and how many there are.
func (w *world) cargo(n promotion.Number, to promotion.Freight) (from string, names []string, count int) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		c, err := tx.Freight.Cargoes(key(dev), n, to, []promotion.WarehouseName{"web"})
		if c.From != nil {
			from = c.From.Name
		}
		w.Equal(to, c.To)
		for i := range c.Newer {
			names = append(names, c.Newer[i].Name)
		}
		count = c.Count
		return err
	})
	return from, names, count
}

var notes = []test{
	{"what comes with freight is all that is newer than what the stage has", func(w *world) {
		var all []promotion.Freight
		for i := range 30 {
			all = append(all, w.merge(i+1))
		}
		from, names, count := w.cargo(0, all[1])
		w.Empty(from)
		w.Equal([]string{"api#2"}, names, "as long as it has nothing, only the freight itself is known to come")
		w.Equal(1, count)
		w.host(dev, 1, all[1], "m1")
		from, names, count = w.cargo(2, all[3])
		w.Equal("api#2", from)
		w.Equal([]string{"api#4", "api#3"}, names)
		w.Equal(2, count)
		from, names, count = w.cargo(2, all[29])
		w.Equal("api#2", from)
		w.Len(names, promotion.MostCargo)
		w.Equal("api#30", names[0])
		w.Equal(28, count)
		from, names, count = w.cargo(2, all[0])
		w.Equal("api#2", from)
		w.Equal([]string{"api#2"}, names, "what a step back takes away")
		w.Equal(1, count)
	}},
	{"freight of other warehouses of the branch rides along, but not what is freight of the own one, too", func(w *world) {
		one, _, three := w.merge(1), w.merge(2), w.merge(3)
		w.host(dev, 1, one, "m1")
		web := &promotion.Warehouse{Name: "web", Repo: "acme/api", Branch: "main"}
		for n, minute := range map[int]time.Duration{1: 1, 2: 2, 4: 3, 5: 2, 6: 9} {
			w.update(func(tx *store.Tx) error {
				f := promotion.NewFreight(web, n, promotion.SHA(fmt.Sprintf("c%07d", n)), start.Add(minute*time.Minute))
				_, err := tx.Freight.Record(pipeline, f)
				return err
			})
		}
		w.view(func(tx *store.Tx) error {
			c, err := tx.Freight.Cargoes(key(dev), 2, three, []promotion.WarehouseName{"web", "unknown"})
			var names []string
			for i := range c.Beside {
				names = append(names, c.Beside[i].Name)
			}
			w.Equal([]string{"web#5"}, names, "4 came after 3 in the same second, 6 later")
			return err
		})
	}},
	{"once a promotion is merged the stage had what it has replaced", func(w *world) {
		one, two := w.merge(1), w.merge(2)
		w.host(dev, 1, one, "m1")
		w.clock.advance(time.Minute)
		p := w.read(1)
		p.State, p.Ended = promotion.Succeeded, w.clock.Now()
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}, Deployments: []promotion.Deployment{{
			Promotion: 1, Stage: dev, Warehouse: "api", Freight: one.ID, Entered: w.clock.Now().Add(-time.Minute),
			Left: w.clock.Now(), Commit: "m1", Results: onePart("m1", w.clock.Now()),
		}}})
		w.host(dev, 2, two, "m2")
		from, names, _ := w.cargo(2, two)
		w.Equal("api#1", from)
		w.Equal([]string{"api#2"}, names)
		from, _, _ = w.cargo(3, one)
		w.Equal("api#2", from)
	}},
	{"the notes of a plan and the words of who asked are kept", func(w *world) {
		p := w.queued(dev, 1, w.merge(1))
		p.Words = "release day"
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		plan := promotion.Plan{Round: 1, Base: "b1", At: start, Notes: &promotion.Notes{
			Web: "https://x", To: promotion.Landmark{Name: "api#1"}, Edits: []promotion.Edit{{Place: "a b", Is: "1"}},
			Earned: []promotion.Earned{{Stage: "qa", Verdict: promotion.Passed, Since: start}},
			Cause:  new(promotion.Because(promotion.FailedCheck, "e2e")),
		}}
		w.update(func(tx *store.Tx) error { return tx.Plans.Save(pipeline, 1, plan, nil) })
		w.Equal("release day", w.read(1).Words)
		s := w.snapshot(dev)
		w.Equal(plan.Notes, s.Attempts[0].Notes())
		p = w.read(1)
		p.Words = "another day"
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{p}})
		w.Equal("another day", w.read(1).Words)
	}},
	{"what a head of others has is kept, of the step that it is about", func(w *world) {
		w.apply(dev, promotion.Decision{Promotions: []promotion.Promotion{w.queued(dev, 1, w.merge(1))}})
		w.settle()
		has := promotion.Comparison{Head: "x", Foreign: []string{"dev.yaml"}}
		for _, step := range []int{0, 1} {
			w.update(func(tx *store.Tx) error {
				seen := promotion.Comparison{Head: has.Head, Foreign: has.Foreign[step:]}
				return tx.Plans.SaveComparison(pipeline, 1, step, seen)
			})
		}
		w.Equal(has, w.snapshot(dev).Attempts[0].Compared)
		w.Equal([]string{dev}, w.undecided())
	}},
	{"a view that shows already what it should is not shown again", func(w *world) {
		view := store.View{Surface: "body:acme/api#1", Pipeline: pipeline, Kind: "body", Wanted: "a", Node: "PR_1"}
		for range 2 {
			w.update(func(tx *store.Tx) error { return tx.Views.NoteView(view) })
			w.Nil(w.claimView())
		}
		want := func(text string) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Views.WantView(store.View{Surface: view.Surface, Pipeline: pipeline, Kind: "body", Wanted: text})
				return err
			})
		}
		want("a")
		w.Nil(w.claimView())
		want("b")
		w.update(func(tx *store.Tx) error { return tx.Views.NoteView(view) })
		v := w.claimView()
		w.Equal("b PR_1", v.Wanted+" "+v.Node)
	}},
}
