package env

import (
	"context"
	"errors"
	"time"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/quota"
	"waybill/app/rights"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Env is shared by all rooms of the program.
type Env struct {
	*work.Panics
	*work.Timed
	Wakes
	Store     *store.Store
	Hub       *gh.Hub
	Clock     func() time.Time
	Owners    *Owners
	Pipelines *pipelines.Registry
	Rights    *rights.Rights
	Metrics   *metrics
	Workers   work.Workers
	Patience  promotion.Patience
	InSlack   bool // Slack is set up
	Grants    Grants
	readings  *quota.Quota // of what is read for people without write access
}

// Options are the parts of an Env.
type Options struct {
	Store    *store.Store
	Hub      *gh.Hub
	Clock    func() time.Time
	Owners   []promotion.Actor // that are served, some with their ids; empty: all
	Workers  work.Workers
	Policy   pipelines.ServerPolicy
	Resync   time.Duration      // the interval of pipelines that do not set one
	Patience promotion.Patience // with what GitHub refuses
	InSlack  bool               // Slack is set up
	Metrics  *prometheus.Registry
	Panicked func(text string, stack []byte) // is called with each panic that was contained
}

// New returns an Env. It registers the metrics, so there is one for each registry.
func New(o Options) *Env {
	metrics := newMetrics(o.Metrics)
	o.Metrics.MustRegister(newCensus(&metrics.catalogue, o.Store, o.Clock))
	panics := &work.Panics{Hear: o.Panicked, Count: metrics.Panics}
	known := pipelines.New(o.Policy, o.Resync)
	return &Env{
		Panics: panics, Timed: &work.Timed{Panics: panics, Store: o.Store, Clock: o.Clock}, Wakes: newWakes(),
		Store: o.Store, Hub: o.Hub, Clock: o.Clock, Owners: newOwners(o.Store, o.Owners), Workers: o.Workers.WithDefaults(),
		Pipelines: known, Rights: rights.New(o.Hub, o.Clock, known.Compiled), Metrics: metrics,
		Patience: o.Patience, InSlack: o.InSlack, readings: quota.New(),
	}
}

// Wakes wake the workers. Code that leaves a worker something to do notifies its wake.
type Wakes struct{ Arrived, Undecided, Due, Shown, Swept, Overdue, Shut, Regranted work.Wake }

func newWakes() Wakes {
	return Wakes{
		work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(),
		work.NewWake(),
	}
}

// WakeOfFacts wakes the workers for whom facts may have left something to do: stages to decide, effects that have a
// turn or a fresh pipeline now, views, resyncs. One that is woken in vain reads at most one statement.
func (w Wakes) WakeOfFacts() {
	for _, one := range []work.Wake{w.Undecided, w.Due, w.Shown, w.Overdue} {
		one.Notify()
	}
}

// WakeAll wakes every worker, as after a clock has been set.
func (w Wakes) WakeAll() {
	for _, one := range []work.Wake{w.Arrived, w.Undecided, w.Due, w.Shown, w.Swept, w.Overdue, w.Shut, w.Regranted} {
		one.Notify()
	}
}

// InPipeline returns a context whose log lines have the home repository of a pipeline.
func (e *Env) InPipeline(ctx context.Context, id int64) context.Context {
	return zerolog.Ctx(ctx).With().Str(work.KeyRepo, string(e.Pipelines.Home(id))).Logger().WithContext(ctx)
}

// CountErrors returns a Take that counts errors: its own, and those of the pieces that it takes.
func (e *Env) CountErrors(worker string, take work.Take) work.Take {
	count := func(ctx context.Context, err error) error {
		if err != nil && ctx.Err() == nil {
			e.Metrics.Errors.WithLabelValues(worker).Inc()
		}
		return err
	}
	return func(ctx context.Context, c store.Claim) (work.Piece, time.Time, error) {
		do, next, err := take(ctx, c)
		if err != nil || do == nil {
			return nil, next, count(ctx, err)
		}
		return func(ctx context.Context) error { return count(ctx, do(ctx)) }, next, nil
	}
}

// Client returns the client of GitHub for a repository that a pipeline lives in or names. For any other repository it
// returns an error.
func (e *Env) Client(repo promotion.Repo) (*gh.Client, error) { return e.Hub.Client(repo) }

// Rows returns the stored pipelines.
func (e *Env) Rows(ctx context.Context) (rows []store.PipelineRow, err error) {
	err = e.Store.ViewOne(ctx, func(tx *store.Tx) error {
		rows, err = tx.Pipelines.All()
		return err
	})
	return rows, err
}

// Home returns the pipeline that lives in a repository; the zero value if none does.
func (e *Env) Home(ctx context.Context, repo int64) (row store.PipelineRow, err error) {
	err = e.Store.ViewOne(ctx, func(tx *store.Tx) error {
		row, err = tx.Pipelines.ByID(repo)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.PipelineRow{}, nil
	}
	return row, err
}
