package app

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"waybill/app/act"
	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/intake"
	"waybill/app/learn"
	"waybill/app/loop"
	"waybill/app/pipelines"
	"waybill/app/resync"
	"waybill/app/show"
	"waybill/app/show/inapi"
	"waybill/app/show/inslack"
	"waybill/app/show/ongithub"
	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"

	"github.com/prometheus/client_golang/prometheus"
)

// App is a running Waybill.
type App struct {
	*env.Env
	learn    *learn.Learn
	intake   *intake.Intake
	act      *act.Executor
	resyncer *resync.Resyncer
	show     *show.Shower
	inslack  *inslack.Surface
	inapi    *inapi.Surface
	loop     *loop.Loop
	grace    time.Duration
	inbox    intake.Inbox
}

// Workers says how many workers there are of each kind.
type Workers = work.Workers

// Options are what an App needs. Store, Hub and Clock must be given.
type Options struct {
	Store   *store.Store
	Hub     *gh.Hub
	Clock   func() time.Time
	Allowed func(owner string) bool // whose installations are served; nil: everybody's
	Policy  pipelines.ServerPolicy  // outranks the policy files of the repositories
	Resync  time.Duration           // for pipelines that do not say
	Metrics *prometheus.Registry
	Slack   *slack.Client // nil: there is no Slack
	// PublicURL is where people reach the server, for the addresses that are told in Slack.
	PublicURL string
	Workers   work.Workers
	// Grace is how long what has been begun at GitHub may take to end once the App stops; 0: the usual time; negative: it
	// is left where it is, as if the process had been killed.
	Grace time.Duration
	// Panicked hears of panics that were contained, and where; may be nil.
	Panicked func(text string, stack []byte)
}

// New makes an App. Nothing happens before Run.
func New(o Options) *App {
	if o.Allowed == nil {
		o.Allowed = func(string) bool { return true }
	}
	if o.Panicked == nil {
		o.Panicked = func(string, []byte) {}
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	e := env.New(env.Options{
		Store: o.Store, Hub: o.Hub, Clock: o.Clock, Allowed: o.Allowed, Workers: o.Workers, Policy: o.Policy,
		Resync: o.Resync, Metrics: o.Metrics, Panicked: o.Panicked,
	})
	keep := store.Retention(config.ServerRetention(o.Policy.Name, o.Policy.Text))
	a := &App{
		Env: e, learn: learn.New(e), grace: cmp.Or(o.Grace, usualGrace), inbox: intake.NewInbox(o.Store, e.Arrived),
	}
	a.resyncer = resync.New(e, a.learn)
	a.inslack = inslack.New(e, a.inbox, o.Slack, o.PublicURL)
	a.inapi = inapi.New(e, a.inbox, a.resyncer.Pipeline, a.learn.Reports)
	surfaces := surface.Surfaces{ongithub.New(e, keep.Facts), a.inslack, a.inapi}
	a.act = act.New(e, a.learn, surfaces)
	a.show = show.New(e, surfaces)
	a.intake = intake.New(e, a.learn, surfaces)
	a.loop = loop.New(e, surfaces, keep)
	return a
}

// usualGrace is half of the ten seconds that a process is given before it is killed.
const usualGrace = 5 * time.Second

// Run works until the context ends. It first takes up what the database knows; its workers do the rest. At the end
// nothing new is begun. What is being done at GitHub may still end and be recorded, for as long as the grace lasts;
// what does not is left to be looked up after the next start.
func (a *App) Run(ctx context.Context) error {
	if err := a.Prepare(ctx); err != nil {
		return err
	}
	var working sync.WaitGroup
	for _, w := range a.Workers() {
		if !w.Writes {
			working.Go(func() { w.Work(ctx, ctx, a.Clock) })
			continue
		}
		working.Go(func() {
			longer, cancel := work.WithGrace(ctx, a.grace)
			defer cancel()
			w.Work(ctx, longer, a.Clock)
		})
	}
	<-ctx.Done()
	working.Wait()
	return nil
}

// Prepare takes up what the database knows. Nobody works before.
func (a *App) Prepare(ctx context.Context) error {
	if err := a.loop.CheckTrail(ctx); err != nil {
		return err
	}
	return a.learn.Files.LoadStored(ctx)
}

// Workers are all who work, each at its own pace. Run lets them work side by side; whoever else wants to lets them do
// one step at a time. Those of the same name share a bell, and one call.
func (a *App) Workers() []work.Worker {
	workers := []work.Worker{
		{Name: "decide", Step: a.loop.DecideNext, Wake: a.Undecided},
		{Name: "sweep", Step: a.resyncer.SweepNext, Wake: a.Swept},
		{Name: "discovery", Step: a.resyncer.DiscoverNext},
		{Name: "audit", Step: a.loop.AuditNext},
		{Name: "greet", Step: a.loop.Greet},
		{Name: "forget", Step: a.loop.ForgetNext},
	}
	for _, several := range []struct {
		n int
		w work.Worker
	}{
		{a.Env.Workers.Intake, work.Worker{Name: "intake", Step: a.intake.Next, Wake: a.Arrived}},
		{a.Env.Workers.Views, work.Worker{Name: "views", Step: a.show.Next, Wake: a.Shown, Writes: true}},
		{a.Env.Workers.Resyncs, work.Worker{Name: "resync", Step: a.resyncer.Next, Wake: a.Overdue}},
		{a.Env.Workers.Effects, work.Worker{Name: "effects", Step: a.act.Next, Wake: a.Due, Writes: true}},
	} {
		workers = append(workers, slices.Repeat([]work.Worker{several.w}, several.n)...)
	}
	for i := range workers {
		workers[i].Step = a.loop.CountSteps(a.Safely(workers[i].Step))
	}
	return workers
}

// WakeAll makes every worker look for something to do, as after a clock has been set.
func (a *App) WakeAll() {
	for _, b := range []work.Wake{a.Arrived, a.Undecided, a.Due, a.Shown, a.Swept, a.Overdue} {
		b.Notify()
	}
}

// Rest waits until nothing is left to do but what waits for a clock, and returns when that is due.
func (a *App) Rest(ctx context.Context) (next time.Time, err error) { return a.loop.Rest(ctx) }

// ResyncPipeline resyncs one pipeline now.
func (a *App) ResyncPipeline(ctx context.Context, id int64) error {
	return a.resyncer.Pipeline(ctx, id)
}

// ReportFreight makes freight of a report, and notes in the audit trail who has made it.
func (a *App) ReportFreight(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event,
) (f promotion.Freight, fresh bool, err error) {
	return a.learn.Reports.ReportFreight(ctx, row, w, r, line)
}

// Resync looks for pipelines and resyncs all of them, now.
func (a *App) Resync(ctx context.Context) error { return a.resyncer.All(ctx) }
