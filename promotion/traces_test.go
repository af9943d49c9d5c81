package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesHoldThePipelineOutsideItsHome(t *testing.T) {
	p := &Pipeline{ID: 4711, Home: "acme/deploy"}
	require.Equal(t, "waybill/", p.Prefix("acme/deploy"))
	require.Equal(t, "waybill/@4711/", p.Prefix("acme/shared"))
	require.Equal(t, "Waybill-Promotion: 7", p.Trailer("acme/deploy", 7))
	require.Equal(t, "Waybill-Promotion: 4711/7", p.Trailer("acme/shared", 7))
	require.Equal(t, "<!-- waybill:promotion=4711/7 -->", p.Marker(7))
}

func TestABranchTellsItsStageAndItsPipeline(t *testing.T) {
	for branch, want := range map[string]struct {
		pipeline int64
		stage    StageName
	}{
		"waybill/prod/api-142/7":       {0, "prod"},
		"waybill/@4711/prod/api-142/7": {4711, "prod"},
		"waybill/4711/api-142/7":       {0, "4711"},
		"waybill/@x/prod/api-142/7":    {0, ""},
		"waybill/@4711/prod":           {0, ""},
		"waybill/prod":                 {0, ""},
		"prod/api-142/7":               {0, ""},
		"@4711/prod/api-142/7":         {0, ""},
		"":                             {0, ""},
	} {
		pipeline, stage := StageOfBranch(branch)
		require.Equal(t, want.pipeline, pipeline, branch)
		require.Equal(t, want.stage, stage, branch)
	}
}
