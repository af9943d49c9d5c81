package app

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"waybill/app/act"
	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/health"
	"waybill/app/intake"
	"waybill/app/learn"
	"waybill/app/loop"
	"waybill/app/notify"
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
	"waybill/handlers"
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
	notifier *notify.Notifier
	grace    time.Duration
	inbox    intake.Inbox
	doctor   *health.Doctor
	replicas bool     // other servers work on the database, too
	origins  *origins // nil: webhooks are taken from anywhere
}

// Workers says how many workers there are of each kind.
type Workers = work.Workers

// Options are the parts of an App. Store, Hub and Clock must be given.
type Options struct {
	Store  *store.Store
	Hub    *gh.Hub
	Clock  func() time.Time
	Owners []promotion.Actor      // that are served, some with their ids; empty: all are
	Policy pipelines.ServerPolicy // outranks the policy files of the repositories
	Resync time.Duration          // the interval of pipelines that do not set one
	// Patience is how long GitHub may refuse an effect, for a reason that may pass, before it is given up; 0: the default.
	Patience time.Duration
	Metrics  *prometheus.Registry
	Slack    *slack.Client // nil: Slack is not set up
	// PublicURL is where people reach the server, for addresses in Slack messages.
	PublicURL string
	// Version is that of the program, for the doctor.
	Version  string
	Database string // its URL, for people
	Events   notify.Receiver
	Wire     http.RoundTripper // carries the events to their receiver; nil: http.DefaultTransport
	Workers  work.Workers
	// HookOrigins tells from where requests come, if webhooks are taken from GitHub's addresses only; nil: from anywhere.
	HookOrigins *handlers.Addresses
	// Grace is how long steps that have begun at GitHub may take to end once the App stops; 0: the default; negative: they
	// are cut off, as if the process had been killed.
	Grace time.Duration
	// Replicas says that other servers work on the database, too.
	Replicas bool
	// Panicked is called with each panic that was contained; may be nil.
	Panicked func(text string, stack []byte)
}

// New makes an App. It does nothing before Run.
func New(o Options) *App {
	if o.Panicked == nil {
		o.Panicked = func(string, []byte) {}
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	e := env.New(env.Options{
		Store: o.Store, Hub: o.Hub, Clock: o.Clock, Owners: o.Owners, Workers: o.Workers, Policy: o.Policy,
		Resync: o.Resync, Metrics: o.Metrics, Panicked: o.Panicked,
		Patience: promotion.Patience(cmp.Or(o.Patience, config.DefaultPatience)), InSlack: o.Slack != nil,
	})
	keep := store.Retention(config.ServerRetention(o.Policy.Name, o.Policy.Text))
	a := &App{
		Env: e, learn: learn.New(e), grace: cmp.Or(o.Grace, usualGrace), inbox: intake.NewInbox(e), replicas: o.Replicas,
	}
	a.resyncer = resync.New(e, a.learn)
	a.inslack = inslack.New(e, a.inbox, o.Slack, o.PublicURL)
	a.doctor = &health.Doctor{
		Env: e, Slack: o.Slack, PublicURL: o.PublicURL, Database: o.Database, Version: o.Version,
		Unawaited: a.inbox.Unawaited,
	}
	a.inapi = inapi.New(e, a.inbox, a.resyncer.Pipeline, a.learn.Reports, a.doctor.Examine)
	surfaces := surface.Surfaces{ongithub.New(e, keep.Facts), a.inslack, a.inapi}
	a.act = act.New(e, a.learn, surfaces)
	a.show = show.New(e, surfaces)
	a.intake = intake.New(e, a.learn, surfaces, a.inbox)
	a.loop = loop.New(e, surfaces, keep)
	a.notifier = notify.New(e, o.Events, o.Wire)
	if o.HookOrigins != nil {
		a.origins = &origins{hub: o.Hub, clock: o.Clock, addresses: *o.HookOrigins}
	}
	return a
}

// usualGrace is half of the ten seconds that a process is given before it is killed.
const usualGrace = 5 * time.Second

// Run works until the context ends. It first prepares the stored state; its workers do the rest. At the end they begin
// nothing new. Steps that have begun at GitHub may end and be recorded within the grace period; the others are looked
// up after the next start, and are not taken for work that the process died of.
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
	if a.grace < 0 {
		return nil
	}
	return a.Store.GiveBack(context.WithoutCancel(ctx))
}

