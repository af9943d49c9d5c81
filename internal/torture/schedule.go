package torture

import (
	"slices"
	"testing/synctest"
	"time"

	"waybill/handlers"
	"waybill/internal/githubsim"
)

// events are those that the program keeps; the others are acknowledged and forgotten.
var events = handlers.Events()

// choice is one thing that can go on: a hand, or a webhook that arrives.
type choice struct {
	hand     *worker
	delivery *githubsim.Delivery
}

// choices lists what can go on.
func (w *World) choices() []choice {
	var all []choice
	now := w.programNow()
	for _, h := range w.program.workers {
		switch {
		case h.at != nil:
			all = append(all, choice{hand: h})
		case !h.busy && (h.awake || len(h.wake) > 0 || !h.next.IsZero() && !h.next.After(now)):
			all = append(all, choice{hand: h})
		}
	}
	waiting := w.github.Waiting()
	for w.hooks.lose > 0 && len(waiting) > 0 {
		w.note("    webhook is lost: %s %s", waiting[0].Event, waiting[0].Action)
		w.github.Lose(waiting[0].ID)
		w.unasked = w.unasked || waiting[0].Event == "deployment_protection_rule"
		w.hooks.lose--
		waiting = waiting[1:]
	}
	if w.hooks.late > 0 && len(all) > 0 {
		w.hooks.late--
		return all
	}
	if !w.hooks.shuffled {
		waiting = waiting[:min(1, len(waiting))]
	}
	for i := range waiting {
		all = append(all, choice{delivery: &waiting[i]})
	}
	return all
}

// step has one thing go on, chosen at random. It returns false if everything is at rest.
func (w *World) step() bool {
	all := w.choices()
	if len(all) == 0 {
		return w.nap()
	}
	w.steps++
	c := all[w.random.IntN(len(all))]
	switch {
	case c.delivery != nil:
		w.post(c.delivery)
	case c.hand.at != nil:
		if w.verbose {
			w.note("    %s: %s answered=%t expired=%t", c.hand.name, c.hand.at.what, c.hand.at.answered, c.hand.at.expired())
		}
		c.hand.release()
	default:
		w.note("    %s begins", c.hand.name)
		w.begin(c.hand)
	}
	w.settle()
	return true
}

// settle waits until every hand stands still, and looks at what has become.
func (w *World) settle() {
	time.Sleep(time.Duration(1+w.random.IntN(20)) * time.Millisecond)
	synctest.Wait()
	w.ended()
	if w.program.ctx.Err() != nil {
		w.restart(time.Duration(w.random.IntN(20)) * time.Second)
	}
	w.check()
}

// nap lets time pass for hands that wait for something other than their turn. It returns false if there are none.
func (w *World) nap() bool {
	for _, h := range w.program.workers {
		if h.busy {
			time.Sleep(200 * time.Millisecond)
			w.settle()
			return true
		}
	}
	return false
}

// post delivers one webhook.
func (w *World) post(d *githubsim.Delivery) {
	answer := w.github.Post(d.ID, w.handler())
	w.note("    webhook %s %s (%s): %d", d.Event, d.Action, d.GUID, answer.StatusCode)
	w.ear.hears(answer.ResponseBody)
	if _, before := w.acked[d.GUID]; answer.StatusCode/100 == 2 && !before && slices.Contains(events, d.Event) {
		w.acked[d.GUID] = time.Now()
	}
	if w.hooks.double > 0 {
		w.hooks.double--
		w.github.Redeliver(1)
	}
}

// tooMany is how many steps may follow one act before it is taken for a loop.
const tooMany = 3000

// rest lets everything go on until nothing is left to do.
func (w *World) rest() {
	for range tooMany {
		if w.failure != nil {
			return
		}
		if w.step() {
			continue
		}
		if len(w.overlooked()) == 0 {
			w.checkRest()
			return
		}
		w.wakeAll()
	}
	w.broken("it comes to rest", "more than %d steps; due are %q", tooMany, w.overlooked())
}

// some lets a number of things go on.
func (w *World) some(steps int) {
	for range steps {
		if w.failure != nil || !w.step() {
			return
		}
	}
}

// pass lets time pass. It stops whenever something is due, and lets that come to rest.
func (w *World) pass(d time.Duration) {
	end := time.Now().Add(d)
	for w.failure == nil {
		now := time.Now()
		if !now.Before(end) {
			return
		}
		next := end
		for _, h := range w.program.workers {
			if t := w.dueAt(h); t.After(now) && t.Before(next) {
				next = t
			}
		}
		time.Sleep(next.Sub(now))
		synctest.Wait()
		for _, h := range w.program.workers {
			if h.at != nil && h.at.expired() {
				w.note("    %s: no answer in time: %s", h.name, h.at.what)
				h.release()
				w.settle()
			}
		}
		w.rest()
	}
}

// dueAt is when something becomes of a hand by itself.
func (w *World) dueAt(h *worker) time.Time {
	if h.at != nil {
		deadline, _ := h.at.request.Context().Deadline()
		return deadline
	}
	if h.busy || h.next.IsZero() {
		return time.Time{}
	}
	return h.next.Add(-w.skew)
}

// restart starts the program again, some time after it died. Whatever webhooks GitHub has sent until then were in vain.
func (w *World) restart(down time.Duration) {
	w.note("  the process is dead for %s", down)
	w.kill()
	if err := w.program.close(); err != nil {
		w.broken("the database can be closed", "%v", err)
	}
	if w.chat != nil {
		w.chat.double += 2 // each hand may have posted something that was not written down
	}
	w.program = nil
	half := w.random.IntN(2) == 0
	if half {
		w.inVain()
	}
	time.Sleep(down)
	if !half {
		w.inVain()
	}
	if err := w.start(); err != nil {
		w.broken("the program starts", "%v", err)
		return
	}
	w.checkAcknowledged()
}

// inVain has GitHub post its webhooks to nobody.
func (w *World) inVain() {
	for _, d := range w.github.Waiting() {
		w.github.Post(d.ID, nil)
	}
}

// regain lets the program find out what it could not look at. It must know all of it then.
func (w *World) regain() {
	w.rest()
	w.wakeAll() // to a resync, of which nobody rings
	w.rest()
	w.checkFreight(true)
}
