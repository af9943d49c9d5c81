package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing/synctest"
	"time"

	"waybill/handlers"
	"waybill/internal/githubsim"
	"waybill/internal/torture/act"
	"waybill/internal/torture/invariant"
	"waybill/internal/torture/ledger"
	"waybill/internal/wireless"
	"waybill/promotion"
)

// Schedule chooses the next step: a worker's, or the delivery of a webhook.
type Schedule struct {
	acked   map[string]time.Time
	chat    *ledger.Chat
	watch   *invariant.Watch
	clock   *ledger.Clock
	db      *ledger.Database
	gaps    *ledger.Gaps
	github  *githubsim.Server
	log     *ledger.Journal
	machine *Machine
	random  *rand.Rand

	hooks  act.Deliveries
	late   bool // webhooks that wait were late, and arrive together
	mortal bool // the second of two processes may die
	naps   int  // since the last step

	replayed int // counts the webhooks that were posted again, to name them
}

// events are the webhook events that the program stores. It acknowledges and drops the others.
var events = handlers.Events()

// choice is one possible step: a worker that goes on, or a webhook that arrives.
type choice struct {
	hand     *worker
	at       *stop // the request with which the worker goes on; nil: it begins a step
	delivery *githubsim.Delivery
}

// choices lists the possible steps.
func (s *Schedule) choices() []choice {
	var all []choice
	now := s.clock.Now()
	for _, h := range s.machine.program.workers {
		for _, at := range h.at {
			if !at.waits() {
				all = append(all, choice{hand: h, at: at})
			}
		}
		if !h.busy && (h.awake || len(h.wake) > 0 || !h.next.IsZero() && !h.next.After(now)) {
			all = append(all, choice{hand: h})
		}
	}
	waiting := s.github.Waiting()
	for s.hooks.Lose > 0 && len(waiting) > 0 {
		s.log.Note("    webhook is lost: %s %s", waiting[0].Event, waiting[0].Action)
		s.github.Lose(waiting[0].ID)
		s.gaps.Unheard = true
		s.gaps.Unasked = s.gaps.Unasked || waiting[0].Event == "deployment_protection_rule"
		s.hooks.Lose--
		waiting = waiting[1:]
	}
	if s.hooks.Late > 0 && len(all) > 0 {
		s.hooks.Late--
		s.late = true
		return all
	}
	if !s.hooks.Shuffled {
		waiting = waiting[:min(1, len(waiting))]
	}
	for i := range waiting {
		all = append(all, choice{delivery: &waiting[i]})
	}
	return all
}

// step runs one of the possible steps, chosen at random. It returns false if the program is at rest.
func (s *Schedule) step() bool {
	s.mourn()
	if s.mortal && s.machine.shape.Twofold() {
		s.otherDies()
	}
	all := s.choices()
	if len(all) == 0 {
		if s.naps == longestNap {
			if due := s.db.Overlooked(); len(due) > 0 {
				s.isolated(due)
			}
		}
		return s.nap()
	}
	s.log.Steps++
	s.naps = 0
	c := all[s.random.IntN(len(all))]
	switch {
	case c.delivery != nil && s.late:
		s.flood()
	case c.delivery != nil:
		s.post(c.delivery)
	case c.at != nil:
		if s.log.Verbose {
			s.log.Note("    %s: %s answered=%t expired=%t", c.hand.name, c.at.what, c.at.answered, c.at.expired())
		}
		c.hand.release(c.at)
	default:
		s.log.Note("    %s begins", c.hand.name)
		s.machine.begin(c.hand)
	}
	s.settle()
	return true
}

// settle waits until every worker stands still, and then checks the invariants.
func (s *Schedule) settle() {
	time.Sleep(time.Duration(1+s.random.IntN(20)) * time.Millisecond)
	synctest.Wait()
	if s.machine.program == nil {
		return // it could not be started, which has ended the history
	}
	s.machine.ended()
	if s.machine.program.ctx.Err() != nil {
		s.Restart(time.Duration(s.random.IntN(20)) * time.Second)
	}
	s.watch.AfterStep()
}

// nap lets time pass for workers that wait for something other than their turn. It returns false if no worker does.
func (s *Schedule) nap() bool {
	for _, h := range s.machine.program.workers {
		if h.busy && len(h.at) == 0 {
			time.Sleep(200 * time.Millisecond)
			s.settle()
			s.naps++
			return true
		}
	}
	return false
}

