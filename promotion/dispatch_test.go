package promotion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestARunIsKnownByItsTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Deploy 1f0c9e2 (waybill/prod/42)": "waybill/prod/42 by waybill for prod",
		"waybill/eu-1.x_y/7":               "waybill/eu-1.x_y/7 by waybill for eu-1.x_y",
		"waybill/prod/42, again":           "waybill/prod/42 by waybill for prod",
		"Deploy (waybill/@4711/prod/42)":   "waybill/@4711/prod/42 by waybill/@4711 for prod",
		"waybill/4711/prod/42":             "", "waybill/@x/prod/42": "", "waybill/@4711/42": "",
		"Deploy": "", "xwaybill/prod/42": "", "waybill/prod/x": "", "waybill/prod/1234567890123456789012": "",
	} {
		name, starter, stage := promotion.RunOf(title)
		if want == "" {
			require.Empty(t, name+starter+string(stage), title)
			continue
		}
		require.Equal(t, want, fmt.Sprintf("%s by %s for %s", name, starter, stage), title)
	}
}

// TestARunOfAnotherPipelineIsNotTaken: two pipelines start workflows in the home of one of them, with the same numbers.
func TestARunOfAnotherPipelineIsNotTaken(t *testing.T) {
	here := &promotion.Pipeline{ID: 1, Home: "acme/deploy"}
	there := &promotion.Pipeline{ID: 2, Home: "acme/other"}
	require.Equal(t, "waybill/dev/7", here.RunName("acme/deploy", "dev", 7))
	require.Equal(t, "waybill/@2/dev/7", there.RunName("acme/deploy", "dev", 7))
	for _, of := range []*promotion.Pipeline{here, there} {
		run := promotion.WorkflowRun{ID: 7, SHA: "c1", Title: of.RunName("acme/deploy", "dev", 7),
			Created: fixture.Noon}
		g, name := promotion.RunOfWorkflow("acme/deploy", run)
		require.Equal(t, run.Title, name)
		for _, p := range []*promotion.Pipeline{here, there} {
			m := promotion.Matcher{Kind: promotion.KindRun, Pattern: promotion.RunSignal("dev"),
				App: p.Starter("acme/deploy")}
			require.Equal(t, p == of, m.Names(&g), "%d, %d", p.ID, of.ID)
		}
	}
}

func TestWhatIsNoRunOfAPromotion(t *testing.T) {
	run := promotion.WorkflowRun{ID: 7, SHA: "c1", Title: "waybill/dev/1", Status: "completed", Conclusion: "success",
		Created: fixture.Noon, Updated: fixture.Noon.Add(time.Minute)}
	g, runName := promotion.RunOfWorkflow("acme/api", run)
	require.Equal(t, "waybill/dev/1", runName)
	require.Equal(t, promotion.Signal{Repo: "acme/api", Kind: promotion.KindRun, ID: 7, SHA: "c1", App: "waybill",
		Suite: 1, Name: "workflow of dev", State: "success", Started: fixture.Noon,
		Ended: fixture.Noon.Add(time.Minute), Observed: fixture.Noon.Add(time.Minute)}, g)
	for name, spoil := range map[string]func(*promotion.WorkflowRun){
		"title":  func(r *promotion.WorkflowRun) { r.Title = "Deploy" },
		"id":     func(r *promotion.WorkflowRun) { r.ID = 0 },
		"commit": func(r *promotion.WorkflowRun) { r.SHA = "" },
		"time":   func(r *promotion.WorkflowRun) { r.Created = time.Time{} },
	} {
		other := run
		spoil(&other)
		_, runName := promotion.RunOfWorkflow("acme/api", other)
		require.Empty(t, runName, name)
	}
}
