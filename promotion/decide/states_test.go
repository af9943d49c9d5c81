package decide

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"waybill/internal/golden"
	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// news lists all events about a promotion and its stage, each as a change of the snapshot.
var news = []struct {
	name string
	tell func(s *promotion.Snapshot)
}{
	{"nothing", func(*promotion.Snapshot) {}},
	{"its plan is known", func(s *promotion.Snapshot) {
		s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Paths: []string{"dev.yaml"}, Hash: "h1"}
	}},
	{"its plan changes nothing", func(s *promotion.Snapshot) {
		s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Hash: "h1"}
	}},
	{"a file cannot be changed", func(s *promotion.Snapshot) {
		s.Attempts[0].Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon,
			Problem: promotion.Because(promotion.Unreadable, "dev.yaml")}
	}},
	{"its pull request is open", func(s *promotion.Snapshot) { openPull(s) }},
	{"its pull request is merged", func(s *promotion.Snapshot) {
		openPull(s)
		s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon
	}},
	{"its pull request is closed", func(s *promotion.Snapshot) {
		openPull(s)
		s.Pulls[0].State, s.Pulls[0].By = promotion.PullClosed, promotion.Actor{ID: 9, Login: "bob"}
	}},
	{"its pull request conflicts", func(s *promotion.Snapshot) { openPull(s); s.Pulls[0].Conflicts = true }},
	{"its head is not ours", func(s *promotion.Snapshot) { openPull(s); s.Pulls[0].HeadSHA = "x" }},
	{"GitHub refused the merge", func(s *promotion.Snapshot) {
		openPull(s)
		s.Attempts[0].RefuseMerge(1, "reviews")
	}},
	{"GitHub refused the name",
		func(s *promotion.Snapshot) { s.Attempts[0].Fail(promotion.Because(promotion.Refused)) }},
	{"a check passed", func(s *promotion.Snapshot) { hear(s, smokeRun(2, "success")) }},
	{"a check failed", func(s *promotion.Snapshot) { hear(s, smokeRun(2, "failure")) }},
	{"a check was cancelled", func(s *promotion.Snapshot) { hear(s, smokeRun(2, "cancelled")) }},
	{"a check runs", func(s *promotion.Snapshot) { hear(s, smokeRun(2, "in_progress")) }},
	{"15 minutes of silence", func(s *promotion.Snapshot) { silent(s, 16*time.Minute, 0) }},
	{"GitHub confirms 15 minutes of silence",
		func(s *promotion.Snapshot) { silent(s, 16*time.Minute, 16*time.Minute) }},
	{"GitHub confirms an hour without verdict", func(s *promotion.Snapshot) {
		hear(s, smokeRun(2, "in_progress"))
		silent(s, 61*time.Minute, 61*time.Minute)
	}},
	{"the stage's files say something else", func(s *promotion.Snapshot) {
		s.Stage.Targets[0].Changes[0].Set = []promotion.Assignment{{Key: "tag"}}
		for i := range s.Deployments {
			s.Deployments[i].Wrote = []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "1"}}
		}
		s.Readings = []promotion.Reading{{On: s.Pipeline.FilesOf(s.Stage), Commit: "m2",
			Values: []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "hotfix"}}}}
	}},
	{"newer freight", func(s *promotion.Snapshot) { s.Freight = append(s.Freight, freightNo(s.Pipeline, 2)) }},
	{"a person holds", func(s *promotion.Snapshot) {
		s.Holds = []promotion.Hold{{ID: 9, Stage: "dev", By: promotion.Actor{ID: 9, Login: "bob"}, At: noon}}
	}},
	{"the stage is removed", func(s *promotion.Snapshot) { s.Removed = true }},
	{"/promote dev #1", ask(promotion.Command{Verb: promotion.CmdPromote, Stage: "dev", Freight: "#1"})},
	{"/hold dev", ask(promotion.Command{Verb: promotion.CmdHold, Stage: "dev"})},
	{"/unhold dev", ask(promotion.Command{Verb: promotion.CmdUnhold, Stage: "dev"})},
	{"/cancel dev", ask(promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"})},
	{"/retry dev", ask(promotion.Command{Verb: promotion.CmdRetry, Stage: "dev"})},
	{"/rollback dev", ask(promotion.Command{Verb: promotion.CmdRollback, Stage: "dev"})},
	{"/verify dev", ask(promotion.Command{Verb: promotion.CmdVerify, Stage: "dev"})},
	{"/verdict dev pass", ask(promotion.Command{Verb: promotion.CmdVerdict, Stage: "dev", Pass: true, Text: "seen"})},
	{"/verdict dev fail", ask(promotion.Command{Verb: promotion.CmdVerdict, Stage: "dev", Text: "seen"})},
	{"/approve dev", ask(promotion.Command{Verb: promotion.CmdApprove, Stage: "dev"})},
	{"/deny dev", ask(promotion.Command{Verb: promotion.CmdDeny, Stage: "dev"})},
}

func openPull(s *promotion.Snapshot) {
	a := &s.Attempts[0]
	a.Propose(promotion.Made{Round: 1, Head: "h1"}, "", 7)
	if a.Plan == nil {
		a.Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon, Paths: []string{"dev.yaml"}, Hash: "h1"}
	}
	s.Pulls = []promotion.Pull{{Number: 7, HeadSHA: "h1", State: promotion.PullOpen, Revision: 1}}
}

// silent moves the merge to the past; asked is the time from the merge to the last request to GitHub.
func silent(s *promotion.Snapshot, long, asked time.Duration) {
	p := &s.Promotions[0]
	if p.Merged.IsZero() {
		return
	}
	p.Merged = noon.Add(-long)
	s.Deployments[0].Entered, s.Deployments[0].Since = p.Merged, p.Merged
	if asked > 0 {
		s.Attempts[0].Observed = p.Merged.Add(asked)
	}
}

