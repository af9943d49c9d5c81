package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// deadly is a database with one stage whose decision kills each process.
type deadly struct {
	*testing.T
	file  string
	now   time.Time
	kills bool
}

var deadlyStage = store.StageKey{Pipeline: 1, Stage: "bad"}

// live starts a process and has it decide until there is nothing left to do, or until it has died, and then has a fact
// concern the stage. It returns when something is to be decided next, and what the metric of stages says.
func (d *deadly) live() (next time.Time, says []string) {
	d.Helper()
	ctx, kill := context.WithCancel(d.Context())
	defer kill()
	db, err := store.Open(ctx, "sqlite://"+d.file, store.Options{
		Clock: func() time.Time { return d.now },
		Heard: func(query string) {
			if d.kills && strings.Contains(query, "deciding = TRUE") {
				kill() // the transaction goes on, and nothing after it
			}
		},
	})
	require.NoError(d, err)
	defer func() { require.NoError(d, db.Close()) }()
	metrics := prometheus.NewRegistry()
	a := New(Options{Store: db, Clock: func() time.Time { return d.now }, Metrics: metrics})
	row := store.PipelineRow{ID: deadlyStage.Pipeline, Repo: "acme/deploy", Branch: "main"}
	p := &promotion.Pipeline{Home: row.Repo, Branch: "main", Stages: []*promotion.Stage{{Name: deadlyStage.Stage}}}
	require.NoError(d, db.Update(ctx, func(tx *store.Tx) error { return tx.Pipelines.Save(row, p) }))
	a.Pipelines.Put(row, p)
	suspects := work.Suspects(db, a.loop.DecideNext)
	for do := work.Piece(work.Nothing); do != nil && ctx.Err() == nil; {
		do, next, err = a.loop.DecideNext(ctx, store.Claim{})
		if do == nil && err == nil {
			var later time.Time
			do, later, err = suspects(ctx, store.Claim{})
			next = promotion.Sooner(next, later)
		}
		require.True(d, err == nil || ctx.Err() != nil, err)
	}
	require.NoError(d, db.Update(d.Context(), func(tx *store.Tx) error { return tx.Stages.Touch(deadlyStage) }))
	return next, d.stages(metrics)
}

// stages returns what the metric of undecided stages says: "parked 1".
func (d *deadly) stages(metrics *prometheus.Registry) (all []string) {
	d.Helper()
	families, err := metrics.Gather()
	require.NoError(d, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "waybill_undecided_stages" {
				all = append(all, fmt.Sprint(m.GetLabel()[0].GetValue(), " ", m.GetGauge().GetValue()))
			}
		}
	}
	return all
}

// TestAStageWhoseDecisionKillsIsParkedAfterFiveDeathsF28, and decided once an hour from then on.
func TestAStageWhoseDecisionKillsIsParkedAfterFiveDeathsF28(t *testing.T) {
	d := &deadly{T: t, file: filepath.Join(t.TempDir(), "waybill.db"), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	d.kills = true
	for range 5 {
		next, _ := d.live()
		require.Zero(t, next, "it dies")
	}
	again := d.now.Add(time.Hour)
	waits := func() {
		for ; d.now.Before(again); d.now = d.now.Add(10 * time.Minute) {
			next, says := d.live()
			require.Equal(t, again, next, "facts that concern it make no difference")
			require.Contains(t, says, "parked 1")
		}
	}
	for range 2 {
		waits()
		next, _ := d.live()
		require.Zero(t, next, "it is tried once, and dies")
		again = d.now.Add(time.Hour)
	}
	waits()
	d.kills = false
	_, says := d.live()
	require.Contains(t, says, "parked 0")
	d.kills = true
	next, _ := d.live()
	require.Zero(t, next, "the deaths are forgotten")
}
