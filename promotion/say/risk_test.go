package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestRisksSayWhetherTheyAreAllThatChanges(t *testing.T) {
	known := promotion.Cargo{Risk: &promotion.Risk{Files: 1, Lines: 2, Areas: []string{"src"}}}
	for _, row := range []struct {
		says  string
		notes promotion.Notes
	}{
		{"", promotion.Notes{Cargo: []promotion.Cargo{{}}}},
		{"1 file and 2 lines in src", promotion.Notes{Cargo: []promotion.Cargo{known}}},
		{"at least 1 file and 2 lines in src", promotion.Notes{Cargo: []promotion.Cargo{known, {}}}},
		{"at least 1 file and 2 lines in src", promotion.Notes{Cargo: []promotion.Cargo{known}, Left: 3}},
	} {
		require.Equal(t, row.says, Risks(&row.notes, plain))
	}
}
