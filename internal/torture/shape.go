package torture

import (
	"math/rand/v2"
	"slices"
	"time"
)

// shape is all of a history that stays as it is, but for what happens: the pipeline that it begins with, and what there
// is beside it.
type shape struct {
	seed    uint64
	first   pipeline
	places  []place // where files of stages are
	chats   bool    // there is a Slack
	queued  bool    // the stages' branch has a merge queue
	gated   bool    // which asks for a check
	guards  bool    // some stages may guard their files
	rolls   bool    // a stage consists of targets
	directs bool    // there are stages without pull requests
}

// drawShape draws the shape of a history. It returns what draws on, until the first act.
func drawShape(seed uint64) (shape, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 2))
	s := shape{seed: seed, first: drawPipeline(r)}
	p := &s.first
	s.chats = r.IntN(3) == 0
	queue := r.IntN(12)
	s.queued, s.gated = queue < 2, queue == 0
	p.told = s.chats
	s.guards = r.IntN(5) == 0
	s.directs = p.furnish(r, s.guards, !s.queued)
	p.drawKinds(r)
	if r.IntN(4) == 0 {
		p.roll(r)
		s.rolls = p.fleet() != nil
	}
	p.move(seed)
	if f := p.fleet(); f != nil && rand.New(rand.NewPCG(seed, 9)).IntN(4) == 0 {
		f.ready = true
	}
	s.places = p.places()
	return s, r
}

// furnish draws what stages do beside promoting. It reports whether there are stages without pull requests.
func (p *pipeline) furnish(r *rand.Rand, guards, direct bool) (directs bool) {
	for i := range p.stages {
		s := &p.stages[i]
		s.guard = guards && r.IntN(2) == 0
		if !s.passes && r.IntN(6) == 0 {
			s.approvals = 1
		}
		if !s.passes && s.merge == "auto" && s.approvals == 0 && direct && r.IntN(6) == 0 {
			s.direct, directs = true, true
		}
		if r.IntN(8) == 0 {
			p.manual = append(p.manual, s.name)
		}
	}
	return directs
}

// drawKinds draws the kinds of the warehouses, and which of them wait for images.
func (p *pipeline) drawKinds(r *rand.Rand) {
	if r.IntN(3) == 0 {
		for _, warehouse := range p.warehouses {
			p.kinds[warehouse] = kinds[r.IntN(len(kinds))]
		}
	}
	for _, warehouse := range p.warehouses {
		p.built[warehouse] = r.IntN(6) == 0 && (p.kinds[warehouse] == "pull-requests" || p.kinds[warehouse] == "pushes")
	}
}

// move decides where files of stages are, and which targets a glob finds.
func (p *pipeline) move(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	if s := p.fleet(); s != nil && r.IntN(3) == 0 {
		s.glob = true
	}
	p.transform(r)
	if r.IntN(4) == 0 {
		p.scatter(r)
	}
	p.spread(rand.New(rand.NewPCG(seed, 5)))
}

// transform makes one of the stages, or several, something else than files: environment branches, or workflows that are
// started.
func (p *pipeline) transform(r *rand.Rand) {
	workflows := false
	switch r.IntN(6) {
	default:
		return
	case 0:
	case 1:
		workflows = true
	}
	for i := range p.stages {
		s := &p.stages[i]
		if s.passes || s.rolls() || r.IntN(3) == 0 {
			continue
		}
		s.from = s.from[:1]
		s.guard, s.direct = false, false
		if s.starts = workflows; workflows {
			s.merge, s.approvals, s.verify = "auto", 0, nil
		} else {
			s.whole, s.elsewhere = true, place{p.sources[s.from[0]], "env/" + s.name}
		}
	}
	p.fit()
}

// scatter puts the files of some stages elsewhere, most often all of them in one place. A stage that guards its files
// stays, and one whose targets a glob finds.
func (p *pipeline) scatter(r *rand.Rand) {
	all := []place{{home, "live"}, {"acme/config", "main"}, {"acme/config", "live"}}
	at := all[r.IntN(len(all))]
	for i := range p.stages {
		s := &p.stages[i]
		if r.IntN(8) == 0 {
			at = all[r.IntN(len(all))]
		}
		if !s.passes && !s.guard && !s.glob && s.changesFiles() && r.IntN(4) > 0 {
			s.elsewhere = at
		}
	}
}

// spread puts the files of every other target elsewhere.
func (p *pipeline) spread(r *rand.Rand) {
	all := []place{here, {home, "live"}, {"acme/config", "main"}, {"acme/config", "live"}}
	if s := p.fleet(); s != nil && !s.glob && !s.guard && s.changesFiles() && r.IntN(3) == 0 {
		s.second = all[r.IntN(len(all))]
	}
}

