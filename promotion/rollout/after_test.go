package rollout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/rollout"
)

// open are gates that allow everything.
func open() rollout.Gates {
	return rollout.Gates{
		HoldOn:      func(promotion.TargetName) *promotion.Hold { return nil },
		Conditional: func(promotion.TargetName) bool { return false },
		Unready:     func(*promotion.Promotion, promotion.TargetName) bool { return false },
		Informed:    func(*promotion.Promotion, []promotion.TargetName, []promotion.TargetName) bool { return true },
		Known:       func() (bool, time.Time) { return true, time.Time{} },
		Halted:      func(*promotion.Promotion) (promotion.Reason, time.Time) { return promotion.Reason{}, time.Time{} },
	}
}

// rolling is a promotion to dev, which has the targets t1 and t2 in batch b1 and t3 in batch b2.
type rolling struct {
	s *promotion.Snapshot
	p *promotion.Promotion
	g rollout.Gates
}

// verified has deployed its freight to the first n targets and verified it there; with 0 it has just started.
func verified(t *testing.T, n int) rolling {
	s := fixture.InState(promotion.Verifying)
	s.Pipeline = fixture.Clusters(t, [2]int{2, 2}, [2]int{1, 1})
	s.Stage = s.Pipeline.Stages[0]
	r := rolling{s, &s.Promotions[0], open()}
	r.p.Rollout = &promotion.Rollout{Batches: s.Stage.Strategy.Batches, Batch: max(n-2, 0), Step: max(n-1, 0)}
	s.Deployments[0].Results = nil
	for i := range n {
		s.Deployments[0].Results = append(s.Deployments[0].Results, promotion.TargetResult{
			Target: s.Stage.Targets[i].Name, Step: 1 + i/2, Verdict: promotion.Passed, Judged: fixture.Noon,
		})
	}
	if n == 0 {
		s.Deployments = nil
	}
	return r
}

// next prints the next move of the rollout at noon.
func (r rolling) next() string {
	next := rollout.After(r.s, r.p, r.g, fixture.Noon)
	words := map[rollout.Kind]string{rollout.Begins: "begins", rollout.Rests: "rests", rollout.Halts: "halts",
		rollout.Asks: "asks", rollout.Awaits: "awaits", rollout.Finishes: "finishes", rollout.Stands: "stands",
		rollout.Ends: "ends"}
	text := words[next.Kind]
	if next.Kind == rollout.Begins {
		text += fmt.Sprint(" ", next.Progress.Targets)
	}
	if !next.Reason.IsZero() {
		text += fmt.Sprintf(" %s(%s)", next.State, next.Reason)
	}
	if !next.Until.IsZero() {
		text += fmt.Sprint(" for ", next.Until.Sub(fixture.Noon))
	}
	return text
}

func (r *rolling) hold() {
	r.g.Halted = func(*promotion.Promotion) (promotion.Reason, time.Time) {
		return promotion.Because(promotion.Held, "ann"), fixture.Noon.Add(time.Minute)
	}
}

func TestWhatBecomesOfAPromotionAfterAStep(t *testing.T) {
	for _, c := range []struct {
		name    string
		brought int
		given   func(r *rolling)
		want    string
	}{
		{"it starts with the first batch", 0, func(*rolling) {}, "begins [t1 t2]"},
		{"what has brought nothing was let pass before", 0, (*rolling).hold, "begins [t1 t2]"},
		{"the next batch begins", 2, func(*rolling) {}, "begins [t3]"},
		{"not before the batch has rested, whatever is held", 2, func(r *rolling) {
			r.p.Rollout.Batches[0].Wait = time.Hour
			r.hold()
		}, "rests (resting b1) for 1h0m0s"},
		{"not while it is held", 2, (*rolling).hold, "halts (held ann) for 1m0s"},
		{"not while nobody knows whether t3 is ready", 2, func(r *rolling) {
			r.g.Informed = func(_ *promotion.Promotion, targets, _ []promotion.TargetName) bool { return len(targets) != 1 }
		}, "asks (waiting)"},
		{"a verdict is awaited", 3, func(r *rolling) { r.s.Deployments[0].Results[2].Verdict = promotion.Pending }, "awaits"},
		{"all targets have a verdict", 3, func(*rolling) {}, "finishes"},
		{"which no hold changes", 3, (*rolling).hold, "finishes for 1m0s"},
		{"everything is there already", 3, func(r *rolling) { r.p.Number = 2 }, "stands"},
		{"where it was to go it is not", 2, func(r *rolling) {
			r.p.Number = 2
			r.s.Stage.Strategy.External, r.p.Only = true, []promotion.TargetName{"t3"}
			r.g.Unready = func(*promotion.Promotion, promotion.TargetName) bool { return true }
		}, "ends failed(unready t3)"},
		{"no target can take part", 0, func(r *rolling) {
			r.g.Unready = func(*promotion.Promotion, promotion.TargetName) bool { return true }
		}, "ends failed(unready t1 t2 t3)"},
		{"all targets are skipped", 0, func(r *rolling) {
			r.p.Rollout.Skipped = []promotion.TargetName{"t1", "t2", "t3"}
		}, "ends cancelled(skipped t1 t2 t3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := verified(t, c.brought)
			c.given(&r)
			before := *r.p.Rollout
			require.Equal(t, c.want, r.next())
			require.Equal(t, before, *r.p.Rollout, "a question changes nothing")
		})
	}
}

func TestTargetsThatAreGoneArePassedOver(t *testing.T) {
	r := verified(t, 2)
	r.s.Stage.Targets = r.s.Stage.Targets[:2]
	next := rollout.After(r.s, r.p, r.g, fixture.Noon)
	require.Equal(t, rollout.Finishes, next.Kind)
	require.Equal(t, []promotion.TargetName{"t3"}, next.Progress.Gone)
	r.p.Rollout = next.Progress
	require.Nil(t, rollout.After(r.s, r.p, r.g, fixture.Noon).Progress, "that is known by now")
}

func TestWhyAStepCannotGoOnWithAllOfItsTargets(t *testing.T) {
	r := verified(t, 0)
	r.p.Rollout.Targets = []promotion.TargetName{"t1", "t2", "t3"}
	require.Zero(t, rollout.Shrinks(r.s, r.p, r.g))
	r.p.Rollout.Skipped = []promotion.TargetName{"t1", "t3"}
	require.Equal(t, "skipped t1 t3", rollout.Shrinks(r.s, r.p, r.g).String())
	r.g.HoldOn = func(t promotion.TargetName) *promotion.Hold { return &promotion.Hold{By: fixture.Ann, Target: t} }
	require.Equal(t, "skipped t1 t3", rollout.Shrinks(r.s, r.p, r.g).String(), "the first reason counts")
	r.p.Rollout.Skipped = nil
	require.Equal(t, "held ann", rollout.Shrinks(r.s, r.p, r.g).String())
}
