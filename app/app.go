package app

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
	"waybill/app/gh"
	"waybill/app/slack"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"

	"github.com/prometheus/client_golang/prometheus"
)

// App is a running Waybill.
type App struct {
	store      *store.Store
	hub        *gh.Hub
	clock      func() time.Time
	started    time.Time
	allowed    func(owner string) bool
	pipelines  *registry
	workers    Workers
	grace      time.Duration
	metrics    *metrics
	ready      health
	panicked   func(text string, stack []byte)
	forgetting forgetting
	decided    store.StageKey // the last one: it is the turn of the next
	slack      *slack.Client  // nil: there is no Slack
	publicURL  string         // where people reach us; empty: nobody said
	rights     *rights

	// One bell for each worker, rung by whoever leaves it something to do.
	arrived, undecided, due, shown, swept, overdue wake
}

// Options are what an App needs. Store, Hub and Clock must be given.
type Options struct {
	Store   *store.Store
	Hub     *gh.Hub
	Clock   func() time.Time
	Allowed func(owner string) bool // whose installations are served; nil: everybody's
	Policy  ServerPolicy            // outranks the policy files of the repositories
	Resync  time.Duration           // for pipelines that do not say
	Metrics *prometheus.Registry
	Slack   *slack.Client // nil: there is no Slack
	// PublicURL is where people reach the server, for the addresses that are told in Slack.
	PublicURL string
	Workers   Workers
	// Grace is how long what has been begun at GitHub may take to end once the App stops; 0: the usual time; negative: it
	// is left where it is, as if the process had been killed.
	Grace time.Duration
	// Panicked hears of panics that were contained, and where; may be nil.
	Panicked func(text string, stack []byte)
}

// ServerPolicy is the policy file of the server, if there is one.
type ServerPolicy struct {
	Name string // for messages
	Text []byte // nil: there is none
}

// New makes an App. Nothing happens before Run.
func New(o Options) *App {
	a := &App{
		store: o.Store, hub: o.Hub, clock: o.Clock, started: o.Clock(), allowed: o.Allowed,
		forgetting: forgetting{keep: store.Retention(config.ServerRetention(o.Policy.Name, o.Policy.Text))},
		pipelines:  newRegistry(o.Policy, o.Resync), workers: o.Workers.orUsual(), grace: cmp.Or(o.Grace, usualGrace), panicked: o.Panicked,
		slack: o.Slack, publicURL: o.PublicURL,
		arrived: newWake(), undecided: newWake(), due: newWake(), shown: newWake(), swept: newWake(), overdue: newWake(),
	}
	a.rights = newRights(o.Hub, o.Clock, a.pipelines.compiled)
	if a.allowed == nil {
		a.allowed = func(string) bool { return true }
	}
	if a.panicked == nil {
		a.panicked = func(string, []byte) {}
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	a.metrics = newMetrics(o.Metrics)
	return a
}

// usualGrace is half of the ten seconds that a process is given before it is killed.
const usualGrace = 5 * time.Second

// Run works until the context ends. It first takes up what the database knows; its workers do the rest. At the end
// nothing new is begun. What is being done at GitHub may still end and be recorded, for as long as the grace lasts;
// what does not is left to be looked up after the next start.
func (a *App) Run(ctx context.Context) error {
	if err := a.TakeUp(ctx); err != nil {
		return err
	}
	var working sync.WaitGroup
	for _, w := range a.Workers() {
		if !w.writes {
			working.Go(func() { w.work(ctx, ctx, a.clock) })
			continue
		}
		working.Go(func() {
			lasting, cancel := lasting(ctx, a.grace)
			defer cancel()
			w.work(ctx, lasting, a.clock)
		})
	}
	<-ctx.Done()
	working.Wait()
	return nil
}

// TakeUp takes up what the database knows. Nobody works before.
func (a *App) TakeUp(ctx context.Context) error {
	if err := a.checkTrail(ctx); err != nil {
		return err
	}
	return a.recall(ctx)
}

// Workers are all who work, each at its own pace. Run lets them work side by side; whoever else wants to lets them do
// one step at a time. Those of the same name share a bell, and one call.
func (a *App) Workers() []Worker {
	workers := []Worker{
		{Name: "decide", Step: a.decideNext, wake: a.undecided},
		{Name: "sweep", Step: a.sweepNext, wake: a.swept},
		{Name: "discovery", Step: a.discoverNext},
		{Name: "audit", Step: a.auditNext},
		{Name: "greet", Step: a.greet},
		{Name: "forget", Step: a.forgetNext},
	}
	for _, several := range []struct {
		n int
		w Worker
	}{
		{a.workers.Intake, Worker{Name: "intake", Step: a.takeIn, wake: a.arrived}},
		{a.workers.Views, Worker{Name: "views", Step: a.showNext, wake: a.shown, writes: true}},
		{a.workers.Resyncs, Worker{Name: "resync", Step: a.resyncNext, wake: a.overdue}},
		{a.workers.Effects, Worker{Name: "effects", Step: a.carryOutNext, wake: a.due, writes: true}},
	} {
		workers = append(workers, slices.Repeat([]Worker{several.w}, several.n)...)
	}
	for i := range workers {
		workers[i].Step = a.safely(workers[i].Step)
	}
	return workers
}

// Poke makes every worker look for something to do, as after a clock has been set.
func (a *App) Poke() {
	for _, b := range []wake{a.arrived, a.undecided, a.due, a.shown, a.swept, a.overdue} {
		b.notify()
	}
}

// client returns what speaks to GitHub for one repository that a pipeline lives in or names, and for no other.
func (a *App) client(repo promotion.Repo) (*gh.Client, error) { return a.hub.Client(repo) }
