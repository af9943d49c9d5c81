package promotion

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// history is a random history of a small pipeline: what GitHub knows and what Waybill has decided so far. GitHub is as
// unfriendly here as it can be: it answers late, twice, or for something that nobody wants any more.
type history struct {
	p          *Pipeline
	now        time.Time
	freight    []Freight
	promotions []Promotion
	attempts   map[Number]*Attempt
	pulls      map[Number]*Pull
	stays      []Stay
	signals    []Signal
	suites     []Suite
	pushes     []Push
	files      map[StageName]map[string]string // what the stages' files say, by key
	holds      []Hold
	approvals  []Approval
	requests   map[StageName][]Request
	removed    map[StageName]bool
	last       map[StageName]Decision
	owed       map[EffectKey]bool
	begun      []Effect // carried out, and nobody has heard of it yet
	rights     map[Login]Permission
	ids        int64
	turn       int
}

func newHistory(t *rapid.T) *history {
	h := &history{
		now: noon, attempts: map[Number]*Attempt{}, pulls: map[Number]*Pull{}, requests: map[StageName][]Request{}, files: map[StageName]map[string]string{},
		removed: map[StageName]bool{}, last: map[StageName]Decision{}, owed: map[EffectKey]bool{}, rights: map[Login]Permission{},
		turn: rapid.IntRange(0, 1<<20).Draw(t, "turn"),
	}
	h.drawPipeline(t)
	return h
}

// drawPipeline draws a pipeline: a and b straight from the warehouse or b after a, via, which only passes freight on, and
// prod behind some of them.
func (h *history) drawPipeline(t *rapid.T) {
	api, web := &Warehouse{Name: "api", Repo: "acme/api"}, &Warehouse{Name: "web", Repo: "acme/web"}
	h.p = &Pipeline{Home: "acme/deploy", Branch: "main", Warehouses: []*Warehouse{api, web}}
	h.p.Policy.May = map[CommandVerb][]Rule{CmdVerdict: {{Permission: Maintain}}, CmdAdmit: {{Permission: Maintain}}}
	a, b, prod, via := h.drawStage(t, "a"), h.drawStage(t, "b"), h.drawStage(t, "prod"), &Stage{Name: "via"}
	a.From = []Source{{Warehouse: "api"}}
	if drawOf(t, h, "a takes web", true, false) {
		a.From = append(a.From, Source{Warehouse: "web"})
	}
	b.From = []Source{{Warehouse: "api"}}
	if drawOf(t, h, "b is behind a", true, false) {
		b.From[0].After = h.drawGate(t, a)
	}
	via.From = []Source{{Warehouse: "api", After: h.drawGate(t, a)}}
	behind := drawOf(t, h, "prod is behind", []*Stage{a}, []*Stage{b}, []*Stage{via}, []*Stage{a, b}, []*Stage{b, via}, []*Stage{a, b, via})
	prod.From = []Source{{Warehouse: "api", After: h.drawGate(t, behind...)}}
	h.p.Stages = []*Stage{a, b, via, prod}
	for i, s := range h.p.Stages {
		s.Index = i
	}
}

func (h *history) drawGate(t *rapid.T, of ...*Stage) *Gate {
	return &Gate{Of: of, Need: min(drawOf(t, h, "need", 1, 2, 3), len(of)), Soak: drawOf(t, h, "soak", 0, 0, 30*time.Minute, 2*time.Hour)}
}

func (h *history) drawStage(t *rapid.T, name string) *Stage {
	s := &Stage{
		Name: StageName(name), Changes: []Change{{Path: name + ".yaml", Set: []Assignment{{Key: "api"}, {Key: "web"}}}}, Automatic: drawOf(t, h, "automatic", true, true, true, false),
		Merge:                drawOf(t, h, "merge", MergeAuto, MergeAuto, MergeManual),
		Queue:                drawOf(t, h, "queue", QueueLatest, QueueFIFO),
		OnFailedVerification: drawOf(t, h, "on failure", OnFailureCancel, OnFailureHold, OnFailureContinue),
		Drift:                drawOf(t, h, "drift", DriftReport, DriftRepair, DriftRepair, DriftIgnore),
	}
	for _, pattern := range drawOf(t, h, "verify", nil, []string{name + "-smoke"}, []string{name + "-e2e*"}, []string{name + "-smoke", "shared"}) {
		s.Verify = append(s.Verify, Matcher{
			Kind: KindCheck, Pattern: pattern, App: "ci", Appear: 15 * time.Minute, Timeout: time.Hour,
			Missing: drawOf(t, h, "missing", LackHolds, LackHolds, LackPasses, LackFails),
			Skipped: drawOf(t, h, "skipped", LackHolds, LackHolds, LackPasses, LackFails),
		})
	}
	return s
}

