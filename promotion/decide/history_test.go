package decide

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/verify"

	"pgregory.net/rapid"
)

// history is a random history of a small pipeline: the state of GitHub and Waybill's decisions so far. GitHub is as
// unfriendly as it can be: it answers late, twice, or for an effect that is no longer wanted.
type history struct {
	p          *promotion.Pipeline
	now        time.Time
	freight    []promotion.Freight
	promotions []promotion.Promotion
	attempts   map[promotion.Number]*promotion.Attempt
	pulls      map[promotion.Number]*promotion.Pull
	stays      []promotion.Deployment
	signals    []promotion.Signal
	suites     []promotion.Suite
	pushes     []promotion.Push
	files      map[promotion.StageName]map[string]string // the contents of the stages' files, by key
	holds      []promotion.Hold
	rejects    []promotion.Reject
	approvals  []promotion.Approval
	requests   map[promotion.StageName][]promotion.Request
	removed    map[promotion.StageName]bool
	last       map[promotion.StageName]promotion.Decision
	owed       map[promotion.EffectKey]bool
	begun      []promotion.Effect // in flight: not carried out yet
	rights     map[promotion.Login]promotion.Permission
	ids        int64
	turn       int
}

func newHistory(t *rapid.T) *history {
	h := &history{
		now: noon, attempts: map[promotion.Number]*promotion.Attempt{}, pulls: map[promotion.Number]*promotion.Pull{},
		requests: map[promotion.StageName][]promotion.Request{}, files: map[promotion.StageName]map[string]string{},
		removed: map[promotion.StageName]bool{}, last: map[promotion.StageName]promotion.Decision{},
		owed: map[promotion.EffectKey]bool{}, rights: map[promotion.Login]promotion.Permission{},
		turn: rapid.IntRange(0, 1<<20).Draw(t, "turn"),
	}
	h.drawPipeline(t)
	return h
}

// drawPipeline draws a pipeline. Stage a takes from the warehouse, b from the warehouse or after a, via only passes
// freight on, and prod comes after some of them.
func (h *history) drawPipeline(t *rapid.T) {
	api, web := &promotion.Warehouse{Name: "api", Repo: "acme/api"}, &promotion.Warehouse{Name: "web", Repo: "acme/web"}
	h.p = &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Warehouses: []*promotion.Warehouse{api, web}}
	h.p.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdVerdict: {{Permission: promotion.Maintain}}, promotion.CmdAdmit: {{Permission: promotion.Maintain}},
	}
	a, b, prod := h.drawStage(t, "a"), h.drawStage(t, "b"), h.drawStage(t, "prod")
	via := promotion.OnePlace(&promotion.Stage{Name: "via"},
		promotion.Target{})
	a.From = []promotion.Source{{Warehouse: "api"}}
	if drawOf(t, h, "a takes web", true, false) {
		a.From = append(a.From, promotion.Source{Warehouse: "web"})
	}
	b.From = []promotion.Source{{Warehouse: "api"}}
	if drawOf(t, h, "b is behind a", true, false) {
		b.From[0].After = h.drawGate(t, a)
	}
	via.From = []promotion.Source{{Warehouse: "api", After: h.drawGate(t, a)}}
	behind := drawOf(t, h, "prod is behind", []*promotion.Stage{a}, []*promotion.Stage{b}, []*promotion.Stage{via},
		[]*promotion.Stage{a, b}, []*promotion.Stage{b, via}, []*promotion.Stage{a, b, via})
	prod.From = []promotion.Source{{Warehouse: "api", After: h.drawGate(t, behind...)}}
	h.p.Stages = []*promotion.Stage{a, b, via, prod}
	for i, s := range h.p.Stages {
		s.Index = i
	}
}

func (h *history) drawGate(t *rapid.T, of ...*promotion.Stage) *promotion.Gate {
	return &promotion.Gate{Of: of, Need: min(drawOf(t, h, "need", 1, 2, 3), len(of)),
		Soak: drawOf(t, h, "soak", 0, 0, 30*time.Minute, 2*time.Hour)}
}

