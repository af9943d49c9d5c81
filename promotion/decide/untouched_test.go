package decide

import (
	"reflect"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// roomy copies the slices of a snapshot with spare capacity. A decision that appends to a slice of the snapshot leaves
// a trace there.
func roomy(s *promotion.Snapshot) *promotion.Snapshot {
	c := *s
	c.Promotions = append(make([]promotion.Promotion, 0, 50), s.Promotions...)
	c.Deployments = append(make([]promotion.Deployment, 0, 50), s.Deployments...)
	c.Holds = append(make([]promotion.Hold, 0, 50), s.Holds...)
	c.Approvals = append(make([]promotion.Approval, 0, 50), s.Approvals...)
	c.Requests = append(make([]promotion.Request, 0, 50), s.Requests...)
	c.Newest = append(make([]promotion.Mark, 0, 50), s.Newest...)
	return &c
}

// all returns the slices with their spare capacity.
func all(s *promotion.Snapshot) []any {
	return []any{s.Promotions[:50], s.Deployments[:50], s.Holds[:50], s.Approvals[:50], s.Requests[:50], s.Newest[:50]}
}

func TestADecisionLeavesTheSnapshotAsItIs(t *testing.T) {
	admitted := promotion.Approval{Kind: promotion.Admission, Freight: "x", Expires: noon, Entitled: true}
	for name, s := range map[string]*promotion.Snapshot{
		"a verdict of a person is forgotten": func() *promotion.Snapshot {
			s := says(inState(promotion.Succeeded), "/verify dev")
			s.Deployments[0].JudgedBy = bob
			return s
		}(),
		"a person decides": says(letDecide(inState(promotion.Verifying)), `/verdict dev pass --because "seen"`),
		"two admissions expire": func() *promotion.Snapshot {
			s := inState(promotion.Succeeded)
			s.Approvals = []promotion.Approval{admitted, admitted}
			return s
		}(),
		"somebody signs off": says(inState(promotion.WaitingForMerge), "/approve dev"),
		"somebody holds":     says(inState(promotion.Succeeded), "/hold dev"),
		"somebody unholds": says(held(inState(promotion.Succeeded), promotion.Hold{Stage: "dev", By: ann}),
			"/unhold dev"),
		"a merge replaces what was there": func() *promotion.Snapshot {
			s := hosting(promotion.Passed)
			waiting(s, 2, promotion.Automatic)
			s.Promotions[1].State, s.Promotions[1].Rollout, s.Attempts[1].Pull = promotion.WaitingForMerge, oneStep(), 7
			s.Pulls = []promotion.Pull{{Number: 7, State: promotion.PullMerged, MergeSHA: "m2", MergedAt: noon}}
			return s
		}(),
		"the first merge": func() *promotion.Snapshot {
			s := inState(promotion.WaitingForMerge)
			s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon
			return s
		}(),
		"freight is queued": func() *promotion.Snapshot {
			s := inState(promotion.Succeeded)
			s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
			return s
		}(),
		"a rollback": says(hosting(promotion.Passed, promotion.Pending), "/rollback dev"),
	} {
		t.Run(name, func(t *testing.T) {
			before, after := roomy(s), roomy(s)
			require.False(t, Decide(after, noon).Nothing())
			require.True(t, reflect.DeepEqual(all(before), all(after)))
			require.Equal(t, before, after)
		})
	}
}

func TestAMergeReplacesWhatWasThere(t *testing.T) {
	s := hosting(promotion.Passed)
	waiting(s, 2, promotion.Automatic)
	s.Promotions[1].State, s.Promotions[1].Rollout, s.Attempts[1].Pull = promotion.WaitingForMerge, oneStep(), 7
	s.Pulls = []promotion.Pull{{Number: 7, State: promotion.PullMerged, MergeSHA: "m2", MergedAt: noon.Add(-time.Second)}}
	d := Decide(s, noon)
	require.Equal(t, "p2 verifying", told(d))
	require.Equal(t, noon.Add(-time.Second), d.Deployments[0].Left)
	require.Equal(t,
		promotion.Deployment{Promotion: 2, Stage: "dev", Warehouse: "api", Freight: s.Freight[1].ID, Commit: "m2",
			Entered: noon.Add(-time.Second), Since: noon.Add(-time.Second),
			Results: []promotion.TargetResult{{Step: 1, Commit: "m2", Merged: noon.Add(-time.Second),
				Since: noon.Add(-time.Second)}}}, d.Deployments[1])
	require.True(t, d.Ripples)
}
