package dora_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/promotion"
	"waybill/promotion/dora"
	"waybill/promotion/internal/fixture"
)

// week is the window of the tests: from Monday, 2025-12-29.
var week = dora.Window{Since: fixture.Noon.AddDate(0, 0, -3).Add(-12 * time.Hour), Until: fixture.Noon.AddDate(0, 0, 4)}

// hour is a time so many hours after noon.
func hour(n float64) time.Time { return fixture.Noon.Add(time.Duration(n * float64(time.Hour))) }

// passage is the n-th promotion into dev, n hours after noon: of freight that was merged an hour before, queued half an
// hour later, and verified 15 minutes after its merge.
func passage(n int, verdict promotion.Verdict) promotion.Passage {
	at := hour(float64(n))
	p := promotion.Passage{
		Number: promotion.Number(n), Stage: "dev", Warehouse: "api", Freight: promotion.FreightID(fmt.Sprint("f", n)),
		Class: promotion.Automatic, Made: at.Add(-time.Hour), Queued: at.Add(-30 * time.Minute),
		Started: at.Add(-20 * time.Minute), Entered: at, Verdict: verdict,
	}
	if verdict != promotion.Pending {
		p.Judged = at.Add(15 * time.Minute)
	}
	return p
}

// with returns a passage after a change.
func with(p promotion.Passage, change func(*promotion.Passage)) promotion.Passage {
	change(&p)
	return p
}

// back makes a rollback of a passage.
func back(p *promotion.Passage) { p.Class, p.Pins = promotion.Rollback, true }

func numbers(all ...promotion.Passage) dora.Numbers {
	return dora.NewHistory(all, nil).Numbers(week, "dev")
}

func TestWhatIsADeploymentAndWhatIsAFailure(t *testing.T) {
	for claim, c := range map[string]struct {
		passages                    []promotion.Passage
		deployments, judged, failed int
	}{
		"nothing": {nil, 0, 0, 0},
		"one that is verified, one that failed and one without a verdict yet": {[]promotion.Passage{
			passage(1, promotion.Passed), passage(2, promotion.Bad), passage(3, promotion.Pending)}, 3, 2, 1},
		"nobody can tell": {[]promotion.Passage{passage(1, promotion.Undecided)}, 1, 0, 0},
		"what somebody went back from has failed, verified or not; the rollback is no deployment": {[]promotion.Passage{
			passage(1, promotion.Passed), passage(2, promotion.Passed), with(passage(3, promotion.Passed), back),
			passage(4, promotion.Undecided), with(passage(5, promotion.Passed), back)}, 3, 3, 2},
		"a person who promotes older freight goes back": {[]promotion.Passage{passage(1, promotion.Passed),
			with(passage(2, promotion.Passed), func(p *promotion.Passage) { p.Class, p.Pins = promotion.Manual, true })},
			1, 1, 1},
		"neither a repair nor a promotion to some targets is a deployment, or hides that somebody went back": {
			[]promotion.Passage{passage(1, promotion.Passed),
				with(passage(2, promotion.Passed), func(p *promotion.Passage) { p.Repairs = true }),
				with(passage(3, promotion.Bad), func(p *promotion.Passage) { p.Partly = true }),
				with(passage(4, promotion.Passed), back)}, 1, 1, 1},
		"a rollback after the next change is not about the one before it": {[]promotion.Passage{
			passage(1, promotion.Passed), passage(2, promotion.Bad), with(passage(3, promotion.Passed), back)}, 2, 2, 1},
		"one target that goes back is a failure, too": {[]promotion.Passage{passage(1, promotion.Passed),
			with(passage(2, promotion.Passed), func(p *promotion.Passage) { back(p); p.Partly = true })}, 1, 1, 1},
		"a rollback of another warehouse does not count": {[]promotion.Passage{passage(1, promotion.Passed),
			with(passage(2, promotion.Passed), func(p *promotion.Passage) { back(p); p.Warehouse = "web" })}, 1, 1, 0},
		"other stages do not count": {[]promotion.Passage{
			with(passage(1, promotion.Passed), func(p *promotion.Passage) { p.Stage = "prod" })}, 0, 0, 0},
	} {
		n := numbers(c.passages...)
		require.Equal(t, []int{c.deployments, c.judged, c.failed}, []int{n.Deployments, n.Judged, n.Failed}, claim)
	}
}

