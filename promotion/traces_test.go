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

func TestATextTellsThePromotionThatMadeIt(t *testing.T) {
	p := &Pipeline{ID: 4711, Home: "acme/deploy"}
	for text, want := range map[string]struct{ atHome, elsewhere Number }{
		"Promote\n\nWaybill-Promotion: 7\n":                         {7, 0},
		"Promote\n\nWaybill-Promotion: 4711/7\n":                    {7, 7},
		"Promote\n\nWaybill-Promotion: 4712/7\n":                    {0, 0},
		"Others\n\nWaybill-Promotion: 4712/8\nWaybill-Promotion: 7": {7, 0},
		"Promotes api#1\n<!-- waybill:promotion=4711/7 -->":         {7, 7},
		"<!-- waybill:promotion=4712/7 -->":                         {0, 0},
		"see Waybill-Promotion: 7":                                  {0, 0},
		"Waybill-Promotion: 1234567890123456789":                    {0, 0},
		"":                                                          {0, 0},
	} {
		require.Equal(t, want.atHome, p.NumberIn("acme/deploy", text), text)
		require.Equal(t, want.elsewhere, p.NumberIn("acme/shared", text), text)
	}
}
