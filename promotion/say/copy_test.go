package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAPlanTellsOfAFolderByWhatItHoldsAndByItsFiles(t *testing.T) {
	s := fixture.InState(promotion.Succeeded)
	s.Stage.Targets[0].Copies = []promotion.Copy{{Path: "deploy", From: "src", Warehouse: "api"}}
	plan := promotion.Plan{
		Paths: []string{"deploy/a", "deploy/b"}, Values: []promotion.Value{{Path: "deploy", Text: "1234567890"}},
	}
	r := planReport(s, s.Freight[0].ID, []promotion.Value{{Path: "deploy"}}, plan)
	require.Equal(t, [][]string{{"deploy/", "every file", "not there", "1234567"}}, r.Rows)
	require.Contains(t, r.Notes, "Files that change, come or go: 2, which are deploy/a, deploy/b")
}

func TestTheFilesOfACopyAreItsFolderOrEverything(t *testing.T) {
	s := promotion.OnePlace(&promotion.Stage{},
		promotion.Target{Copies: []promotion.Copy{{Path: "deploy/prod", From: "deploy/staging", Stage: "staging"}}})
	require.Equal(t, "`deploy/prod/`", filesOf(s))
	s.Targets[0].Copies[0].Path, s.Targets[0].Copies[0].From = promotion.Everything, promotion.Everything
	require.Equal(t, "everything", filesOf(s))
}
