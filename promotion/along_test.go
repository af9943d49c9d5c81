package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// hosting is a snapshot of dev with some freight, which it has had in an order: the last it hosts.
func hosting(kind promotion.WarehouseKind, freight int, had ...int) *promotion.Snapshot {
	p := fixture.DevPipeline()
	p.Warehouses[0].Kind = kind
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0]}
	for n := 1; n <= freight; n++ {
		s.Freight = append(s.Freight, fixture.FreightNo(p, n))
	}
	for i, n := range had {
		d := promotion.Deployment{Promotion: promotion.Number(i + 1), Warehouse: "api", Freight: s.Freight[n-1].ID,
			Entered: fixture.Noon}
		if i+1 < len(had) {
			d.Left = fixture.Noon
		}
		s.Deployments = append(s.Deployments, d)
	}
	return s
}

// brings returns the numbers of the freight that a promotion of the n-th brings.
func brings(s *promotion.Snapshot, n int) (numbers []int) {
	all, _ := s.Brings(&s.Freight[n-1])
	for _, f := range all {
		numbers = append(numbers, f.Number)
	}
	return numbers
}

func TestWhatComesAlongIsWhatTheStageDoesNotHave(t *testing.T) { // semantics 4.5
	for _, c := range []struct {
		name  string
		kind  promotion.WarehouseKind
		had   []int
		n     int
		want  []int
		class promotion.Class
	}{
		{"what is newer than what is there", promotion.FromPulls, []int{1, 2}, 5, []int{5, 4, 3}, ""},
		{"all that is known, where nothing was", promotion.FromPulls, nil, 3, []int{3, 2, 1}, ""},
		{"nothing, if it is next", promotion.FromPulls, []int{2}, 3, []int{3}, ""},
		{"the same once it is there", promotion.FromPulls, []int{2, 5}, 5, []int{5, 4, 3}, ""},
		{"and when it is brought again", promotion.FromPulls, []int{2, 5, 5}, 5, []int{5, 4, 3}, ""},
		{"nothing, on the way back on one branch", promotion.FromPulls, []int{1, 5}, 4, []int{4}, ""},
		{"what is newer than what was there, where it may be of another branch", promotion.FromReleases, []int{1, 2, 5}, 4,
			[]int{4, 3}, ""},
		{"nothing, if it was there before", promotion.FromReleases, []int{1, 4, 5}, 4, []int{4}, ""},
		{"what was taken back comes anew", promotion.FromPulls, []int{2, 5, 2}, 5, []int{5, 4, 3}, ""},
		{"nothing by a rollback", promotion.FromPulls, []int{2, 5, 2}, 5, []int{5}, promotion.Rollback},
	} {
		s := hosting(c.kind, 6, c.had...)
		if c.class != "" {
			s.Promotions = []promotion.Promotion{{Number: 9, Class: c.class, State: promotion.WaitingForMerge,
				Freight: s.Freight[c.n-1].Ref()}}
		}
		require.Equal(t, c.want, brings(s, c.n), c.name)
	}
}

// TestABatchIsBroughtWhatItsTargetsDoNotHave has an earlier rollout end before it came to the second batch.
func TestABatchIsBroughtWhatItsTargetsDoNotHave(t *testing.T) { // semantics 4.5
	s := hosting(promotion.FromPulls, 5, 1, 4)
	s.Deployments[0].Results = []promotion.TargetResult{{Target: "canary"}, {Target: "eu"}}
	s.Deployments[1].Results = []promotion.TargetResult{{Target: "canary"}}
	p := promotion.Promotion{Number: 9, State: promotion.WaitingForMerge, Freight: s.Freight[4].Ref(),
		Rollout: &promotion.Rollout{Step: 1, Batches: []promotion.Batch{
			{Targets: []promotion.TargetName{"canary"}}, {Targets: []promotion.TargetName{"eu"}}}}}
	s.Promotions = []promotion.Promotion{p}
	require.Equal(t, []int{5}, brings(s, 5))
	p.Rollout.Batch, p.Rollout.Step = 1, 2
	require.Equal(t, []int{5, 4, 3, 2}, brings(s, 5))
	p.Rollout.Waiting = []promotion.TargetName{"eu"}
	require.Equal(t, []int{5}, brings(s, 5), "it takes no part")
}

func TestTooMuchComesAlongOnlyWhereItIsKnownSinceWhen(t *testing.T) { // semantics 4.5
	for _, had := range [][]int{nil, {1}} {
		s := hosting(promotion.FromPulls, promotion.MostAlong+3, had...)
		all, more := s.Brings(&s.Freight[promotion.MostAlong+2])
		require.Len(t, all, promotion.MostAlong+1)
		require.Equal(t, had != nil, more)
		_, more = s.Brings(&s.Freight[promotion.MostAlong+1])
		require.False(t, more)
	}
}
