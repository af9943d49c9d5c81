package intake

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/app/pipelines"
	"waybill/config"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// multiplied returns the pipeline of a file with so many stages, each of which sets so many values in each of so many
// targets, if the budget suffices.
func multiplied(b *testing.B, stages, values, targets int, budget config.Budget) *promotion.Pipeline {
	var file strings.Builder
	file.WriteString("version: 1\nwarehouses: {w: {pull-requests: {}}}\nstages:\n")
	for s := range stages {
		fmt.Fprintf(&file, "  s%[1]d:\n    from: w\n    targets: c/*/v\n    set:\n      s%[1]d/${target.name}.yaml:\n", s)
		for v := range values {
			fmt.Fprintf(&file, "        a%d: x\n", v)
		}
	}
	var paths []string
	for t := range targets {
		paths = append(paths, fmt.Sprintf("c/target-%d/v", t))
	}
	meter := &config.Meter{Budget: budget}
	found, trouble := config.Find(meter, config.Globs(&config.Meter{}, []byte(file.String()), config.Found{}), paths, nil)
	require.Empty(b, trouble)
	p, problems := config.Load(config.Sources{
		Home: "acme/deploy", Branch: "main", Pipeline: []byte(file.String()), Found: config.Found{Globs: found}, Meter: meter,
	})
	require.NoError(b, problems.Err())
	p.ID = 1
	return p
}

// BenchmarkProposal shows what the check of a proposal costs at worst, once its files are compiled: what the files
// would mean is said of pipelines that just fit into their budgets, and what becomes of promotions is tried for one
// that just fits into a trial.
func BenchmarkProposal(b *testing.B) {
	empty := pipelines.Empty(store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main"})
	for name, c := range map[string]struct {
		targets int
		budget  config.Budget
	}{"proposed": {60, config.Proposed}, "in force": {3000, config.InForce}} {
		before, after := multiplied(b, 20, 5, c.targets, c.budget), multiplied(b, 20, 4, c.targets, c.budget)
		b.Run("say/"+name, func(b *testing.B) {
			for b.Loop() {
				would := say.Proposal{Before: before, After: after, Large: true}
				_, summary := would.Words()
				require.NotEmpty(b, summary)
			}
		})
	}
	b.Run("try", func(b *testing.B) {
		db, err := store.Open(b.Context(), "sqlite://"+filepath.Join(b.TempDir(), "waybill.db"), store.Options{})
		require.NoError(b, err)
		defer db.Close()
		known := pipelines.New(pipelines.ServerPolicy{}, 0)
		row := store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main", Config: []byte("version: 1\n")}
		known.Put(row, empty)
		require.NoError(b, db.Update(b.Context(), func(tx *store.Tx) error { return tx.Pipelines.Save(row, empty) }))
		ps := &proposals{Env: &env.Env{Store: db, Pipelines: known}, large: newLane()}
		p := multiplied(b, 480, 1, 3, config.Proposed)
		for b.Loop() {
			would, err := ps.foresee(b.Context(), row, row, p)
			require.NoError(b, err)
			require.Len(b, would.Prospects, 480)
		}
	})
}
