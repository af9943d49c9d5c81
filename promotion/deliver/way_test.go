package deliver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

func free(promotion.Verb) (why promotion.Reason, until time.Time) { return why, until }

// held is a hold: it stops everything but the opening of a pull request.
func held(step promotion.Verb) (why promotion.Reason, until time.Time) {
	if step == promotion.Open {
		return why, until
	}
	return promotion.Because(promotion.Held, "bob"), noon
}

// soaks is freight that is not available before noon: nothing may go on with it.
func soaks(promotion.Verb) (promotion.Reason, time.Time) {
	return promotion.Because(promotion.Soaking, "dev"), noon
}

// running is promotion 1 in state running, with a plan.
func running() Case {
	return Case{
		Promotion: &promotion.Promotion{Number: 1, State: promotion.Running},
		Attempt:   promotion.Attempt{Promotion: 1, Plan: &promotion.Plan{Round: 1}}, Branch: "main",
		Merge: promotion.MergeAuto,
	}
}

// open is promotion 1 with an open pull request.
func open() Case {
	c := running()
	c.Promotion.State = promotion.WaitingForMerge
	c.Attempt.Propose(promotion.Made{Round: 1, Head: "h1"}, "waybill/1", 7)
	c.Pull = &promotion.Pull{Number: 7, HeadSHA: "h1", Base: "main", State: promotion.PullOpen, Revision: 3}
	return c
}

func TestEachDeliveryHasAWay(t *testing.T) {
	require.Len(t, ways, len(promotion.Deliveries))
	for _, d := range promotion.Deliveries {
		require.NotNil(t, Of(d, running()), d)
	}
}

// TestWhatHasBegunGoesOnInItsWay, even if the stage's delivery has changed since.
func TestWhatHasBegunGoesOnInItsWay(t *testing.T) {
	committing, starting, committed, started := running(), running(), running(), running()
	committing.Attempt.BeginCommit(0, 1)
	starting.Attempt.BeginStart(noon)
	committed.Attempt.BeginCommit(0, 1)
	committed.Attempt.Deliver(promotion.Made{Round: 1, Base: "b0", Head: "c1", At: noon})
	started.Attempt.BeginStart(noon)
	started.Attempt.Deliver(promotion.Made{Round: 1, Base: "c1", Head: "c1", At: noon})
	for _, d := range promotion.Deliveries {
		require.Equal(t, pull{}, Of(d, open()))
		require.Equal(t, commit{}, Of(d, committing))
		require.Equal(t, workflow{}, Of(d, starting))
		require.Equal(t, commit{}, Of(d, committed))
		require.Equal(t, workflow{}, Of(d, started))
	}
}

