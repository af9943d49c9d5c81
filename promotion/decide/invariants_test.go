package decide

import (
	"reflect"
	"slices"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// check checks the invariants of every decision.
func (h *history) check(t *rapid.T, stage *promotion.Stage, s *promotion.Snapshot, d promotion.Decision) {
	untouched := h.snapshot(stage)
	if !reflect.DeepEqual(untouched, s) {
		t.Fatalf("the snapshot is no longer as it was: %+v, %+v", untouched, s)
	}
	if same := Decide(untouched, h.now); !reflect.DeepEqual(d, same) {
		t.Fatalf("the same again is not the same: %+v, %+v", d, same)
	}
	next := apply(s, d)
	again := Decide(next, h.now)
	require.True(t, again.Nothing(), "deciding twice decided something new: %s", told(again))
	require.Equal(t, d.Wanted, again.Wanted, "deciding twice wants the same")
	require.True(t, d.Wake.IsZero() || d.Wake.After(h.now), "it wakes in the past")
	h.checkPromotions(t, s, d, next)
	h.checkSigners(t, s, d)
	h.checkStays(t, s, d, next)
	h.checkEffects(t, next, d)
	h.checkHolds(t, s, d)
	if !s.Removed {
		h.checkWaits(t, next, again)
	}
}

// checkSigners checks that nobody has signed off who has made any of what comes to the stage by it: of its warehouse
// the freight that is newer than what the stage hosts, up to that which is signed off.
func (h *history) checkSigners(t *rapid.T, s *promotion.Snapshot, d promotion.Decision) {
	for _, a := range d.Approvals {
		f, p := s.FreightAt(a.Freight), s.OpenOf(a.Freight)
		if a.Kind != promotion.SignOff || !a.Revoked.IsZero() || f < 0 || p == nil || !p.BringsNew() {
			continue
		}
		of, hosts := s.Freight[f], s.Hosted(s.Freight[f].Warehouse)
		for _, g := range h.freight {
			has := hosts >= 0 && !s.Freight[s.FreightAt(s.Deployments[hosts].Freight)].Before(g)
			if g.ID == of.ID || g.Warehouse == of.Warehouse && g.Before(of) && !has {
				require.False(t, g.MadeBy(a.By), "%s has made %s, and signs off %s", a.By.Login, g.Name, of.Name)
			}
		}
	}
}

// follows maps each state to those that may follow it, as in promotion/state.go; rolls has the extra ones of rollouts.
var follows = map[promotion.State][]promotion.State{
	"": {promotion.Queued},
	promotion.Queued: {promotion.Running, promotion.Verifying, promotion.Failed, promotion.Cancelled,
		promotion.Superseded},
	promotion.Running: {promotion.WaitingForMerge, promotion.Verifying, promotion.Failed, promotion.Declined,
		promotion.Cancelled, promotion.Superseded},
	promotion.WaitingForMerge: {promotion.Verifying, promotion.Failed, promotion.Declined, promotion.Cancelled,
		promotion.Superseded},
	promotion.Verifying: {promotion.Succeeded, promotion.VerificationFailed, promotion.Cancelled},
}

var rolls = map[promotion.State][]promotion.State{
	promotion.Running:         {promotion.Running, promotion.Succeeded, promotion.VerificationFailed},
	promotion.WaitingForMerge: {promotion.Running, promotion.Succeeded, promotion.VerificationFailed},
	promotion.Verifying:       {promotion.Running},
}

func (h *history) checkPromotions(t *rapid.T, s *promotion.Snapshot, d promotion.Decision, next *promotion.Snapshot) {
	was := map[promotion.Number]promotion.State{}
	for _, p := range s.Promotions {
		was[p.Number] = p.State
	}
	for _, e := range d.Log {
		if e.State == "" {
			continue
		}
		require.Contains(t, follows[was[e.Promotion]], e.State, "p%d was %s", e.Promotion, was[e.Promotion])
		was[e.Promotion] = e.State
	}
	active, open, automatic := 0, map[promotion.FreightID]int{}, map[promotion.FreightID]int{}
	for _, p := range next.Promotions {
		require.Equal(t, p.State, was[p.Number], "p%d changed its state without a word", p.Number)
		require.Equal(t, p.State.Ended(), !p.Ended.IsZero())
		require.Equal(t, p.MergeSHA != "", !p.Merged.IsZero())
		if p.State.Active() {
			active++
		}
		if !p.State.Ended() {
			open[p.Freight.ID]++
		}
		if p.Automatic {
			automatic[p.Freight.ID]++
		}
		require.LessOrEqual(t, open[p.Freight.ID], 1, "two open promotions of %s", p.Freight.Name)
		require.LessOrEqual(t, automatic[p.Freight.ID], 1, "%s was promoted by itself twice", p.Freight.Name)
	}
	require.LessOrEqual(t, active, 1, "one promotion at a time")
	for _, p := range d.Promotions {
		h.checkStart(t, s, d, p)
	}
}

// checkStart checks the conditions for an automatic promotion to be queued, and for any promotion to leave the queue.
func (h *history) checkStart(t *rapid.T, s *promotion.Snapshot, d promotion.Decision, p promotion.Promotion) {
	old := s.Promotion(p.Number)
	f := s.Freight[s.FreightAt(p.Freight.ID)]
	if old == nil && p.Automatic {
		require.True(t, s.Stage.Policy.Automatic && s.Stage.Delivery != promotion.DeliveryNone, "policy does not let it")
		for _, other := range s.Promotions {
			g := s.Freight[s.FreightAt(other.Freight.ID)]
			require.False(t, g.Warehouse == f.Warehouse && f.Before(g), "automation goes back from %s to %s", g.Name,
				f.Name)
		}
	}
	if old == nil && p.Repairs {
		h.checkRepair(t, s, d, p)
	}
	started := (old == nil || old.State == promotion.Queued) &&
		(p.State.Active() || p.State == promotion.Succeeded || p.State == promotion.VerificationFailed)
	if started && !p.BringsNew() {
		require.False(t, h.rejected(s.Stage, f), "what was rejected is put back")
	}
	if !started || p.Class == promotion.Rollback {
		return
	}
	require.True(t, p.Repairs || h.earned(s.Stage, f), "%s was promoted to %s and was not available", f.Name,
		s.Stage.Name)
	for _, o := range s.Holds {
		lifted := slices.ContainsFunc(d.Holds,
			func(l promotion.Hold) bool { return l.ID == o.ID && !l.Lifted.IsZero() })
		require.False(t, o.Stands(h.now) && !lifted && o.Stops(s.Stage.Name, f.Warehouse),
			"started although it was held")
	}
}

// checkRepair checks the conditions for a repair to be queued.
func (h *history) checkRepair(t *rapid.T, s *promotion.Snapshot, d promotion.Decision, p promotion.Promotion) {
	require.True(t, s.Stage.Drift == promotion.DriftRepair && s.Stage.Policy.Automatic, "nobody wants it")
	require.Equal(t, promotion.Automatic, p.Class)
	require.False(t, p.Automatic, "it is not the automatic promotion of its freight")
	deployment := s.HostedDeployment(p.Freight.ID)
	require.NotNil(t, deployment, "the stage does not host %s", p.Freight.Name)
	verdict := deployment.Verdict
	for _, judged := range d.Deployments { // a check that ran again may have changed the verdict in the same decision
		if judged.Promotion == deployment.Promotion {
			verdict = judged.Verdict
		}
	}
	require.NotEqual(t, promotion.Bad, verdict, "what is bad is put back")
	for _, v := range deployment.Wrote {
		require.NotEqual(t, h.files[s.Stage.Name][v.Key], v.Text, "the files say so already")
	}
}

// checkDrift checks, once everything has been decided, that drift is recorded exactly where it exists.
func (h *history) checkDrift(t *rapid.T) {
	for _, y := range h.stays {
		stage := h.p.Stage(y.Stage)
		busy := slices.ContainsFunc(h.promotions, func(p promotion.Promotion) bool {
			return p.Stage == y.Stage && p.Freight.Warehouse == y.Warehouse &&
				(p.State == promotion.Running || p.State == promotion.WaitingForMerge)
		})
		if y.Ended() || busy || h.removed[y.Stage] {
			continue
		}
		differs := stage.Drift != promotion.DriftIgnore &&
			slices.ContainsFunc(y.Wrote, func(v promotion.Value) bool { return h.files[y.Stage][v.Key] != v.Text })
		require.Equal(t, differs, y.Drift.Stands(), "p%d of %s wrote %v", y.Promotion, y.Stage, y.Wrote)
		require.False(t, stage.Drift == promotion.DriftReport && differs && !y.Drift.Told, "nobody is told")
	}
}

// earned reports by semantics 2.1 whether freight is available to a stage.
func (h *history) earned(stage *promotion.Stage, f promotion.Freight) bool {
	if source, _ := stage.Source(f.Warehouse); source.After != nil && h.rejected(stage, f) {
		return false
	}
	for _, a := range h.approvals {
		if a.Kind == promotion.Admission && a.Stage == stage.Name && a.Freight == f.ID && a.Revoked.IsZero() &&
			h.now.Before(a.Expires) && h.right(a.By) >= promotion.Maintain {
			return true
		}
	}
	return h.passes(stage, f, 0)
}

func (h *history) passes(stage *promotion.Stage, f promotion.Freight, soak time.Duration) bool {
	source, takes := stage.Source(f.Warehouse)
	if !takes || source.After == nil {
		return takes
	}
	n := 0
	for _, up := range source.After.Of {
		if h.good(up, f, max(soak, source.After.Soak)) {
			n++
		}
	}
	return n >= source.After.Need
}

// good reports whether a stage has verified freight and hosted it for the soak time.
func (h *history) good(up *promotion.Stage, f promotion.Freight, soak time.Duration) bool {
	if h.rejected(up, f) {
		return false
	}
	if up.Delivery == promotion.DeliveryNone {
		free := !slices.ContainsFunc(h.holds,
			func(o promotion.Hold) bool { return o.Stands(h.now) && (o.Stage == "" || o.Stage == up.Name) })
		return free && h.passes(up, f, soak)
	}
	verdict, longest := promotion.Pending, time.Duration(-1)
	for _, y := range h.stays {
		if y.Stage != up.Name || y.Freight != f.ID {
			continue
		}
		back := h.takenBack(y, f)
		if y.Drift.Stands() || !y.Drift.Righted.IsZero() || back {
			longest = min(longest, 0)
		}
		if y.Verdict == promotion.Passed || y.Verdict == promotion.Bad {
			verdict = y.Verdict
		}
		if back && verdict == promotion.Passed {
			verdict = promotion.Pending
		}
		if y.Verdict != promotion.Passed || back {
			continue
		}
		since, until := y.Judged, h.now
		for _, at := range []time.Time{y.Entered, y.Drift.Righted} {
			if since.Before(at) {
				since = at
			}
		}
		if y.Ended() {
			until = y.Left
		}
		if y.Verdict == promotion.Passed {
			longest = max(longest, until.Sub(since), 0)
		}
	}
	return verdict == promotion.Passed && longest >= soak
}

// rejected reports whether a person has rejected freight in a stage, or freight before it that nothing repairs.
func (h *history) rejected(stage *promotion.Stage, f promotion.Freight) bool {
	find := func(name string) (found promotion.Freight) {
		for _, g := range h.freight {
			if g.Name == name {
				found = g
			}
		}
		return found
	}
	return slices.ContainsFunc(h.rejects, func(r promotion.Reject) bool {
		bad := find(r.Freight.Name)
		here := r.Lifted.IsZero() && (r.Stage == "" || r.Stage == stage.Name) && bad.Warehouse == f.Warehouse
		return here && !f.Before(bad) && (r.FixedBy == "" || f.Before(find(r.FixedBy)))
	})
}

// takenBack reports whether a deployment of freight counts for nothing: its files differ, or older freight has been
// brought back after it, or is about to be.
func (h *history) takenBack(y promotion.Deployment, f promotion.Freight) bool {
	older := func(id promotion.FreightID) bool {
		return slices.ContainsFunc(h.freight, func(g promotion.Freight) bool {
			return g.ID == id && g.Warehouse == f.Warehouse && g.Before(f)
		})
	}
	asked := slices.ContainsFunc(h.promotions, func(p promotion.Promotion) bool {
		return p.Stage == y.Stage && p.Class == promotion.Rollback && !p.State.Ended() && p.Merged.IsZero() &&
			older(p.Freight.ID)
	})
	came := false
	for i, z := range h.stays {
		p := h.promotions[z.Promotion-1]
		came = came || z.Stage == y.Stage && older(z.Freight) && i > slices.IndexFunc(h.stays,
			func(o promotion.Deployment) bool { return o.Promotion == y.Promotion }) &&
			(p.Class == promotion.Rollback || p.Pins)
	}
	return y.Drift.Stands() || asked || came
}

func (h *history) checkStays(t *rapid.T, s *promotion.Snapshot, d promotion.Decision, next *promotion.Snapshot) {
	lasting := map[promotion.WarehouseName]int{}
	for _, y := range next.Deployments {
		if !y.Ended() {
			lasting[y.Warehouse]++
		}
		require.LessOrEqual(t, lasting[y.Warehouse], 1, "two pieces of freight are there at once")
	}
	for _, y := range d.Deployments {
		if i := s.DeploymentOf(y.Promotion); (i < 0 || s.Deployments[i].Verdict != y.Verdict) && y.JudgedBy.Bot() {
			h.checkVerdict(t, s, next, y)
		}
	}
}

// checkVerdict checks that every verdict not given by a person follows from signals: silence gives no verdict.
func (h *history) checkVerdict(t *rapid.T, s, next *promotion.Snapshot, y promotion.Deployment) {
	p := next.Promotion(y.Promotion)
	asked := !s.Attempt(y.Promotion).Observed.Before(p.Merged) && !s.Attempt(y.Promotion).Observed.IsZero()
	inherited := slices.ContainsFunc(next.Deployments, func(o promotion.Deployment) bool {
		return o.Promotion < y.Promotion && o.Plan == y.Plan && o.Verdict == y.Verdict
	})
	for i := range s.Stage.Targets[0].Verify {
		m := &s.Stage.Targets[0].Verify[i]
		says := func(good ...string) bool {
			return slices.ContainsFunc(runs(s), func(g promotion.Signal) bool {
				return promotion.Match(m.Pattern, g.Name) && slices.Contains(good, g.State)
			})
		}
		if y.Verdict == promotion.Passed {
			require.True(t, says("success") || m.Missing == promotion.LackPasses && asked ||
				m.Skipped == promotion.LackPasses && says("skipped", "neutral") || inherited,
				"%s passed without a signal of %s", p.Freight.Name, m)
		}
	}
	if y.Verdict == promotion.Bad {
		bad := slices.ContainsFunc(runs(s), func(g promotion.Signal) bool {
			return g.State == "failure" || g.State == "skipped" || g.State == "neutral"
		})
		require.True(t, bad || asked || inherited, "%s failed without a signal", p.Freight.Name)
	}
}

// runs returns all runs in the evidence.
func runs(s *promotion.Snapshot) (all []promotion.Signal) {
	for i := range s.Evidence {
		all = append(all, s.Evidence[i].Runs...)
	}
	return all
}

func (h *history) checkEffects(t *rapid.T, next *promotion.Snapshot, d promotion.Decision) {
	for _, e := range d.Effects {
		require.True(t, e.Verb.Is(promotion.Owed))
		require.False(t, h.owed[e.Key()], "%s is owed twice", e.Key())
		h.owed[e.Key()] = true
	}
	for i, e := range d.Wanted {
		require.False(t, e.Verb.Is(promotion.Owed))
		require.Equal(t, i, slices.IndexFunc(d.Wanted, func(o promotion.Effect) bool { return o.Key() == e.Key() }),
			"%s is wanted twice", e.Key())
		p := next.Promotion(e.Promotion)
		if brings := []promotion.Verb{promotion.Merge, promotion.Commit,
			promotion.Dispatching}; slices.Contains(brings, e.Verb) {
			h.checkEarned(t, next, p)
		}
		switch e.Verb {
		case promotion.PlanVerb, promotion.Open:
			require.False(t, p.State.Ended() || p.State == promotion.Verifying, "%s p%d is wanted, which is %s", e.Verb,
				p.Number, p.State)
		case promotion.Merge:
			require.Equal(t, promotion.WaitingForMerge, p.State)
			require.Equal(t, promotion.MergeAuto, next.Stage.Merge.By, "a person is to merge it")
			require.NotContains(t, h.stopping(next, p), true, "merged although it was held")
			require.Equal(t, next.Attempt(p.Number).Made.Head, h.pulls[p.Number].HeadSHA, "merged what is not ours")
		}
	}
}

// checkEarned checks that freight which is about to be brought to the stage is available there still, also to people
// (semantics 1.1): what goes back or is put back was there before.
func (h *history) checkEarned(t *rapid.T, s *promotion.Snapshot, p *promotion.Promotion) {
	if !p.BringsNew() {
		return
	}
	f := s.Freight[s.FreightAt(p.Freight.ID)]
	require.True(t, h.earned(s.Stage, f), "%s is brought to %s and is not available", f.Name, s.Stage.Name)
	require.Empty(t, Why(s, f.ID, h.now).Lacks.Code, "it is brought, and people are told that it is not available")
}

// stopping reports for each hold whether it stops a promotion.
func (h *history) stopping(s *promotion.Snapshot, p *promotion.Promotion) []bool {
	var all []bool
	for _, o := range s.Holds {
		all = append(all, o.Stands(h.now) && o.Stops(s.Stage.Name, p.Freight.Warehouse) &&
			!(p.Class == promotion.Rollback && o.By.Bot()))
	}
	return all
}

// checkHolds checks that only a permitted person lifts a person's hold.
func (h *history) checkHolds(t *rapid.T, s *promotion.Snapshot, d promotion.Decision) {
	for _, o := range d.Holds {
		was := slices.ContainsFunc(s.Holds, func(w promotion.Hold) bool { return w.ID == o.ID })
		if !was || o.Lifted.IsZero() || o.By.Bot() {
			continue
		}
		expired := !o.Until.IsZero() && !h.now.Before(o.Until)
		require.True(t, expired || o.LiftedBy.Is(o.By) || h.right(o.LiftedBy) >= promotion.Maintain,
			"%s lifted the hold of %s", o.LiftedBy.Login, o.By.Login)
	}
}

// checkWaits checks that every wait has a reason, and that there is a wake time if only a clock is waited for.
func (h *history) checkWaits(t *rapid.T, s *promotion.Snapshot, d promotion.Decision) {
	waits := Waits(s, h.now)
	require.Len(t, waits, len(only(s.Promotions, func(p promotion.Promotion) bool { return !p.State.Ended() })))
	for _, at := range waits {
		p := at.Promotion
		require.True(t, !at.Reason.IsZero() || wants(d, p.Number), "p%d is %s and waits without a reason", p.Number,
			p.State)
		if !at.Until.IsZero() {
			require.True(t, at.Until.After(h.now), "p%d waits until it is too late", p.Number)
			require.True(t, wants(d, p.Number) || !d.Wake.IsZero() && !d.Wake.After(at.Until),
				"p%d waits until %s, but nobody looks", p.Number, at.Until)
		}
	}
	for _, p := range s.Promotions {
		if p.State == promotion.Verifying && p.Reason.Code != promotion.Missing &&
			p.Reason.Code != promotion.Inconclusive {
			require.True(t, wants(d, p.Number) || !d.Wake.IsZero(), "p%d verifies, and nobody looks after its clock",
				p.Number)
		}
	}
}
