package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// soakIn is a gate behind one stage.
func soakIn(up *promotion.Stage, soak time.Duration) *promotion.Gate {
	return &promotion.Gate{Of: []*promotion.Stage{up}, Need: 1, Soak: soak}
}

// settling is a stage up that hosts api#1, verified 20 minutes ago, and takes api#2 by itself once that has soaked for
// the stage behind it, which wants an hour.
func settling() (*promotion.Snapshot, *promotion.Promotion) {
	p := &promotion.Pipeline{Warehouses: []*promotion.Warehouse{{Name: "api"}}}
	one, two := fixture.FreightNo(p, 1), fixture.FreightNo(p, 2)
	up := &promotion.Stage{Name: "up", Delivery: promotion.DeliveryPullRequest, Intake: promotion.IntakeAfterSoak,
		From: []promotion.Source{{Warehouse: "api"}}}
	down := &promotion.Stage{Name: "down", Index: 1, Delivery: promotion.DeliveryPullRequest,
		From: []promotion.Source{{Warehouse: "api", After: soakIn(up, time.Hour)}}}
	p.Stages = []*promotion.Stage{up, down}
	s := &promotion.Snapshot{Pipeline: p, Stage: up, Freight: []promotion.Freight{one, two},
		Deployments: []promotion.Deployment{{Promotion: 1, Stage: "up", Warehouse: "api", Freight: one.ID,
			Entered: noon.Add(-time.Hour), Verdict: promotion.Passed, Judged: noon.Add(-20 * time.Minute)}}}
	return s, &promotion.Promotion{Number: 2, Freight: two.Ref(), Class: promotion.Automatic}
}

func TestAStageLetsWhatItHostsSoak(t *testing.T) {
	s, p := settling()
	why, until := gate.KeeperOf(s, noon).Settling(p)
	require.Equal(t, "keeps api#1 down", why.String())
	require.Equal(t, noon.Add(40*time.Minute), until)
	why, _ = gate.KeeperOf(s, until).Settling(p)
	require.True(t, why.IsZero())
}

func TestWhatDoesNotWaitForASoak(t *testing.T) {
	for name, change := range map[string]func(*promotion.Snapshot, *promotion.Promotion){
		"a stage that takes freight at once": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			s.Stage.Intake = promotion.IntakeAtOnce
		},
		"a person":         func(_ *promotion.Snapshot, p *promotion.Promotion) { p.Class = promotion.Manual },
		"a rollback":       func(_ *promotion.Snapshot, p *promotion.Promotion) { p.Class = promotion.Rollback },
		"a repair":         func(s *promotion.Snapshot, p *promotion.Promotion) { p.Repairs = true },
		"the same freight": func(s *promotion.Snapshot, p *promotion.Promotion) { p.Freight = s.Freight[0].Ref() },
		"an empty stage":   func(s *promotion.Snapshot, _ *promotion.Promotion) { s.Deployments = nil },
		"what failed here": func(s *promotion.Snapshot, _ *promotion.Promotion) { s.Deployments[0].Verdict = promotion.Bad },
		"what has drifted": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			s.Deployments[0].Drift = promotion.Drift{Count: 1, Says: []promotion.Value{{Path: "a.yaml"}}}
		},
		"what is taken back": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			zero := fixture.FreightNo(s.Pipeline, 0)
			s.Freight = append([]promotion.Freight{zero}, s.Freight...)
			s.Promotions = []promotion.Promotion{{Number: 3, Freight: zero.Ref(), Class: promotion.Rollback,
				State: promotion.Queued}}
		},
		"what nobody judged": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			s.Deployments[0].Verdict = promotion.Undecided
		},
		"stages that want no soak": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			s.Pipeline.Stages[1].From[0].After.Soak = 0
		},
		"what has soaked here before": func(s *promotion.Snapshot, _ *promotion.Promotion) {
			before := s.Deployments[0]
			before.Entered, before.Judged, before.Left = noon.Add(-9*time.Hour), noon.Add(-9*time.Hour), noon.Add(-5*time.Hour)
			s.Deployments = append([]promotion.Deployment{before}, s.Deployments...)
		},
	} {
		s, p := settling()
		change(s, p)
		why, _ := gate.KeeperOf(s, noon).Settling(p)
		require.Empty(t, why.String(), name)
	}
}

func TestTheLongestSoakCountsThroughPassThroughStages(t *testing.T) {
	s, p := settling()
	up, down := s.Pipeline.Stages[0], s.Pipeline.Stages[1]
	via := &promotion.Stage{Name: "via", Index: 2,
		From: []promotion.Source{{Warehouse: "api", After: soakIn(up, 2*time.Hour)}}}
	prod := &promotion.Stage{Name: "prod", Index: 3, Delivery: promotion.DeliveryPullRequest,
		From: []promotion.Source{{Warehouse: "api", After: soakIn(via, 0)}}}
	s.Pipeline.Stages = []*promotion.Stage{up, down, via, prod}
	why, until := gate.KeeperOf(s, noon).Settling(p)
	require.Equal(t, "keeps api#1 down prod", why.String())
	require.Equal(t, noon.Add(100*time.Minute), until)
}

func TestAStageNamesThoseOnlyForWhichItLetsFreightSoak(t *testing.T) {
	s, p := settling()
	soon := &promotion.Stage{Name: "soon", Index: 2, Delivery: promotion.DeliveryPullRequest,
		From: []promotion.Source{{Warehouse: "api", After: soakIn(s.Stage, 10*time.Minute)}}}
	s.Pipeline.Stages = append(s.Pipeline.Stages, soon)
	why, until := gate.KeeperOf(s, noon.Add(-15*time.Minute)).Settling(p)
	require.Equal(t, "keeps api#1 down soon", why.String())
	require.Equal(t, noon.Add(40*time.Minute), until)
	why, until = gate.KeeperOf(s, noon).Settling(p)
	require.Equal(t, "keeps api#1 down", why.String(), "it has soaked for soon")
	require.Equal(t, noon.Add(40*time.Minute), until)
}
