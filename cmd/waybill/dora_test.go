package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// measured are the numbers of a stage with everything that there can be.
func measured() api.Measures {
	return api.Measures{
		Deployments: 12, PerWeek: 3, Judged: 11, Failed: 2, FailureRate: new(0.182), Broken: 1,
		LeadTime: &api.Spread{Count: 10, Median: 5*3600 + 600, P90: 26 * 3600},
		Restore:  &api.Spread{Count: 1, Median: 25 * 60, P90: 25 * 60},
		Waits: []api.Wait{{Cause: "before", Share: 0.6}, {Cause: "held", Share: 0.05}, {Cause: "turn", Share: 0.03},
			{Cause: "sign-off", Share: 0.12}, {Cause: "delivery", Share: 0.2}, {Cause: "verification", Share: 0}},
	}
}

func TestTheNumbersAboutDelivery(t *testing.T) {
	n := api.Numbers{
		At: noon, Since: noon.AddDate(0, 0, -28), Period: "day", Last: []string{"prod-eu", "prod-us"},
		Whole: api.Measures{Deployments: 1, PerWeek: 0.25}, Stages: []api.StageNumbers{
			{Stage: "dev"}, {Stage: "prod-eu", Measures: measured()},
		},
	}
	asked := ""
	says := func(w http.ResponseWriter, r *http.Request) {
		n := n
		if word := r.URL.Query().Get("stages"); word != "" {
			n.Stages = slices.DeleteFunc(slices.Clone(n.Stages), func(s api.StageNumbers) bool { return s.Stage != word })
		}
		if r.URL.Query().Get("stages") == "nowhere" {
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(api.Problem{Status: http.StatusNotFound, Detail: "there is no nowhere here"})
			return
		}
		asked = r.URL.RawQuery
		answers(map[string]any{"/api/v1/pipelines/acme/deploy/numbers": n})(w, r)
	}
	of := func(args ...string) (int, string, string) {
		return runs(t, nil, says, append([]string{"dora", "--repo", "acme/deploy"}, args...)...)
	}
	code, out, errs := of("--since", "2026-02-02")
	require.Zero(t, code, errs)
	require.Equal(t, "since=2026-02-02", asked)
	require.Equal(t, `acme/deploy, since 2026-02-02 12:00 UTC

dev      no deployments

prod-eu  12 deployments, 3 a week
         lead time 5h10m, nine of ten within 1d2h
           before its turn 60%, held 5%, in the queue 3%, sign-off 12%, delivery
             20%
         2 of 11 failed (18%)
         restored in 25m
         1 failure not restored yet

all      1 deployment, 0.2 a week
         the last stages together: prod-eu, prod-us
`, out)

	n.Partial = true
	_, out, _ = of("prod-eu")
	require.Equal(t, "since=28d&stages=prod-eu", asked)
	require.Contains(t, out, "only these count")
	require.NotContains(t, out, "dev")
	require.NotContains(t, out, "all")

	_, out, _ = of("gate")
	require.Contains(t, out, "gate only passes freight on")
	code, _, errs = of("nowhere")
	require.Equal(t, int(codeRefused), code, errs)

	_, out, _ = of("prod-eu", "--json")
	var again api.Numbers
	require.NoError(t, json.Unmarshal([]byte(out), &again))
	require.Len(t, again.Stages, 1)
	require.Equal(t, measured(), again.Stages[0].Measures)
}
