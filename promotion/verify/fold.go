package verify

import (
	"slices"

	"waybill/promotion"
)

// The numbers of runs to keep of those that one matcher names, on the merge commit and on later heads each. Runs that
// passed say the same, so that a few are enough; each of the others has to be repaired, or to end, by itself.
const (
	KeptPassed = 20  // newest runs that passed, or count for nothing
	KeptOther  = 100 // newest runs that failed; as many that go on; as many that are inconclusive
)

// Fold returns which of the runs the evidence can do without, and for each matcher the largest id of its runs that it
// can do without, 0 if there are none. It leaves the newest runs of each outcome, so that the verdicts of the matchers
// stay the same: a stage at rest under a busy branch has thousands of runs that passed. Runs that count for no matcher
// are not needed.
func Fold(e *promotion.Evidence, matchers []promotion.Matcher) (needless []int, folded []int64) {
	needed := make([]bool, len(e.Runs))
	folded = make([]int64, len(matchers))
	for m := range matchers {
		counts := map[class]int{}
		for i := range slices.Backward(e.Runs) {
			g := &e.Runs[i]
			if !matchers[m].Names(g) || e.Suite(g).OfOurs() {
				continue
			}
			c := classOf(e, g, &matchers[m])
			if counts[c]++; counts[c] <= c.kept() {
				needed[i] = true
			} else if folded[m] == 0 {
				folded[m] = g.ID
			}
		}
	}
	for i := range needed {
		if !needed[i] {
			needless = append(needless, i)
		}
	}
	return needless, folded
}

// class is a class of runs of which a few newest are enough.
type class struct {
	outcome   promotion.Verdict
	overtaken bool
	later     bool  // on a later head than the merge commit
	brought   int64 // of a run of a workflow: the promotion that has started it
}

// kept is how many runs of a class are kept.
func (c class) kept() int {
	if c.outcome == promotion.Passed || c.outcome == none || c.overtaken {
		return KeptPassed
	}
	return KeptOther
}

func classOf(e *promotion.Evidence, g *promotion.Signal, m *promotion.Matcher) class {
	suite := e.Suite(g)
	c := class{outcome: outcome(g, suite), later: g.SHA != e.Commit, overtaken: overtaken(g, e.Head)}
	if m.DecidedBySuites() && (suite == nil || !suite.Completed) {
		c.outcome = promotion.Pending
	}
	if g.Kind == promotion.KindRun {
		c.brought = g.Suite
	}
	return c
}