func ask(c promotion.Command) func(*promotion.Snapshot) {
	return func(s *promotion.Snapshot) {
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}}}
		s.Requests = []promotion.Request{{ID: 5, Command: c, By: promotion.Actor{ID: 3, Login: "ann"},
			Permission: promotion.Write, Surface: "#1", At: noon, Observed: noon}}
	}
}

// TestStateMatrix decides about every event in every state, checks the invariants, and compares the decisions with
// docs/states.md.
func TestStateMatrix(t *testing.T) {
	var b strings.Builder
	b.WriteString("# States\n\nFor developers, and for people who ask why Waybill did something: the decision for each " +
		"state of a promotion and each\nevent. `make docs` makes this page from `promotion/decide/states_test.go`.\n\n" +
		"Promotion p1 of `api#1` in stage `dev` is in the state that heads the table when the news in the left column " +
		"arrives;\nthe right column has the whole decision. The stage has no targets; " +
		"[rollouts](rollouts.md#events-and-their-results)\nhas a table of its own.\n")
	for _, state := range promotion.States {
		fmt.Fprintf(&b, "\n## %s\n\n| news | decision |\n|---|---|\n", state)
		for _, n := range news {
			s := inState(state)
			n.tell(s)
			untouched := inState(state)
			n.tell(untouched)
			d := Decide(s, noon)
			require.Equal(t, untouched, s, "deciding changes nothing")
			t.Run(fmt.Sprintf("%s, %s", state, n.name), func(t *testing.T) { checkAlways(t, s, d) })
			fmt.Fprintf(&b, "| %s | %s |\n", n.name, cmp.Or(told(d), "-"))
		}
	}
	golden.Check(t, "../../docs/states.md", b.String(), "make docs")
}

// checkAlways checks the invariants of every decision.
func checkAlways(t *testing.T, s *promotion.Snapshot, d promotion.Decision) {
	t.Helper()
	next := apply(s, d)
	active := 0
	for i, p := range next.Promotions {
		if p.State.Active() {
			active++
		}
		require.Equal(t, p.State.Ended(), !p.Ended.IsZero(), "p%d is %s", p.Number, p.State)
		if i < len(s.Promotions) && s.Promotions[i].State.Ended() {
			require.Equal(t, s.Promotions[i], p, "ends are final")
		}
		if p.State == promotion.Verifying {
			require.NotEmpty(t, p.MergeSHA)
		}
	}
	require.LessOrEqual(t, active, 1, "one promotion at a time")
	again := Decide(next, noon)
	require.True(t, again.Nothing(), "deciding twice decided something new: %s", told(again))
	require.Equal(t, d.Wanted, again.Wanted, "deciding twice wants the same")
	for _, p := range next.Promotions {
		if p.State.Ended() || wants(again, p.Number) || p.State == promotion.Running {
			continue
		}
		at := Why(next, p.Freight.ID, noon)
		require.False(t, at.Reason.IsZero(), "p%d waits in %s without a reason", p.Number, p.State)
	}
}

func wants(d promotion.Decision, n promotion.Number) bool {
	for _, e := range d.Wanted {
		if e.Promotion == n {
			return true
		}
	}
	return false
}

// apply returns the snapshot after a decision has been stored.
func apply(s *promotion.Snapshot, d promotion.Decision) *promotion.Snapshot {
	next := *s
	next.Promotions = append([]promotion.Promotion(nil), s.Promotions...)
	for _, p := range d.Promotions {
		put(&next.Promotions, p, func(q promotion.Promotion) bool { return q.Number == p.Number })
		for _, f := range s.Freight {
			if f.ID == p.Freight.ID && next.Mark(f.Warehouse).Before(&f) {
				next.Newest = append([]promotion.Mark(nil), next.Newest...)
				put(&next.Newest, promotion.Mark{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number},
					func(m promotion.Mark) bool { return m.Warehouse == f.Warehouse })
			}
		}
		next.Next = max(next.Next, p.Number+1)
	}
	next.Deployments = append([]promotion.Deployment(nil), s.Deployments...)
	for _, y := range d.Deployments {
		put(&next.Deployments, y, func(q promotion.Deployment) bool { return q.Promotion == y.Promotion })
	}
	if len(next.Deployments) > len(s.Deployments) {
		next.Readings = nil // the files have to be read again
	}
	next.Holds = append([]promotion.Hold(nil), s.Holds...)
	for _, h := range d.Holds {
		put(&next.Holds, h, func(q promotion.Hold) bool { return q.ID == h.ID })
		next.NextID = max(next.NextID, h.ID+1)
	}
	next.Approvals = append([]promotion.Approval(nil), s.Approvals...)
	for _, a := range d.Approvals {
		put(&next.Approvals, a, func(b promotion.Approval) bool { return b.ID == a.ID })
		next.NextID = max(next.NextID, a.ID+1)
	}
	next.Rejects = append([]promotion.Reject(nil), s.Rejects...)
	for _, r := range d.Rejects {
		put(&next.Rejects, r, func(q promotion.Reject) bool { return q.ID == r.ID })
		next.NextID = max(next.NextID, r.ID+1)
	}
	next.Requests = nil
	for _, r := range s.Requests {
		answered := false
		for _, a := range d.Answered {
			answered = answered || a.Request == r.ID
		}
		if !answered {
			next.Requests = append(next.Requests, r)
		}
	}
	return &next
}

// put replaces the element for which same is true, or appends one.
func put[T any](all *[]T, one T, same func(T) bool) {
	for i, old := range *all {
		if same(old) {
			(*all)[i] = one
			return
		}
	}
	*all = append(*all, one)
}