func (h *history) drawStage(t *rapid.T, name string) *promotion.Stage {
	s := promotion.OnePlace(&promotion.Stage{
		Name: promotion.StageName(name), Delivery: promotion.DeliveryPullRequest,
		Policy: promotion.StagePolicy{Automatic: drawOf(t, h, "automatic", true, true, true, false)},
		Merge: promotion.Merging{
			By: drawOf(t, h, "merge", promotion.MergeAuto, promotion.MergeAuto, promotion.MergeManual),
		},
		Queue: drawOf(t, h, "queue", promotion.QueueLatest, promotion.QueueFIFO),
		OnFailedVerification: drawOf(t, h, "on failure", promotion.OnFailureCancel, promotion.OnFailureHold,
			promotion.OnFailureContinue),
		Drift: drawOf(t, h, "drift", promotion.DriftReport, promotion.DriftRepair, promotion.DriftRepair,
			promotion.DriftIgnore),
	}, promotion.Target{
		Changes: []promotion.Change{{Path: name + ".yaml", Set: []promotion.Assignment{{Key: "api"}, {Key: "web"}}}},
	})
	for _, pattern := range drawOf(
		t, h, "verify", nil, []string{name + "-smoke"}, []string{name + "-e2e*"}, []string{name + "-smoke", "shared"},
	) {
		s.Targets[0].Verify = append(s.Targets[0].Verify, promotion.Matcher{
			Kind: promotion.KindCheck, Pattern: pattern, App: "ci", Appear: 15 * time.Minute, Timeout: time.Hour,
			Missing: drawOf(t, h, "missing", promotion.LackHolds, promotion.LackHolds, promotion.LackPasses,
				promotion.LackFails),
			Skipped: drawOf(t, h, "skipped", promotion.LackHolds, promotion.LackHolds, promotion.LackPasses,
				promotion.LackFails),
		})
	}
	return s
}

// snapshot returns the snapshot of a stage. Two snapshots share no memory that a decision could change.
func (h *history) snapshot(stage *promotion.Stage) *promotion.Snapshot {
	s := &promotion.Snapshot{Pipeline: h.p, Stage: stage, Next: promotion.Number(len(h.promotions) + 1),
		NextID: h.ids + 1}
	if h.removed[stage.Name] {
		s.Removed, s.Stage = true, promotion.OnePlace(&promotion.Stage{Name: stage.Name, Index: -1}, promotion.Target{})
	}
	for _, w := range h.p.Warehouses {
		mine := only(h.freight, func(f promotion.Freight) bool { return f.Warehouse == w.Name })
		slices.SortFunc(mine, func(f, g promotion.Freight) int {
			if f.Before(g) {
				return -1
			}
			return 1
		})
		s.Freight = append(s.Freight, mine...)
	}
	s.Promotions = only(h.promotions, func(p promotion.Promotion) bool { return p.Stage == stage.Name })
	for i := range s.Freight {
		f := &s.Freight[i]
		if slices.ContainsFunc(s.Promotions, func(p promotion.Promotion) bool { return p.Freight.ID == f.ID }) &&
			s.Mark(f.Warehouse).Before(f) {
			s.Newest = slices.DeleteFunc(s.Newest, func(m promotion.Mark) bool { return m.Warehouse == f.Warehouse })
			s.Newest = append(s.Newest, promotion.Mark{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number})
		}
	}
	for _, p := range s.Promotions {
		if a := h.attempts[p.Number]; a != nil {
			s.Attempts = append(s.Attempts, *a)
		}
		if pull := h.pulls[p.Number]; pull != nil {
			s.Pulls = append(s.Pulls, *pull)
		}
	}
	s.Deployments = only(h.stays, func(y promotion.Deployment) bool { return y.Stage == stage.Name })
	s.Readings = []promotion.Reading{h.reading(stage.Name)}
	past := map[promotion.StageName]map[promotion.FreightID][]promotion.Deployment{}
	for _, y := range h.stays {
		if past[y.Stage] == nil {
			past[y.Stage] = map[promotion.FreightID][]promotion.Deployment{}
		}
		past[y.Stage][y.Freight] = append(past[y.Stage][y.Freight], y)
	}
	for _, up := range h.p.Stages {
		records := make([]promotion.Record, len(s.Freight))
		for i, f := range s.Freight {
			records[i] = promotion.NewRecord(&f, past[up.Name][f.ID], h.withdrawals(up.Name))
		}
		for _, p := range h.promotions {
			carried := s.FreightAt(p.Freight.ID)
			if p.Stage != up.Name || carried < 0 {
				continue
			}
			for i, f := range s.Freight {
				records[i].Taken = records[i].Taken ||
					f.Warehouse == p.Freight.Warehouse && !s.Freight[carried].Before(f)
			}
			records[carried].Coming = records[carried].Coming || !p.State.Ended()
		}
		s.Records = append(s.Records, records)
	}
	s.Holds = only(h.holds, func(o promotion.Hold) bool { return o.Lifted.IsZero() })
	s.Rejects = only(h.rejects, func(r promotion.Reject) bool { return r.Lifted.IsZero() })
	for _, a := range only(h.approvals,
		func(a promotion.Approval) bool { return a.Stage == stage.Name && a.Revoked.IsZero() }) {
		verb := promotion.CmdApprove
		if a.Kind == promotion.Admission {
			verb = promotion.CmdAdmit
		}
		a.Entitled = command.Entitles(h.p.Policy, verb, stage.Name, h.right(a.By), nil)
		s.Approvals = append(s.Approvals, a)
	}
	for _, r := range h.requests[stage.Name] {
		r.Permission = h.right(r.By)
		s.Requests = append(s.Requests, r)
	}
	s.Evidence = verify.Gather(s, h.signals, h.suites, h.pushes)
	return s
}