// TestWhatAWayWants lists the effect that each case needs next, both when the gates allow it and when they do not.
func TestWhatAWayWants(t *testing.T) {
	of := func(c Case, change func(*Case)) Case { change(&c); return c }
	for _, it := range []struct {
		name       string
		way        Way
		c          Case
		free, held string
	}{
		{"a pull request without a plan", pull{}, of(running(), func(c *Case) { c.Attempt.Plan = nil }), "plan/1/1",
			"plan/1/1"},
		{"a pull request that is to be opened", pull{}, running(), "open/1/1", "open/1/1"},
		{"an open pull request", pull{}, open(), "merge/1/3", ""},
		{"a pull request that people merge", pull{}, of(open(), func(c *Case) { c.Merge = promotion.MergeManual }), "", ""},
		{"a pull request in the merge queue", pull{}, of(open(), func(c *Case) { c.Pull.Queue = promotion.InQueue }), "",
			"dequeue/1/3"},
		{"a pull request that conflicts", pull{}, of(open(), func(c *Case) { c.Pull.Conflicts = true }), "plan/1/2",
			"plan/1/2"},
		{"a pull request with a newer plan", pull{}, of(open(), func(c *Case) { c.Attempt.Plan = &promotion.Plan{Round: 2} }),
			"open/1/2", "open/1/2"},
		{"a pull request that others pushed to", pull{}, of(open(), func(c *Case) { c.Pull.HeadSHA = "x" }), "", ""},
		{"a pull request that was turned elsewhere", pull{}, of(open(), func(c *Case) { c.Pull.Base = "x" }), "", ""},
		{"one of these that conflicts there", pull{},
			of(open(), func(c *Case) { c.Pull.Base, c.Pull.Conflicts = "x", true }), "", ""},
		{"one of these that stands behind there", pull{},
			of(open(), func(c *Case) { c.Pull.Base, c.Attempt.Behind = "x", "h1" }), "", ""},
		{"a merge that was refused", pull{}, of(open(), func(c *Case) { c.Attempt.RefuseMerge(3, "reviews") }), "", ""},
		{"a merge that was refused earlier", pull{}, of(open(), func(c *Case) { c.Attempt.RefuseMerge(2, "reviews") }),
			"merge/1/3", ""},
		{"a pull request for which the pipeline file has another plan", pull{},
			of(open(), func(c *Case) { c.Replaced = true }), "plan/1/2", "plan/1/2"},
		{"one of these that others pushed to", pull{},
			of(open(), func(c *Case) { c.Replaced, c.Pull.HeadSHA = true, "x" }), "", ""},
		{"one of these that stands in the merge queue", pull{},
			of(open(), func(c *Case) { c.Replaced, c.Pull.Queue = true, promotion.InQueue }), "dequeue/1/3", "dequeue/1/3"},
		{"one of these that is not open yet", pull{}, of(running(), func(c *Case) { c.Replaced = true }), "plan/1/2",
			"plan/1/2"},
		{"a commit for which it has another plan", commit{}, of(running(), func(c *Case) { c.Replaced = true }), "plan/1/2",
			"plan/1/2"},
		{"a workflow for which it has another plan", workflow{}, of(running(), func(c *Case) { c.Replaced = true }),
			"plan/1/2", "plan/1/2"},
		{"a commit", commit{}, running(), "commit/1/1", ""},
		{"a commit without a plan", commit{}, of(running(), func(c *Case) { c.Attempt.Plan = nil }), "plan/1/1", "plan/1/1"},
		{"a commit that came too late", commit{}, of(running(), func(c *Case) { c.Attempt.Miss(1) }), "plan/1/2", "plan/1/2"},
		{"a commit that has begun", commit{}, of(running(), func(c *Case) { c.Attempt.BeginCommit(0, 1) }), "commit/1/1",
			"commit/1/1"},
		{"a workflow", workflow{}, running(), "dispatch/1/1", ""},
		{"a workflow without a plan", workflow{}, of(running(), func(c *Case) { c.Attempt.Plan = nil }), "plan/1/1",
			"plan/1/1"},
		{"a workflow that has begun", workflow{}, of(running(), func(c *Case) { c.Attempt.BeginStart(noon) }), "dispatch/1/1",
			"dispatch/1/1"},
	} {
		t.Run(it.name, func(t *testing.T) {
			e, until := it.way.Want(it.c, free)
			require.Equal(t, it.free, keyOf(e))
			require.Zero(t, until)
			e, _ = it.way.Want(it.c, held)
			require.Equal(t, it.held, keyOf(e))
		})
	}
}

func keyOf(e promotion.Effect) string {
	if e.Verb == "" {
		return ""
	}
	return string(e.Key())
}

// TestWhatTheGatesRefuseIsLookedAtAgainWhenThatEnds: the refusal of a gate has an end, which becomes the wake time.
func TestWhatTheGatesRefuseIsLookedAtAgainWhenThatEnds(t *testing.T) {
	for _, it := range []struct {
		way Way
		c   Case
	}{{pull{}, open()}, {commit{}, running()}, {workflow{}, running()}} {
		_, until := it.way.Want(it.c, held)
		require.Equal(t, noon, until)
		why, until := it.way.Why(it.c, held)
		require.Equal(t, promotion.Because(promotion.Held, "bob"), why)
		require.Equal(t, noon, until)
		why, _ = it.way.Why(it.c, free)
		require.Zero(t, why)
	}
	why, _ := pull{}.Why(running(), held)
	require.Zero(t, why, "a pull request is opened during a hold")
	e, until := pull{}.Want(running(), soaks)
	require.Empty(t, keyOf(e), "none is opened for freight that is not available")
	require.Equal(t, noon, until)
	why, _ = pull{}.Why(running(), soaks)
	require.Equal(t, promotion.Because(promotion.Soaking, "dev"), why)
	c := running()
	c.Attempt.Plan = nil
	e, _ = pull{}.Want(c, soaks)
	require.Equal(t, "plan/1/1", keyOf(e), "a plan changes nothing")
	c = running()
	c.Attempt.BeginCommit(0, 1)
	why, _ = commit{}.Why(c, held)
	require.Zero(t, why, "what has begun waits for nothing")
}

