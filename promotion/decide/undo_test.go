package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestAFirstVerdictTakesAStageBackAndNoOther(t *testing.T) { // semantics 5.5
	for _, c := range []struct {
		name    string
		change  func(s *promotion.Snapshot)
		command string
		want    bool
	}{
		{"a signal", func(s *promotion.Snapshot) { hear(s, smokeRun(1, "failure")) }, "", true},
		{"a person", nil, `/verdict dev fail --because "seen"`, true},
		{"not a good one", nil, `/verdict dev pass --because "seen"`, false},
		{"not where the stage does not want it", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Stage.Strategy.Undoes = false
		}, "", false},
		{"not after an inconclusive one", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Promotions[1].Reason = promotion.Because(promotion.Inconclusive, "smoke")
		}, "", false},
		{"not that of a person after an inconclusive one", func(s *promotion.Snapshot) {
			s.Promotions[1].Reason = promotion.Because(promotion.Missing, "smoke")
		}, `/verdict dev fail --because "seen"`, false},
		{"not of a promotion that changed nothing", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Promotions[1].Reason = promotion.Because(promotion.NoChange)
		}, "", false},
		{"not of a rollback", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Promotions[1].Class = promotion.Rollback
		}, "", false},
		{"not where nothing older is good", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Deployments[0].Verdict = promotion.Bad
		}, "", false},
		{"not of a promotion that has ended", func(s *promotion.Snapshot) {
			hear(s, smokeRun(1, "failure"))
			s.Promotions[1].State, s.Deployments[1].Verdict = promotion.Succeeded, promotion.Passed
			s.Deployments[1].Results[0].Verdict = promotion.Passed
		}, "", false},
	} {
		s := hosting(promotion.Passed, promotion.Pending)
		s.Stage.Strategy.Undoes = true
		s.Promotions[1].MergeSHA, s.Deployments[1].Commit, s.Deployments[1].Results[0].Commit = "m1", "m1", "m1"
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}}}
		if c.change != nil {
			c.change(s)
		}
		if c.command != "" {
			s = says(s, c.command)
		}
		back := ""
		for _, p := range Decide(s, noon).Promotions {
			if p.Class == promotion.Rollback && p.Number > 2 {
				back = p.Freight.Name
				require.Empty(t, p.Only, "the whole stage")
				require.Equal(t, promotion.Number(2), p.Cause)
			}
		}
		require.Equal(t, c.want, back == "api#1", "%s: %q", c.name, back)
	}
}