func TestAStageIsRestoredByTheNextThatIsVerified(t *testing.T) {
	n := numbers(passage(1, promotion.Bad), passage(2, promotion.Bad), passage(3, promotion.Undecided),
		with(passage(4, promotion.Passed), back))
	require.Equal(t, dora.Spread{Count: 1, Median: 3 * time.Hour, P90: 3 * time.Hour}, n.Restore,
		"from the first failure to the verdict on what came after")
	require.Zero(t, n.Broken)

	brought := with(passage(2, promotion.Passed), func(p *promotion.Passage) { p.Judged = hour(-5) })
	require.Equal(t, 45*time.Minute, numbers(passage(1, promotion.Bad), brought).Restore.Median,
		"a verdict that the freight brought along counts from its arrival")

	n = numbers(passage(1, promotion.Passed), with(passage(3, promotion.Passed), back))
	require.Equal(t, 45*time.Minute, n.Restore.Median, "from when somebody asked to go back")

	catchUp := with(passage(1, promotion.Passed), func(p *promotion.Passage) {
		p.Number, p.Partly, p.Entered, p.Judged = 2, true, hour(0.75), hour(1)
	})
	rollback := with(passage(3, promotion.Passed), func(p *promotion.Passage) {
		back(p)
		p.Queued, p.Started, p.Entered, p.Judged = hour(2), hour(2), hour(2.25), hour(2.5)
	})
	n = numbers(passage(0, promotion.Passed), catchUp, rollback)
	require.Equal(t, dora.Spread{Count: 1, Median: 30 * time.Minute, P90: 30 * time.Minute}, n.Restore,
		"what was verified before somebody went back restores nothing")

	n = numbers(passage(1, promotion.Bad), passage(2, promotion.Pending))
	require.Zero(t, n.Restore.Count)
	require.Equal(t, 1, n.Broken)
}

func TestTheLeadTimeIsWhatTheChangeWaitedFor(t *testing.T) {
	p := passage(1, promotion.Passed)
	p.Signed = p.Started.Add(5 * time.Minute)
	again := with(passage(2, promotion.Passed), func(q *promotion.Passage) { q.Freight = p.Freight })
	hold := promotion.Hold{Stage: "dev", At: p.Queued.Add(-time.Hour), Lifted: p.Queued.Add(4 * time.Minute)}
	whole := promotion.Hold{At: p.Queued.Add(3 * time.Minute), Until: p.Queued.Add(6 * time.Minute)}
	later := promotion.Hold{Warehouse: "api", Stage: "dev", At: p.Queued.Add(9 * time.Minute)}
	other := []promotion.Hold{{Stage: "prod"}, {Stage: "dev", Warehouse: "web"}, {Stage: "dev", Target: "eu"}}
	h := dora.NewHistory([]promotion.Passage{again, p}, append(other, hold, whole, later))
	n := h.Numbers(week, "dev")
	require.Equal(t, dora.Spread{Count: 1, Median: 75 * time.Minute, P90: 75 * time.Minute}, n.Lead)
	waits := map[dora.Cause]time.Duration{}
	for _, w := range n.Waits {
		require.Equal(t, w.Total, w.Median)
		waits[w.Cause] = w.Total
	}
	require.Equal(t, map[dora.Cause]time.Duration{
		dora.Before: 30 * time.Minute, dora.Held: 7 * time.Minute, dora.Turn: 3 * time.Minute,
		dora.SignOff: 5 * time.Minute, dora.Delivery: 15 * time.Minute, dora.Verification: 15 * time.Minute,
	}, waits)

	require.Zero(t, numbers(passage(1, promotion.Bad), with(passage(2, promotion.Passed), back)).Lead.Count,
		"neither what failed nor a rollback has a lead time")
}

// TestHoldsThatOverlapCountOnce looks at each minute of the queue.
func TestHoldsThatOverlapCountOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		at := func(name string) int { return rapid.IntRange(0, 30).Draw(r, name) }
		p := passage(1, promotion.Passed)
		p.Started = p.Queued.Add(20 * time.Minute)
		minute := func(n int) time.Time { return p.Queued.Add(time.Duration(n-5) * time.Minute) }
		var holds []promotion.Hold
		for range rapid.IntRange(0, 5).Draw(r, "holds") {
			h := promotion.Hold{Stage: "dev", At: minute(at("held"))}
			if rapid.Bool().Draw(r, "has ended") {
				h.Lifted = minute(at("lifted"))
			}
			holds = append(holds, h)
		}
		want := time.Duration(0)
		for n := range 20 {
			now := p.Queued.Add(time.Duration(n) * time.Minute)
			if slices.ContainsFunc(holds, func(h promotion.Hold) bool {
				return !h.At.After(now) && (h.Lifted.IsZero() || h.Lifted.After(now))
			}) {
				want += time.Minute
			}
		}
		n := dora.NewHistory([]promotion.Passage{p}, holds).Numbers(week, "dev")
		require.Equal(r, dora.Held, n.Waits[1].Cause)
		require.Equal(r, want, n.Waits[1].Total)
	})
}