func TestWhatGitHubsAnswersMean(t *testing.T) {
	refused := promotion.Because(promotion.Refused)
	c := open()
	require.Equal(t, Shown, pull{}.Follow(c).Kind)
	c.Pull.State = promotion.PullClosed
	require.Equal(t, promotion.Declined, pull{}.Follow(c).State)
	c.Pull.State = promotion.PullMerged
	require.Equal(t, News{Kind: Arrived, Merged: c.Pull}, pull{}.Follow(c))
	c.Pull.Base = "elsewhere"
	require.Equal(t, News{Kind: Ended, State: promotion.Failed,
		Reason: promotion.Because(promotion.PlanChanged, "elsewhere", "elsewhere")},
		pull{}.Follow(c))
	c = open()
	c.Attempt.Fail(refused)
	require.Equal(t, News{Kind: Ended, State: promotion.Failed, Reason: refused, Clean: true}, pull{}.Follow(c))

	for _, way := range []Way{pull{}, commit{}, workflow{}} {
		c = running()
		require.Equal(t, Quiet, way.Follow(c).Kind)
		require.False(t, way.Spent(c))
		c.Attempt.Fail(refused)
		require.Equal(t, News{Kind: Ended, State: promotion.Failed, Reason: refused, Clean: way == pull{}}, way.Follow(c),
			"a branch may be there without its pull request")
	}
	c = running()
	c.Attempt.BeginCommit(0, 1)
	require.Equal(t, Unsure, commit{}.Follow(c).Kind)
	c.Attempt.Deliver(promotion.Made{Round: 1, Head: "c1", At: noon})
	require.Equal(t, News{Kind: Arrived, Merged: c.Attempt.Arrived()}, commit{}.Follow(c))
	c = running()
	c.Attempt.BeginStart(noon)
	require.Equal(t, Unsure, workflow{}.Follow(c).Kind)
}

// TestRoundsFromTheFourthOnRest: GitHub shows some changes late, and an immediate round would fail again.
func TestRoundsFromTheFourthOnRest(t *testing.T) {
	late, conflicting := running(), open()
	conflicting.Pull.Conflicts = true
	for _, it := range []struct {
		way  Way
		c    Case
		past func(c *Case, round int)
	}{
		{commit{}, late, func(c *Case, round int) { c.Attempt.Late = round }},
		{pull{}, conflicting, func(c *Case, round int) { c.Attempt.Made.Round = round }},
	} {
		for round, rest := range map[int]time.Duration{
			1: 0, 2: 0, 3: 2 * time.Second, 4: 4 * time.Second, 8: time.Minute, MaxRounds: time.Minute,
		} {
			c := it.c
			c.Now, c.Attempt.Plan = noon, &promotion.Plan{Round: round, At: noon}
			it.past(&c, round)
			if rest > 0 {
				e, until := it.way.Want(c, held)
				require.Zero(t, e)
				require.Equal(t, noon.Add(rest), until)
				why, until := it.way.Why(c, held)
				require.Equal(t, promotion.Because(promotion.Overtaken), why)
				require.Equal(t, noon.Add(rest), until)
			}
			c.Now = noon.Add(rest)
			e, until := it.way.Want(c, held)
			require.Equal(t, Plan(c.Attempt), e)
			require.Zero(t, until)
		}
	}
}

func TestMakingACommitAnewEndsAtSomePoint(t *testing.T) {
	late := running()
	late.Attempt.Miss(MaxRounds - 1)
	require.False(t, commit{}.Spent(late))
	late.Attempt.Miss(MaxRounds)
	require.True(t, commit{}.Spent(late))
	c := open()
	c.Pull.Conflicts, c.Attempt.Made.Round, c.Attempt.Plan.Round = true, MaxRounds, MaxRounds
	require.True(t, pull{}.Spent(c))
	c.Attempt.Plan.Round++
	require.False(t, pull{}.Spent(c), "there is a newer plan to try")
	c.Attempt.Plan.Round, c.Pull.Base = MaxRounds, "x"
	require.False(t, pull{}.Spent(c), "another branch has no say")
	why, _ := pull{}.Why(c, free)
	require.Equal(t, promotion.Because(promotion.PlanChanged, "retargeted", "main"), why)
	c.Pull.Base = "main"
	c.Attempt.Plan.Round, c.Pull.Conflicts = MaxRounds, false
	require.False(t, pull{}.Spent(c))
}
