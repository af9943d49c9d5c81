package torture

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/act"
	"waybill/internal/torture/invariant"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// World is one history: GitHub, the program and its database.
type World struct {
	plan     plan.Plan
	ledger   *ledger.Ledger
	schedule *Schedule
	machine  *Machine
	watch    *invariant.Watch
	random   *rand.Rand // of the current act
	cast     *act.Cast
	next     *neighbour

	installation int64 // of the App on the home repository, at first
}

// checked says which histories have each exchange with GitHub checked against GitHub's description: one of so many. The
// check takes longer than everything else.
const checked = 50

// newWorld starts a GitHub with the pipeline of the plan, and the program on a database in a folder.
func newWorld(p plan.Plan, s shared, verbose bool) (*World, error) {
	drawn, draws := shape.Draw(p.Seed)
	w := &World{plan: p, ledger: ledger.New(drawn, verbose), random: draws}
	github, err := githubsim.Start(githubsim.Options{
		Offline: true, Unchecked: p.Seed%checked != 0, Clock: time.Now, App: githubsim.App{PrivateKey: s.key},
		WebhookURL: act.PublicURL + "/api/github/hook", OAuth: signIn,
		Report: func(err error) { w.ledger.Log.Broken(ledger.GitHubIsAsked, "%v", err) },
	})
	if err != nil {
		return nil, err
	}
	w.machine = &Machine{ear: s.ear, base: s.ear.context(), requests: w}
	if w.machine.database, err = s.emptyDatabase(); err != nil {
		return nil, err
	}
	var chat *ledger.Chat
	if drawn.Chats {
		if chat, err = openChat(w.machine, w.ledger.Log); err != nil {
			return nil, err
		}
	}
	w.ledger.Know(github, chat)
	w.next = newNeighbour(drawn, github, w.ledger.Log)
	w.machine.next = w.next
	w.assemble()
	tokens := filepath.Join(s.Folder, "tokens")
	if err := errors.Join(w.build(), w.next.build(w.ledger.DB), w.cast.APIUser.GrantTokens(tokens)); err != nil {
		return nil, err
	}
	w.machine.server = w.settings(tokens)
	if err := errors.Join(w.machine.start(), w.ledger.DB.OpenRecords(w.machine.database)); err != nil {
		return nil, err
	}
	w.harden()
	err = w.protect()
	if drawn.Chats {
		err = errors.Join(err, w.link())
	}
	return w, err
}

// assemble connects the parts of a history.
func (w *World) assemble() {
	l, m := w.ledger, w.machine
	m.chat, m.checkout, m.clock, m.github, m.log, m.shape = l.Chat, l.Checkout, l.Clock, l.GitHub, l.Log, l.Shape
	w.watch = invariant.NewWatch(l)
	w.schedule = &Schedule{
		acked: l.Acked, chat: l.Chat, watch: w.watch, clock: l.Clock, db: l.DB, gaps: l.Gaps, github: l.GitHub, log: l.Log,
		machine: m, random: w.random,
	}
	w.cast = act.Gather(l, w.random, w.schedule)
	w.next.typed = w.cast.HoldInSlack
}

// close ends the history.
func (w *World) close() error {
	var errs []error
	if w.machine.program != nil {
		w.machine.kill()
		errs = append(errs, w.machine.program.close())
	}
	time.Sleep(time.Minute) // passes the deadlines of requests whose answers were never read
	if w.ledger.Chat != nil {
		errs = append(errs, w.ledger.Chat.Close())
	}
	return errors.Join(append(errs, w.ledger.DB.CloseRecords(), w.ledger.GitHub.Close())...)
}

// first runs before a worker stops at the first request of a step.
func (w *World) first(h *worker) {
	h.told = map[int64]string{}
	if strings.HasPrefix(h.name, "effects") {
		for _, n := range w.ledger.DB.Merging() {
			h.told[n] = w.cast.APIUser.WhyNotMerged(n)
		}
	}
}

// before runs just before GitHub answers a request of a worker.
func (w *World) before(h *worker, r *http.Request) {
	if w.next.is(r) {
		return
	}
	if ledger.IsMerge(r) {
		w.watch.BeforeMerge(h.sight, h.told, r)
		w.cast.Maintainer.Meddle(r)
	}
	w.watch.BeforeRequest(r)
}

// after checks the effects of a request.
func (w *World) after(h *worker, r *http.Request) {
	if !w.next.is(r) {
		w.watch.AfterRequest(h.sight, r)
	}
}