// twofold reports whether two processes share the database, of which the first takes what comes in.
func (s shape) twofold() bool { return s.seed%5 == 2 }

// rehearses reports whether the function of every transaction runs twice, the first time in vain.
func (s shape) rehearses() bool { return s.seed%4 == 0 }

// knows reports whether somebody has written the file of a target together with the pipeline file that names it: not of
// one in five.
func (s shape) knows(path string) bool {
	n := 0
	for _, c := range path {
		n = n*31 + int(c)
	}
	return (n+int(s.seed))%5 != 0
}

// repos are the repositories where files of stages are.
func (s shape) repos() (all []string) {
	for _, at := range s.places {
		if !slices.Contains(all, at.repo) {
			all = append(all, at.repo)
		}
	}
	return all
}

// kinds are the kinds of warehouses.
var kinds = []string{"pull-requests", "pull-requests", "pushes", "releases", "tags", "reports"}

// drawPipeline draws one of a handful of small shapes.
func drawPipeline(r *rand.Rand) pipeline {
	p := pipeline{warehouses: []string{"api"}, sources: map[string]string{"api": home}, kinds: map[string]string{"api": "pull-requests", "web": "pull-requests"}, built: map[string]bool{}}
	if r.IntN(3) == 0 {
		p.sources["api"] = "acme/api"
	}
	if r.IntN(4) == 0 {
		p.warehouses = append(p.warehouses, "web")
		p.sources["web"] = home
	}
	add := func(name string, after ...string) *stage {
		p.stages = append(p.stages, drawStage(r, name, after))
		s := &p.stages[len(p.stages)-1]
		s.from = []string{"api"}
		if len(p.warehouses) > 1 && r.IntN(2) == 0 {
			s.from = p.warehouses
		}
		return s
	}
	switch r.IntN(6) {
	case 0:
		add("dev")
	case 1:
		add("dev")
		add("prod", "dev")
	case 2:
		add("dev")
		add("qa", "dev")
		add("prod", "qa")
	case 3:
		add("qa-a")
		add("qa-b")
		add("prod", "qa-a", "qa-b")
	case 4:
		add("dev")
		add("qa-a", "dev")
		add("qa-b", "dev")
		add("prod", "qa-a", "qa-b")
	case 5:
		add("dev")
		via := add("via", "dev")
		*via = stage{name: "via", passes: true, from: via.from, after: via.after, need: 1, soak: via.soak}
		add("prod", "via")
	}
	p.fit()
	return p
}

// fit makes every stage take only what its upstream stages take, so that the file is good.
func (p *pipeline) fit() {
	for i := range p.stages {
		s := &p.stages[i]
		s.from = slices.DeleteFunc(slices.Clone(s.from), func(w string) bool {
			return slices.ContainsFunc(s.after, func(up string) bool { return !slices.Contains(p.stage(up).from, w) })
		})
	}
}

// driftModes are what may become of a change by hand.
var driftModes = []string{"report", "repair", "ignore"}

func drawStage(r *rand.Rand, name string, after []string) stage {
	s := stage{
		name: name, after: after, need: 1, form: drawForm(r), merge: "auto", queue: "latest", onFailure: "cancel", drift: driftModes[r.IntN(len(driftModes))],
	}
	if len(after) > 1 {
		s.need = 1 + r.IntN(len(after))
	}
	if len(after) > 0 && r.IntN(3) == 0 {
		s.soak = []time.Duration{time.Minute, 10 * time.Minute, time.Hour}[r.IntN(3)]
	}
	if r.IntN(6) == 0 {
		s.merge = "manual"
	}
	if r.IntN(3) == 0 {
		s.queue = "fifo"
	}
	if r.IntN(3) == 0 {
		s.onFailure = []string{"hold", "continue"}[r.IntN(2)]
	}
	switch r.IntN(8) {
	case 0:
	case 1:
		s.verify = []matcher{drawMatcher(r, "status", name+"/ok")}
	case 2:
		s.verify = []matcher{drawMatcher(r, "deployment", name+"-env")}
	case 3:
		s.verify = []matcher{drawMatcher(r, "check", name+"-e2e*")}
	case 4:
		s.verify = []matcher{drawMatcher(r, "check", name+"-smoke"), drawMatcher(r, "status", name+"/ok")}
	default:
		s.verify = []matcher{drawMatcher(r, "check", name+"-smoke")}
	}
	return s
}

func drawMatcher(r *rand.Rand, kind, pattern string) matcher {
	m := matcher{kind: kind, pattern: pattern, missing: "hold", skipped: "hold", appear: 15 * time.Minute}
	if r.IntN(4) == 0 {
		m.missing = []string{"pass", "fail"}[r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		m.skipped = []string{"pass", "fail"}[r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		m.appear = 2 * time.Minute
	}
	return m
}
