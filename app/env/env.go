package env

import (
	"context"
	"errors"
	"time"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/app/rights"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"

	"github.com/prometheus/client_golang/prometheus"
)

// Client returns what speaks to GitHub for one repository that a pipeline lives in or names, and for no other.
func (e *Env) Client(repo promotion.Repo) (*gh.Client, error) { return e.Hub.Client(repo) }

// Rows returns the stored pipelines.
func (e *Env) Rows(ctx context.Context) (rows []store.PipelineRow, err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) error {
		rows, err = tx.Ledger.Pipelines()
		return err
	})
	return rows, err
}

// Home returns the pipeline that lives in a repository; its zero value if none does.
func (e *Env) Home(ctx context.Context, repo int64) (row store.PipelineRow, err error) {
	err = e.Store.View(ctx, func(tx *store.Tx) error {
		row, err = tx.Ledger.Pipeline(repo)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.PipelineRow{}, nil
	}
	return row, err
}

// Env is what every part of the program works with.
type Env struct {
	*work.Panics
	*work.Timed
	Wakes
	Store     *store.Store
	Hub       *gh.Hub
	Clock     func() time.Time
	Allowed   func(owner string) bool
	Pipelines *pipelines.Registry
	Rights    *rights.Rights
	Metrics   *metrics
	Workers   work.Workers
}

// Options are what an Env is made of.
type Options struct {
	Store    *store.Store
	Hub      *gh.Hub
	Clock    func() time.Time
	Allowed  func(owner string) bool // whose installations are served
	Workers  work.Workers
	Policy   pipelines.ServerPolicy
	Resync   time.Duration // for pipelines that do not say
	Metrics  *prometheus.Registry
	Panicked func(text string, stack []byte) // hears of panics that were contained
}

// New returns an Env.
func New(o Options) *Env {
	metrics := newMetrics(o.Metrics)
	panics := &work.Panics{Hear: o.Panicked, Count: metrics.Panics}
	known := pipelines.New(o.Policy, o.Resync)
	return &Env{
		Panics: panics, Timed: &work.Timed{Panics: panics, Store: o.Store, Clock: o.Clock}, Wakes: newWakes(),
		Store: o.Store, Hub: o.Hub, Clock: o.Clock, Allowed: o.Allowed, Workers: o.Workers.WithDefaults(),
		Pipelines: known, Rights: rights.New(o.Hub, o.Clock, known.Compiled), Metrics: metrics,
	}
}

// Wakes wake the workers, each rung by whoever leaves it something to do.
type Wakes struct{ Arrived, Undecided, Due, Shown, Swept, Overdue work.Wake }

func newWakes() Wakes {
	return Wakes{work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake(), work.NewWake()}
}