// TestWaitsAddUpToTheLeadTime whatever the clocks of GitHub and Waybill say.
func TestWaitsAddUpToTheLeadTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		at := func(name string) time.Time { return hour(float64(rapid.IntRange(0, 48).Draw(r, name))) }
		p := passage(1, promotion.Passed)
		p.Made, p.Queued, p.Started, p.Signed = at("made"), at("queued"), at("started"), at("signed")
		p.Entered, p.Judged = at("entered"), at("judged")
		var holds []promotion.Hold
		for range rapid.IntRange(0, 3).Draw(r, "holds") {
			holds = append(holds, promotion.Hold{Stage: "dev", At: at("held"), Lifted: at("lifted")})
		}
		n := dora.NewHistory([]promotion.Passage{p}, holds).Numbers(week, "dev")
		var sum time.Duration
		for _, w := range n.Waits {
			require.GreaterOrEqual(r, w.Total, time.Duration(0), w.Cause)
			sum += w.Total
		}
		require.Equal(r, n.Lead.Median, sum)
	})
}

func TestSpreadsAreByTheNearestRank(t *testing.T) {
	for count, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 3: {2, 3}, 10: {5, 9}, 11: {6, 10}, 100: {50, 90}} {
		var all []promotion.Passage
		for i := range count {
			all = append(all, with(passage(1, promotion.Passed), func(p *promotion.Passage) {
				p.Freight, p.Made = promotion.FreightID(fmt.Sprint(i)), p.Judged.Add(-time.Duration(i+1)*time.Minute)
			}))
		}
		slices.Reverse(all)
		lead := numbers(all...).Lead
		require.Equal(t, dora.Spread{Count: count, Median: time.Duration(want[0]) * time.Minute,
			P90: time.Duration(want[1]) * time.Minute}, lead)
	}
}

func TestPeriodsAreDaysOrWeeks(t *testing.T) {
	n := numbers(passage(1, promotion.Passed), passage(13, promotion.Bad), passage(-84, promotion.Passed))
	require.Len(t, n.Periods, 8)
	require.True(t, week.Days())
	day := func(i int) time.Time { return time.Date(2025, 12, 29, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i) }
	require.Equal(t, []dora.Period{{From: day(0), Deployments: 1}, {From: day(1)}, {From: day(2)},
		{From: day(3), Deployments: 1}, {From: day(4), Deployments: 1, Failed: 1}}, n.Periods[:5])

	long := dora.Window{Since: week.Since.AddDate(0, 0, -40), Until: week.Until}
	n = dora.NewHistory([]promotion.Passage{passage(1, promotion.Passed)}, nil).Numbers(long, "dev")
	require.Len(t, n.Periods, 8)
	require.Equal(t, dora.Period{From: day(-42)}, n.Periods[0], "a Monday")
	require.Equal(t, dora.Period{From: day(0), Deployments: 1}, n.Periods[6])
	require.InDelta(t, 47.5/7, long.Weeks(), 0.01)
}

func TestTheLastStagesAreThoseThatNoOtherTakesFreightAfter(t *testing.T) {
	from := func(up ...*promotion.Stage) []promotion.Source {
		if len(up) == 0 {
			return []promotion.Source{{Warehouse: "api"}}
		}
		return []promotion.Source{{Warehouse: "api", After: &promotion.Gate{Of: up, Need: 1}}}
	}
	stage := func(name promotion.StageName, d promotion.Delivery, up ...*promotion.Stage) *promotion.Stage {
		return &promotion.Stage{Name: name, Delivery: d, From: from(up...)}
	}
	dev := stage("dev", promotion.DeliveryPullRequest)
	gate := stage("gate", promotion.DeliveryNone, dev)
	prod, other := stage("prod", promotion.DeliveryCommit, gate), stage("other", promotion.DeliveryWorkflow)
	ending := stage("ending", promotion.DeliveryNone, prod)
	all, last := dora.Stages(&promotion.Pipeline{Stages: []*promotion.Stage{dev, gate, prod, other, ending}})
	require.Equal(t, []promotion.StageName{"dev", "prod", "other"}, all)
	require.Equal(t, []promotion.StageName{"prod", "other"}, last, "what only passes freight on is no stage to reach")
}