// withdrawals returns the promotions of a stage that take freight back there.
func (h *history) withdrawals(stage promotion.StageName) (all []promotion.Withdrawal) {
	for _, p := range h.promotions {
		for i := range h.freight {
			if f := &h.freight[i]; f.ID == p.Freight.ID && p.Stage == stage && p.Withdraws() {
				all = append(all, promotion.Withdrawal{Promotion: p, To: f.Mark()})
			}
		}
	}
	return all
}

// reading returns a reading of the files of a stage.
func (h *history) reading(stage promotion.StageName) promotion.Reading {
	r := promotion.Reading{On: h.p.At(), Commit: h.base()}
	for _, key := range []string{"api", "web"} {
		r.Values = append(r.Values, promotion.Value{Path: string(stage) + ".yaml", Key: key, Text: h.files[stage][key]})
	}
	return r
}

// say changes a key in the files of a stage.
func (h *history) say(stage promotion.StageName, key, text string) {
	if h.files[stage] == nil {
		h.files[stage] = map[string]string{}
	}
	h.files[stage][key] = text
}

func (h *history) right(who promotion.Actor) promotion.Permission {
	if p, granted := h.rights[who.Login]; granted {
		return p
	}
	return promotion.Write
}

// write stores a decision.
func (h *history) write(s *promotion.Snapshot, d promotion.Decision) {
	next := apply(s, d)
	for _, p := range next.Promotions {
		put(&h.promotions, p, func(q promotion.Promotion) bool { return q.Number == p.Number })
		if h.attempts[p.Number] == nil {
			h.attempts[p.Number] = &promotion.Attempt{Promotion: p.Number, Files: h.p.At()}
		}
	}
	for _, y := range next.Deployments {
		put(&h.stays, y, func(z promotion.Deployment) bool { return z.Promotion == y.Promotion })
	}
	for _, o := range next.Holds {
		put(&h.holds, o, func(q promotion.Hold) bool { return q.ID == o.ID })
	}
	for _, r := range next.Rejects {
		put(&h.rejects, r, func(q promotion.Reject) bool { return q.ID == r.ID })
	}
	for _, a := range next.Approvals {
		put(&h.approvals, a, func(b promotion.Approval) bool { return b.ID == a.ID })
	}
	h.requests[s.Stage.Name] = next.Requests
	h.ids = max(h.ids, next.NextID-1)
	h.last[s.Stage.Name] = d
}

// decideAll decides all stages until nothing changes, and checks every decision.
func (h *history) decideAll(t *rapid.T) {
	for range 100 {
		moved := false
		for _, stage := range h.p.Stages {
			moved = h.decide(t, stage) || moved
		}
		if !moved {
			h.checkDrift(t)
			return
		}
	}
	t.Fatal("it does not come to rest")
}

func (h *history) decide(t *rapid.T, stage *promotion.Stage) (moved bool) {
	s := h.snapshot(stage)
	d := Decide(s, h.now)
	h.check(t, stage, s, d)
	h.write(s, d)
	return !d.Nothing()
}

// wanted returns the effects that all stages want now.
func (h *history) wanted() []promotion.Effect {
	var all []promotion.Effect
	for _, stage := range h.p.Stages {
		all = append(all, h.last[stage.Name].Wanted...)
	}
	return all
}

func (h *history) id() int64 {
	h.ids++
	return h.ids
}

// open returns the open pull request of a promotion at GitHub, or nil.
func (h *history) open(n promotion.Number) *promotion.Pull {
	if pull := h.pulls[n]; pull != nil && pull.State == promotion.PullOpen {
		return pull
	}
	return nil
}

