package page

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// stageAfter is a stage that takes freight after others.
func stageAfter(name string, up ...string) api.Stage {
	return api.Stage{Name: name, Automatic: true, Takes: []api.Take{{Warehouse: "api", After: up, Need: len(up)}}}
}

func TestEachStageStandsToTheRightOfThoseBeforeIt(t *testing.T) {
	var shown []string
	for _, level := range levels([]api.Stage{ // not in order, and over a level
		stageAfter("prod", "staging-a", "staging-b", "dev"), stageAfter("staging-b", "dev"), stageAfter("other"),
		stageAfter("staging-a", "dev"), stageAfter("dev"),
	}) {
		var names []string
		for _, c := range level {
			names = append(names, c.Name)
		}
		shown = append(shown, strings.Join(names, " "))
	}
	require.Equal(t, []string{"dev other", "staging-a staging-b", "prod"}, shown)
}

func TestTheTargetsOfARolloutAreShownOnce(t *testing.T) {
	active := &api.Promotion{FreightID: "f2", Rollout: &api.Rollout{}}
	host := api.Hosted{FreightRef: api.FreightRef{FreightID: "f1"}, Rollout: &api.Rollout{}}
	require.NotNil(t, cardOf(api.Stage{Hosts: []api.Hosted{host}, Active: active}).Active.Rollout, "nothing has come yet")
	host.FreightID = "f2"
	require.Nil(t, cardOf(api.Stage{Hosts: []api.Hosted{host}, Active: active}).Active.Rollout)
	require.NotNil(t, active.Rollout)
	host.Rollout = nil
	require.NotNil(t, cardOf(api.Stage{Hosts: []api.Hosted{host}, Active: active}).Active.Rollout)
}

func TestWhatAStageTakesFreightAfterIsSaid(t *testing.T) {
	for want, takes := range map[string][]api.Take{
		"":                           {{Warehouse: "api"}},
		"dev":                        {{After: []string{"dev"}, Need: 1}, {After: []string{"dev"}, Need: 1}},
		"a and b, soaked for 1h0m0s": {{After: []string{"a", "b"}, Need: 2, Soak: "1h0m0s"}},
		"2 of a, b and c":            {{After: []string{"a", "b", "c"}, Need: 2}},
		"dev; 1 of a and b":          {{After: []string{"dev"}, Need: 1}, {After: []string{"a", "b"}, Need: 1}},
	} {
		require.Equal(t, want, after(takes))
	}
}

func TestTheMarkOfAStageIsThatOfTheWorstThatItHosts(t *testing.T) {
	drift := &api.Why{Sentence: "the files differ"}
	for want, s := range map[string]api.Stage{
		"empty":      {},
		"verified":   {Hosts: []api.Hosted{{Verdict: "passed"}}},
		"verifying":  {Hosts: []api.Hosted{{Verdict: "pending"}, {Verdict: "passed"}}},
		"no verdict": {Hosts: []api.Hosted{{Verdict: "pending"}, {Verdict: "inconclusive"}}},
		"drifted":    {Hosts: []api.Hosted{{Verdict: "passed", Drift: drift}}},
		"held":       {Hosts: []api.Hosted{{Verdict: "passed", Drift: drift}}, Holds: []api.Hold{{}}},
		"failed":     {Hosts: []api.Hosted{{Verdict: "failed", Drift: drift}}, Holds: []api.Hold{{}}},
	} {
		require.Equal(t, want, markOf(s).Word)
	}
}

func TestWhatWaitsForPeople(t *testing.T) {
	prod := stageAfter("prod", "dev")
	words := func(change func(s *api.Stage)) (all []string) {
		s := prod
		change(&s)
		for _, w := range waiting(s) {
			all = append(all, strings.Trim(w.Says+" "+w.Next, " "))
		}
		return all
	}
	available := []api.Coming{{Place: "unavailable"}, {
		FreightRef: api.FreightRef{Freight: "api#2"}, Place: "available",
		Why: api.Why{Sentence: "Available", Next: "/promote prod api#2"},
	}}
	require.Empty(t, words(func(s *api.Stage) { s.Coming = available }), "it starts by itself")
	require.Equal(t, []string{"api#2: Available /promote prod api#2"}, words(func(s *api.Stage) {
		s.Coming, s.Automatic = available, false
	}))
	require.Empty(t, words(func(s *api.Stage) { s.Coming, s.Automatic, s.Active = available, false, &api.Promotion{} }))
	require.Equal(t, []string{"api#2: One sign-off is missing /approve prod"}, words(func(s *api.Stage) {
		s.Active = &api.Promotion{Freight: "api#2", Why: api.Why{Sentence: "One sign-off is missing", Next: "/approve prod"}}
	}))
	require.Empty(t, words(func(s *api.Stage) {
		s.Active = &api.Promotion{Freight: "api#2", Why: api.Why{Sentence: "Queued", Next: "/cancel prod"}}
	}), "nobody has to cancel")
	require.Equal(t, []string{"api#2: A person merges it"}, words(func(s *api.Stage) {
		s.Active = &api.Promotion{Freight: "api#2", Why: api.Why{Sentence: "A person merges it", Code: "to-merge"}}
	}))
	require.Equal(t, []string{"api#1 failed: smoke failed /rollback prod"}, words(func(s *api.Stage) {
		s.Hosts = []api.Hosted{{
			FreightRef: api.FreightRef{Freight: "api#1"}, Cause: &api.Why{Sentence: "smoke failed"}, Next: "/rollback prod",
		}}
	}))
}

func TestTheCommandsThatFitAStage(t *testing.T) {
	labels := func(s api.Stage) (all []string) {
		for _, o := range offers(s) {
			all = append(all, o.Command)
		}
		return all
	}
	s := stageAfter("prod", "dev")
	require.Equal(t, []string{"hold prod"}, labels(s))
	s.Back = "api#1"
	s.Coming = []api.Coming{{FreightRef: api.FreightRef{Freight: "api#3"}, Place: "available"}}
	s.Holds = []api.Hold{{WholePipeline: true}, {Target: "eu"}}
	require.Equal(t, []string{"promote prod api#3", "hold prod", "rollback prod to api#1"}, labels(s))
	s.Holds = []api.Hold{{Warehouse: "api"}}
	require.Contains(t, labels(s), "hold prod")
	require.Contains(t, labels(s), "unhold prod api")
	s.Holds = []api.Hold{{WholePipeline: true}, {Target: "eu"}, {}}
	merged := time.Now()
	s.Active = &api.Promotion{Freight: "api#2", Why: api.Why{Next: "/approve prod"}}
	require.Equal(t, []string{"promote prod api#3", "approve prod", "deny prod", "cancel prod", "unhold prod",
		"rollback prod to api#1"}, labels(s))
	s.Active = &api.Promotion{Freight: "api#2", Merged: &merged}
	require.Equal(t, []string{"promote prod api#3", "unhold prod", "rollback prod to api#1"}, labels(s))
}

func TestSpansAreInTheirLargestUnit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 s", 59 * time.Second: "59 s", time.Minute: "1 min", 90 * time.Minute: "1 h", 47 * time.Hour: "47 h",
		50 * time.Hour: "2 days",
	} {
		require.Equal(t, want, span(d))
	}
}
