package intake

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/env"
	"waybill/app/pipelines"
	"waybill/promotion"
	"waybill/store"
)

// TestATrialThatFailsSaysNothingOfPromotions has the database know nothing of the pipeline: that no promotion would
// change is not so then.
func TestATrialThatFailsSaysNothingOfPromotions(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	require.NoError(t, err)
	defer db.Close()
	known := pipelines.New(pipelines.ServerPolicy{}, 0)
	row := store.PipelineRow{ID: 1, Repo: "acme/deploy", Branch: "main", Config: []byte("version: 1\n")}
	p := &promotion.Pipeline{ID: 1, Home: row.Repo, Branch: row.Branch, Stages: []*promotion.Stage{{Name: "dev"}}}
	known.Put(row, p)
	ps := &proposals{Env: &env.Env{Store: db, Pipelines: known}, large: newLane()}
	_, err = ps.foresee(t.Context(), row, row, p)
	require.ErrorIs(t, err, store.ErrUnknownStage)
}