// snapshot gathers what a decision about a stage looks at. Two snapshots share nothing that a decision could change.
func (h *history) snapshot(stage *Stage) *Snapshot {
	s := &Snapshot{Pipeline: h.p, Stage: stage, Next: Number(len(h.promotions) + 1), NextID: h.ids + 1}
	if h.removed[stage.Name] {
		s.Removed, s.Stage = true, &Stage{Name: stage.Name, Index: -1}
	}
	for _, w := range h.p.Warehouses {
		mine := only(h.freight, func(f Freight) bool { return f.Warehouse == w.Name })
		slices.SortFunc(mine, func(f, g Freight) int {
			if f.Before(g) {
				return -1
			}
			return 1
		})
		s.Freight = append(s.Freight, mine...)
	}
	s.Promotions = only(h.promotions, func(p Promotion) bool { return p.Stage == stage.Name })
	for i := range s.Freight {
		f := &s.Freight[i]
		if slices.ContainsFunc(s.Promotions, func(p Promotion) bool { return p.Freight == f.ID }) && s.mark(f.Warehouse).before(f) {
			s.Newest = slices.DeleteFunc(s.Newest, func(m Mark) bool { return m.Warehouse == f.Warehouse })
			s.Newest = append(s.Newest, Mark{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number})
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
	s.Stays = only(h.stays, func(y Stay) bool { return y.Stage == stage.Name })
	s.Readings = []Reading{h.reading(stage.Name)}
	past := map[StageName]map[FreightID][]Stay{}
	for _, y := range h.stays {
		if past[y.Stage] == nil {
			past[y.Stage] = map[FreightID][]Stay{}
		}
		past[y.Stage][y.Freight] = append(past[y.Stage][y.Freight], y)
	}
	for _, up := range h.p.Stages {
		records := make([]Record, len(s.Freight))
		for i, f := range s.Freight {
			records[i] = NewRecord(past[up.Name][f.ID])
		}
		s.Records = append(s.Records, records)
	}
	s.Holds = only(h.holds, func(o Hold) bool { return o.Lifted.IsZero() })
	for _, a := range only(h.approvals, func(a Approval) bool { return a.Stage == stage.Name && a.Revoked.IsZero() }) {
		verb := CmdApprove
		if a.Kind == Admission {
			verb = CmdAdmit
		}
		a.Entitled = h.p.Policy.Entitles(verb, stage.Name, h.right(a.By), nil)
		s.Approvals = append(s.Approvals, a)
	}
	for _, r := range h.requests[stage.Name] {
		r.Permission = h.right(r.By)
		s.Requests = append(s.Requests, r)
	}
	s.Evidence = Gather(s, h.signals, h.suites, h.pushes)
	return s
}

// reading is what the files of a stage say.
func (h *history) reading(stage StageName) Reading {
	r := Reading{On: h.p.At(), Commit: h.head()}
	for _, key := range []string{"api", "web"} {
		r.Values = append(r.Values, Value{Path: string(stage) + ".yaml", Key: key, Text: h.files[stage][key]})
	}
	return r
}

// say changes what the files of a stage say.
func (h *history) say(stage StageName, key, text string) {
	if h.files[stage] == nil {
		h.files[stage] = map[string]string{}
	}
	h.files[stage][key] = text
}

func (h *history) right(who Actor) Permission {
	if p, granted := h.rights[who.Login]; granted {
		return p
	}
	return Write
}

// write writes a decision down.
func (h *history) write(s *Snapshot, d Decision) {
	next := apply(s, d)
	for _, p := range next.Promotions {
		put(&h.promotions, p, func(q Promotion) bool { return q.Number == p.Number })
		if h.attempts[p.Number] == nil {
			h.attempts[p.Number] = &Attempt{Promotion: p.Number}
		}
	}
	for _, y := range next.Stays {
		put(&h.stays, y, func(z Stay) bool { return z.Promotion == y.Promotion })
	}
	for _, o := range next.Holds {
		put(&h.holds, o, func(q Hold) bool { return q.ID == o.ID })
	}
	for _, a := range next.Approvals {
		put(&h.approvals, a, func(b Approval) bool { return b.ID == a.ID })
	}
	h.requests[s.Stage.Name] = next.Requests
	h.ids = max(h.ids, next.NextID-1)
	h.last[s.Stage.Name] = d
}

// decideAll decides all stages until nothing changes any more, and checks every decision.
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

func (h *history) decide(t *rapid.T, stage *Stage) (moved bool) {
	s := h.snapshot(stage)
	d := Decide(s, h.now)
	h.check(t, stage, s, d)
	h.write(s, d)
	return !d.Nothing()
}

// wanted returns what is wanted now in all stages.
func (h *history) wanted() []Effect {
	var all []Effect
	for _, stage := range h.p.Stages {
		all = append(all, h.last[stage.Name].Wanted...)
	}
	return all
}

func (h *history) id() int64 {
	h.ids++
	return h.ids
}

// open returns the pull request of a promotion as GitHub has it, or nil.
func (h *history) open(n Number) *Pull {
	if pull := h.pulls[n]; pull != nil && pull.State == PullOpen {
		return pull
	}
	return nil
}

// happen carries out an effect as GitHub would, with the answer that luck gives.
func (h *history) happen(e Effect, luck string) {
	a := h.attempts[e.Promotion]
	switch e.Verb {
	case PlanVerb:
		a.Plan = &Plan{Round: int(e.Round), Base: SHA(fmt.Sprint("base", len(h.pushes))), At: h.now, Hash: fmt.Sprint("contents of ", h.promotions[e.Promotion-1].FreightName)}
		p := h.promotions[e.Promotion-1]
		a.Plan.Values = []Value{{Path: string(p.Stage) + ".yaml", Key: string(p.Warehouse), Text: p.FreightName}}
		switch luck {
		case "bad":
			a.Plan.Problem = Because(Unreadable, "x.yaml")
		case "none":
			h.say(p.Stage, string(p.Warehouse), p.FreightName) // it says so already
		case "good":
			a.Plan.Paths = []string{"x.yaml"}
		}
	case Open:
		if luck == "bad" {
			a.Failure = Because(Refused)
			return
		}
		a.Built, a.HeadSHA, a.Pull = int(e.Round), SHA(fmt.Sprintf("head%d-%d", e.Promotion, e.Round)), int(e.Promotion)+1000
		if h.pulls[e.Promotion] == nil {
			h.pulls[e.Promotion] = &Pull{Repo: "acme/deploy", Number: a.Pull, Base: "main", State: PullOpen}
		}
		h.pulls[e.Promotion].HeadSHA, h.pulls[e.Promotion].Conflicts = a.HeadSHA, false
		h.pulls[e.Promotion].Revision++
	case Merge:
		if pull := h.open(e.Promotion); pull != nil && luck == "good" {
			h.merge(e.Promotion, pull, Actor{})
		} else if pull != nil {
			a.Unmergeable, a.Tried = "a review is missing", e.Round
		}
	case Observe:
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

func (h *history) merge(n Number, pull *Pull, by Actor) {
	sha := SHA(fmt.Sprint("merge", n))
	pull.State, pull.MergeSHA, pull.MergedAt, pull.By = PullMerged, sha, h.now, by
	p, text := h.promotions[n-1], "foreign"
	if pull.HeadSHA == h.attempts[n].HeadSHA {
		text = p.FreightName
	}
	h.say(p.Stage, string(p.Warehouse), text)
	h.push(sha, string(p.Stage)+".yaml")
}

// head returns the head of the stages' branch.
func (h *history) head() SHA {
	if n := len(h.pushes); n > 0 {
		return h.pushes[n-1].After
	}
	return "base0"
}

func (h *history) push(after SHA, path string) {
	h.pushes = append(h.pushes, Push{Repo: h.p.Home, Branch: "main", Before: h.head(), After: after, At: h.now, Paths: []string{path}})
}

// run adds a run of a check, or changes one.
func (h *history) run(sha SHA, name, state string, suite int64, started time.Time) {
	g := Signal{Kind: KindCheck, ID: h.id(), SHA: sha, App: "ci", Suite: suite, Name: name, State: state, Started: started}
	if state != "in_progress" {
		g.Ended = h.now
	}
	h.signals = append(h.signals, g)
	done := !slices.ContainsFunc(h.signals, func(o Signal) bool { return o.Suite == suite && o.State == "in_progress" })
	put(&h.suites, Suite{ID: suite, SHA: sha, App: "ci", Branch: "main", Completed: done, Conclusion: state}, func(o Suite) bool { return o.ID == suite })
}

// ask has somebody say something.
func (h *history) ask(who Actor, text string) {
	c, is := ParseCommand(text)
	if !is {
		return
	}
	stage, c := h.p.Address(c)
	h.requests[stage] = append(h.requests[stage], Request{ID: h.id(), Command: c, By: who, Surface: "#1", At: h.now})
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
