package verify

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/promotion"
)

func TestRunsThatAreLeftOutChangeNoVerdict(t *testing.T) {
	states := []string{"success", "success", "success", "success", "neutral", "skipped", "cancelled", "failure",
		"in_progress", "stale"}
	rapid.Check(t, func(r *rapid.T) {
		matchers := []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "smoke"},
			{Kind: promotion.KindCheck, Pattern: "s*"}}
		s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: promotion.OnePlace(&promotion.Stage{Name: "dev"},
			promotion.Target{Verify: matchers})}
		s.Pipeline.Stages = []*promotion.Stage{s.Stage}
		e := promotion.Evidence{Arrival: promotion.Arrival{Commit: "m"}, Head: "h199"}
		allowed := rapid.SliceOfN(rapid.SampledFrom(states), 1, 3).Draw(r, "states")
		for i := range rapid.IntRange(1, 400).Draw(r, "runs") {
			g := promotion.Signal{Kind: promotion.KindCheck, ID: int64(i + 1), SHA: promotion.SHA(fmt.Sprint("h", i/2)),
				Suite: int64(i % 7),
				Name:  "smoke", State: allowed[i%len(allowed)]}
			g.Name = []string{"smoke", "s", "other"}[i%3]
			if i%11 == 0 {
				g.SHA = "m"
			}
			e.Runs = append(e.Runs, g)
		}
		for id := range int64(6) { // the seventh suite is unknown
			e.Suites = append(e.Suites, promotion.Suite{ID: id, Completed: id != 5 || rapid.Bool().Draw(r, "completed"),
				Conclusion: "success"})
		}
		says := func() (all []Opinion) {
			of := *s
			of.Evidence, of.Look = []promotion.Evidence{e}, nil
			trial, _ := JudgeOf(&of, new(Sharing)).trialOf(promotion.Arrival{Commit: "m"})
			for i := range matchers {
				o := JudgeOf(&of, new(Sharing)).hear(&trial, &matchers[i])
				o.At, o.Reason.URL = time.Time{}, ""
				all = append(all, o)
			}
			return all
		}
		before := says()
		needless, folded := Fold(&e, matchers)
		for _, i := range slices.Backward(needless) {
			if matchers[1].Names(&e.Runs[i]) {
				require.LessOrEqual(r, e.Runs[i].ID, slices.Max(folded))
			}
			e.Runs = slices.Delete(e.Runs, i, i+1)
		}
		require.Equal(r, before, says())
		again, _ := Fold(&e, matchers)
		require.Empty(r, again)
	})
}

func TestOfRunsThatPassedAFewAreEnough(t *testing.T) {
	e := promotion.Evidence{Arrival: promotion.Arrival{Commit: "m"}, Head: "last"}
	for id := range int64(1000) {
		g := promotion.Signal{Kind: promotion.KindStatus, ID: id + 1, SHA: promotion.SHA(fmt.Sprint("h", id)),
			Name: "smoke", State: "success"}
		if id%5 == 0 {
			g.State = "failure"
		}
		e.Runs = append(e.Runs, g)
	}
	needless, folded := Fold(&e,
		[]promotion.Matcher{{Kind: promotion.KindStatus, Pattern: "smoke"},
			{Kind: promotion.KindStatus, Pattern: "e2e"}})
	require.Len(t, needless, 1000-KeptPassed-KeptOther)
	require.Equal(t, []int64{975, 0}, folded)
}