// happen carries out an effect as GitHub would; luck selects the answer.
func (h *history) happen(e promotion.Effect, luck string) {
	a := h.attempts[e.Promotion]
	switch e.Verb {
	case promotion.PlanVerb:
		a.Plan = &promotion.Plan{Round: int(e.Round), Base: h.base(), At: h.now,
			Hash: fmt.Sprint("contents of ", h.promotions[e.Promotion-1].Freight.Name)}
		p := h.promotions[e.Promotion-1]
		a.Plan.Values = []promotion.Value{{Path: string(p.Stage) + ".yaml", Key: string(p.Freight.Warehouse),
			Text: p.Freight.Name}}
		switch luck {
		case "bad":
			a.Plan.Problem = promotion.Because(promotion.Unreadable, "x.yaml")
		case "none":
			h.say(p.Stage, string(p.Freight.Warehouse), p.Freight.Name) // the file already has this freight
		case "good":
			a.Plan.Paths = []string{"x.yaml"}
		}
	case promotion.Compare:
		a.Compared = promotion.Comparison{Head: h.pulls[e.Promotion].HeadSHA}
		if luck == "bad" {
			a.Compared.Foreign = []string{"x.yaml"}
		}
	case promotion.Open:
		if luck == "bad" {
			a.Fail(promotion.Because(promotion.Refused))
			return
		}
		head := promotion.SHA(fmt.Sprintf("head%d-%d", e.Promotion, e.Round))
		a.Propose(promotion.Made{Round: int(e.Round), Head: head}, "", int(e.Promotion)+1000)
		if h.pulls[e.Promotion] == nil {
			h.pulls[e.Promotion] = &promotion.Pull{Repo: "acme/deploy", Number: a.Pull, Base: "main",
				State: promotion.PullOpen}
		}
		h.pulls[e.Promotion].HeadSHA, h.pulls[e.Promotion].Conflicts = a.Made.Head, false
		h.pulls[e.Promotion].Revision++
	case promotion.Merge:
		if pull := h.open(e.Promotion); pull != nil && luck == "good" {
			h.merge(e.Promotion, pull, promotion.Actor{})
		} else if pull != nil {
			a.RefuseMerge(e.Round, "a review is missing")
		}
	case promotion.Observe:
		a.Observed = h.now
		for stage := range h.requests {
			for i := range h.requests[stage] {
				if r := &h.requests[stage][i]; r.ID == e.Request {
					r.Observed = h.now
				}
			}
		}
	}
}

func (h *history) merge(n promotion.Number, pull *promotion.Pull, by promotion.Actor) {
	sha := promotion.SHA(fmt.Sprint("merge", n))
	pull.State, pull.MergeSHA, pull.MergedAt, pull.By = promotion.PullMerged, sha, h.now, by
	p, text := h.promotions[n-1], "foreign"
	if pull.HeadSHA == h.attempts[n].Made.Head {
		text = p.Freight.Name
	}
	h.say(p.Stage, string(p.Freight.Warehouse), text)
	h.push(sha, string(p.Stage)+".yaml")
}

// base is the head that files are read at.
func (h *history) base() promotion.SHA { return promotion.SHA(fmt.Sprint("base", len(h.pushes))) }

// head returns the head of the stages' branch.
func (h *history) head() promotion.SHA {
	if n := len(h.pushes); n > 0 {
		return h.pushes[n-1].After
	}
	return "base0"
}

func (h *history) push(after promotion.SHA, path string) {
	h.pushes = append(h.pushes,
		promotion.Push{Repo: h.p.Home, Branch: "main", Before: h.head(), After: after, At: h.now,
			Paths: []string{path}})
}

// run adds a run of a check, or changes an existing one.
func (h *history) run(sha promotion.SHA, name, state string, suite int64, started time.Time) {
	g := promotion.Signal{Kind: promotion.KindCheck, ID: h.id(), SHA: sha, App: "ci", Suite: suite, Name: name,
		State: state, Started: started}
	if state != "in_progress" {
		g.Ended = h.now
	}
	h.signals = append(h.signals, g)
	done := !slices.ContainsFunc(h.signals,
		func(o promotion.Signal) bool { return o.Suite == suite && o.State == "in_progress" })
	put(&h.suites, promotion.Suite{ID: suite, SHA: sha, App: "ci", Branch: "main", Completed: done, Conclusion: state},
		func(o promotion.Suite) bool { return o.ID == suite })
}

// ask adds a command by the actor who.
func (h *history) ask(who promotion.Actor, text string) {
	c, is := command.ParseCommand(text)
	if !is {
		return
	}
	stage, c := command.Address(h.p, c)
	h.requests[stage] = append(h.requests[stage],
		promotion.Request{ID: h.id(), Command: c, By: who, Surface: "#1", At: h.now})
}

func only[T any](all []T, keep func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if keep(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