// longestNap is how long workers may wait for anything but a turn or an answer, in naps, while work is due that none of
// them has begun: ten seconds. Waybill itself pauses for up to seven between the tries of a merge.
const longestNap = 50

// isolated checks, while GitHub is slow to answer about the neighbour, that no other work waits for that. It is called
// when no worker can go on but those that wait for such an answer, after all have looked for work.
func (s *Schedule) isolated(due []string) {
	for _, h := range s.machine.program.workers {
		if at := h.waiting(); at != nil {
			s.log.Broken(ledger.IsIsolated, "while %s waits for %s, none begins %q", h.name, at.what, due)
			return
		}
	}
}

// post delivers one webhook.
func (s *Schedule) post(d *githubsim.Delivery) {
	answer := s.github.Post(d.ID, s.machine.handler())
	s.log.Note("    webhook %s %s (%s): %d", d.Event, d.Action, d.GUID, answer.StatusCode)
	s.machine.ear.hears(answer.ResponseBody)
	s.machine.taken(d.Event, answer.StatusCode, answer.StatusCode/100 == 2)
	if _, before := s.acked[d.GUID]; answer.StatusCode/100 == 2 && !before && slices.Contains(events, d.Event) {
		s.acked[d.GUID] = time.Now()
	}
	if s.hooks.Double > 0 {
		s.hooks.Double--
		s.github.Redeliver(1)
	}
}

// flood delivers all webhooks that wait.
func (s *Schedule) flood() {
	for _, d := range s.github.Waiting() {
		s.post(&d)
	}
	s.late, s.machine.looks, s.hooks.Deadly = false, max(s.machine.looks, s.hooks.Deadly), 0
}

// Replay posts an earlier webhook again, with its signature, under an id of its own.
func (s *Schedule) Replay(pick int) (what string) {
	all := slices.DeleteFunc(s.github.Deliveries(), func(d githubsim.Delivery) bool {
		return !slices.Contains([]string{"issue_comment", "pull_request_review"}, d.Event)
	})
	if len(all) == 0 {
		return ""
	}
	d := all[max(0, len(all)-1-pick%10)]
	s.replayed++
	d.GUID = fmt.Sprintf("replayed-%d", s.replayed)
	r, err := http.NewRequest(http.MethodPost, act.PublicURL+"/api/github/hook", bytes.NewReader(d.Payload))
	if err != nil {
		return err.Error()
	}
	r.Header = s.github.Header(&d)
	answer, err := wireless.Answer(s.machine.handler(), r)
	if err != nil {
		return err.Error()
	}
	s.machine.taken(d.Event, answer.StatusCode, answer.StatusCode/100 == 2)
	if answer.StatusCode/100 == 2 && slices.Contains(events, d.Event) {
		s.acked[d.GUID] = time.Now()
	}
	return fmt.Sprintf("%s %s: %d", d.Event, d.Action, answer.StatusCode)
}

// tooMany is the number of steps of a process after one act that counts as an endless loop; on GitHub's bad days, when
// much is tried again, twice as many do. Of two processes each looks for work whenever the other has done some.
const tooMany = 10_000

// Rest runs steps until the program has nothing left to do.
func (s *Schedule) Rest() {
	var overlooked []string // when all workers were woken last
	most := tooMany
	if s.machine.shape.Twofold() {
		most *= 2
	}
	if len(s.machine.shape.Days) > 0 {
		most *= 2
	}
	for range most {
		if s.log.Failure != nil {
			return
		}
		if s.step() {
			continue
		}
		due := s.db.Overlooked()
		if len(due) == 0 {
			s.watch.AtRest()
			return
		}
		if slices.Equal(due, overlooked) {
			s.isolated(due)
		}
		overlooked = due
		s.machine.wakeAll()
	}
	s.log.Broken(ledger.ComesToRest, "more than %d steps; due are %q", most, s.db.Overlooked())
}

// Some runs a number of steps.
func (s *Schedule) Some(steps int) {
	for range steps {
		if s.log.Failure != nil || !s.step() {
			return
		}
	}
}

// Pass lets time pass. It stops whenever something is due, and runs the program to rest.
func (s *Schedule) Pass(d time.Duration) {
	end := time.Now().Add(d)
	for s.log.Failure == nil {
		now := time.Now()
		if !now.Before(end) {
			return
		}
		next := end
		for _, h := range s.machine.program.workers {
			if t := s.dueAt(h); t.After(now) && t.Before(next) {
				next = t
			}
		}
		if deaths := s.machine.deaths; len(deaths) > 0 {
			next = promotion.Sooner(next, promotion.Later(now, deaths[0].Add(deadAfter)))
		}
		time.Sleep(next.Sub(now))
		synctest.Wait()
		s.mourn()
		for _, h := range s.machine.program.workers {
			for _, at := range slices.Clone(h.at) {
				if at.expired() {
					s.log.Note("    %s: no answer in time: %s", h.name, at.what)
					h.release(at)
					s.settle()
				}
			}
		}
		s.Rest()
	}
}

