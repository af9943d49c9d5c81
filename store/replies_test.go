package store_test

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/store"
)

func TestReplies(t *testing.T) { prove(t, replies) }

var replies = []test{
	{"the answer to a command is read on the surface of the command", func(w *world) {
		w.Empty(w.said("api:1"))
		w.reply(w.order("api:1"), promotion.Done, "it is held")
		w.Equal("it is held", w.said("api:1"))
		w.Empty(w.said("api:2"))
	}},
	{"refusals are found until they are forgotten, those on the same pull request and before a command", func(w *world) {
		w.reply(w.order("a"), promotion.Refused, "IC_1")
		w.reply(w.order("b"), promotion.Done, "IC_2")
		last := w.order("c")
		w.reply(w.order("d"), promotion.Refused, "IC_4")
		w.Equal([]string{"IC_1"}, w.outdated(last, false))
		w.update(func(tx *store.Tx) error { return tx.Requests.ForgetOutdatedBy(pipeline, last, false) })
		w.Empty(w.outdated(last, false))
		w.Equal("IC_4", w.said("d"))
	}},
	{"answers to questions are found by a later question in another comment, until they are forgotten", func(w *world) {
		w.reply(w.order("a"), promotion.Done, "IC_1")
		w.reply(w.order("a"), promotion.Refused, "IC_2")
		same, last := w.order("a"), w.order("b")
		w.Empty(w.outdated(same, true))
		w.Equal([]string{"IC_1"}, w.outdated(last, true))
		w.update(func(tx *store.Tx) error { return tx.Requests.ForgetOutdatedBy(pipeline, last, true) })
		w.Empty(w.outdated(last, true))
		w.Equal([]string{"IC_2"}, w.outdated(last, false))
	}},
	{"earlier commands with the same outcome are counted, the latest first, from a time on", func(w *world) {
		w.reply(w.order("a"), promotion.Refused, "")
		w.clock.advance(time.Hour)
		for _, surface := range []string{"b", "c"} {
			w.reply(w.order(surface), promotion.Refused, "")
		}
		w.reply(w.order("d"), promotion.Done, "")
		last := w.order("e")
		w.Equal([]string{"c", "b", "a"}, w.before(last, start))
		w.Equal([]string{"c", "b"}, w.before(last, start.Add(time.Minute)))
	}},
	{"who has taken a sign-off back has done so for what they wrote before, on the same pull request", func(w *world) {
		since := func(r promotion.Request) (is bool) {
			w.view(func(tx *store.Tx) (err error) {
				is, err = tx.Requests.TakenBackSince(r)
				return err
			})
			return is
		}
		first := w.order("a")
		w.False(since(first))
		w.clock.advance(time.Minute)
		back := first
		back.At, back.Command = w.clock.Now(), promotion.Command{Verb: promotion.CmdApprove, Stage: dev, Withdraw: true}
		w.ask(back)
		w.True(since(first))
		w.False(since(back), "nor for what they write now")
		for _, change := range []func(*promotion.Request){
			func(r *promotion.Request) { r.By.ID++ }, func(r *promotion.Request) { r.Pull++ },
			func(r *promotion.Request) { r.PullRepo = home },
		} {
			other := first
			change(&other)
			w.False(since(other))
		}
	}},
}

// order records a hold by ann, given on this surface.
func (w *world) order(surface string) promotion.Request {
	w.Helper()
	r := hold(dev)
	r.By, r.PullRepo, r.Pull, r.At = promotion.Actor{ID: 5, Login: "ann"}, "acme/api", 1, w.clock.Now()
	r.Surface, r.Command.Text = surface, surface
	r.ID = w.ask(r)
	return r
}

// reply answers a command, and the answer leaves a result.
func (w *world) reply(r promotion.Request, outcome promotion.Code, result string) {
	w.Helper()
	w.apply(dev, promotion.Decision{
		Answered: []promotion.Answer{{Request: r.ID}},
		Effects: []promotion.Effect{{
			Verb: promotion.Reply, Stage: dev, Outcome: string(outcome), Request: r.ID, Surface: r.Surface,
		}},
	})
	e := w.claim()
	w.update(func(tx *store.Tx) error { return tx.Outbox.FinishEffect(e, result) })
}

func (w *world) said(surface string) (text string) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		text, err = tx.Requests.Said(surface)
		return err
	})
	return text
}

func (w *world) outdated(by promotion.Request, question bool) (nodes []string) {
	w.Helper()
	w.view(func(tx *store.Tx) (err error) {
		nodes, err = tx.Requests.OutdatedBy(pipeline, by, question)
		return err
	})
	return nodes
}

// before returns the texts of the refused commands before a request.
func (w *world) before(r promotion.Request, since time.Time) (texts []string) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		all, err := tx.Requests.RepliedBefore(pipeline, r, string(promotion.Refused), since)
		for _, c := range all {
			texts = append(texts, c.Text)
		}
		return err
	})
	return texts
}