// Prepare checks the audit trail and compiles the stored pipelines. It must return before any worker begins.
func (a *App) Prepare(ctx context.Context) error {
	if err := a.loop.CheckTrail(ctx); err != nil {
		return err
	}
	if err := a.Owners.Forget(ctx); err != nil {
		return err
	}
	if err := a.notifier.Prepare(ctx); err != nil {
		return err
	}
	if err := a.learn.Files.LoadStored(ctx); err != nil {
		return err
	}
	return a.resyncer.TellStale(ctx)
}

// Workers returns all workers. Run lets them work side by side; tests let them do one step at a time.
func (a *App) Workers() []work.Worker {
	n := a.Env.Workers
	workers := []work.Worker{ // of what is claimed
		{Name: "sweep", Take: a.resyncer.TakeSweep, Wake: a.Swept, Width: 1},
		{Name: "discovery", Take: a.resyncer.TakeDiscovery, Width: 1},
		{Name: "resync", Take: a.resyncer.Take, Wake: a.Overdue, Width: n.Resyncs},
		{Name: "intake", Take: a.intake.Take, Wake: a.Arrived, Width: n.Intake},
		{Name: "decide", Take: a.loop.DecideNext, Wake: a.Undecided, Width: 1},
		{Name: "effects", Take: a.act.Take, Wake: a.Due, Width: n.Effects, Writes: true},
		{Name: "views", Take: a.show.Take, Wake: a.Shown, Width: n.Views, Writes: true},
		{Name: "audit", Take: a.loop.TakeAudit, Width: 1},
	}
	if a.notifier.Sends() {
		workers = append(workers, work.Worker{Name: "events", Take: a.notifier.Take, Width: 1})
	}
	var claimed []work.Take
	for _, w := range workers {
		claimed = append(claimed, w.Take)
	}
	workers = append(workers, []work.Worker{
		{Name: "suspects", Take: work.Suspects(a.Store, claimed...), Width: 1, Writes: true},
		{Name: "probe", Take: work.OneByOne(a.loop.ProbeNext), Wake: a.Shut, Width: 1},
		{Name: "mend", Take: work.OneByOne(a.loop.MendNext), Width: 1},
		{Name: "greet", Take: work.OneByOne(a.loop.Greet), Width: 1},
		{Name: "grants", Take: work.OneByOne(a.doctor.WatchNext), Wake: a.Regranted, Width: 1},
		{Name: "forget", Take: work.OneByOne(a.loop.ForgetNext), Width: 1},
	}...)
	if a.origins != nil {
		workers = append(workers, work.Worker{Name: "origins", Take: work.OneByOne(a.origins.renew), Width: 1})
	}
	if a.replicas {
		workers = append(workers, work.Worker{Name: "beat", Take: work.OneByOne(a.loop.BeatNext), Width: 1})
	}
	for i := range workers {
		workers[i].Take = a.loop.CountPieces(a.CountErrors(workers[i].Name, a.Safely(workers[i].Take)))
	}
	return workers
}

// Rest waits until no work is left but that which waits for a clock, and returns when that is due.
func (a *App) Rest(ctx context.Context) (next time.Time, err error) { return a.loop.Rest(ctx) }

// ResyncPipeline resyncs one pipeline now.
func (a *App) ResyncPipeline(ctx context.Context, id int64) error {
	return a.resyncer.Pipeline(ctx, id)
}

// ReportFreight records the freight of a report, and the reporter in the audit trail. fresh is false if the freight is
// known.
func (a *App) ReportFreight(
	ctx context.Context, row store.PipelineRow, w *promotion.Warehouse, r promotion.Build, line store.Event,
) (f promotion.Freight, fresh bool, err error) {
	return a.learn.Reports.ReportFreight(ctx, row, w, r, line)
}

// Resync looks for pipelines and resyncs all of them, now.
func (a *App) Resync(ctx context.Context) error { return a.resyncer.All(ctx) }