// mourn has the processes notice the deaths of others.
func (s *Schedule) mourn() {
	if err := s.machine.mourn(); err != nil && s.machine.program.ctx.Err() == nil {
		s.log.Broken(ledger.IsWrittenDown, "notice that a process has died: %v", err)
	}
}

// dueAt returns the time at which a worker goes on by itself; zero if it waits for a wake or an answer.
func (s *Schedule) dueAt(h *worker) time.Time {
	if len(h.at) > 0 {
		var due time.Time
		for _, at := range h.at {
			due = promotion.Sooner(due, at.due())
		}
		return due
	}
	if h.busy || h.next.IsZero() {
		return time.Time{}
	}
	return h.next.Add(-s.clock.Skew())
}

// Restart starts the program again, some time after it died. GitHub's webhooks that wait by then are lost.
func (s *Schedule) Restart(down time.Duration) { s.restart(down, func() error { return nil }) }

// restart is Restart, with some work while the program is dead.
func (s *Schedule) restart(down time.Duration, meanwhile func() error) {
	s.log.Note("  the process is dead for %s", down)
	s.machine.kill()
	if err := s.machine.program.close(); err != nil {
		s.log.Broken(ledger.DatabaseCanBeClosed, "%v", err)
	}
	if s.chat != nil {
		s.chat.Double += 2 // each worker may have posted a message that was not recorded
	}
	s.machine.program = nil
	half := s.random.IntN(2) == 0
	if half {
		s.Miss()
	}
	time.Sleep(down)
	if !half {
		s.Miss()
	}
	if err := errors.Join(meanwhile(), s.machine.start()); err != nil {
		s.log.Broken(ledger.Starts, "%v", err)
		return
	}
	s.watch.AtStart()
}

// otherDies kills the second of two processes, or starts it again, now and then. The first goes on.
func (s *Schedule) otherDies() {
	switch p := s.machine.program; {
	case p.second != nil && s.random.IntN(300) == 0:
		s.log.Note("  the second process dies")
		if err := s.machine.killOther(); err != nil {
			s.log.Broken(ledger.DatabaseCanBeClosed, "%v", err)
		}
		if s.chat != nil {
			s.chat.Double += 2
		}
	case p.second == nil && s.random.IntN(150) == 0:
		s.log.Note("  the second process starts again")
		if err := s.machine.startOther(); err != nil {
			s.log.Broken(ledger.Starts, "%v", err)
		}
	}
}

// Miss makes GitHub post its waiting webhooks while no process takes them.
func (s *Schedule) Miss() {
	for _, d := range s.github.Waiting() {
		s.github.Post(d.ID, nil)
	}
}

// Regain lets the program catch up after the App has its access again, and checks that no information is missing.
func (s *Schedule) Regain() {
	if s.mortal && s.machine.shape.Twofold() {
		s.mortal = false
		defer func() { s.mortal = true }()
		s.Pass(20 * time.Second) // until the first process takes up what a dead one had begun
	}
	s.Rest()
	s.Pass(61 * time.Second) // until the second resync, which sees what GitHub did not show to the first
	s.watch.AtReturn()
}

// DieAfter makes the process die at one of its next reads of the clock.
func (s *Schedule) DieAfter(looks int) { s.machine.looks = looks }

// Freeze lets time pass while the process stands still.
func (s *Schedule) Freeze(d time.Duration) {
	time.Sleep(d)
	s.machine.wakeAll()
}

// WakeAll makes every worker look for work.
func (s *Schedule) WakeAll() { s.machine.wakeAll() }

// Resync requests a resync.
func (s *Schedule) Resync() { s.machine.program.asked.awake = true }

// Deliveries returns the disturbances of webhooks on their way.
func (s *Schedule) Deliveries() *act.Deliveries { return &s.hooks }

// Context returns a context that ends when the process dies.
func (s *Schedule) Context() context.Context { return s.machine.program.ctx }

// API returns the handler of the API.
func (s *Schedule) API() http.Handler { return s.machine.program.service.Handler() }
