package shape

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Shape is the fixed part of a history: its first pipeline and its surroundings.
type Shape struct {
	Seed    uint64
	First   Pipeline
	Places  []Place  // of files of stages
	Chats   bool     // the history has a Slack
	Queued  bool     // the stages' branch has a merge queue
	Gated   bool     // the queue requires a check
	Guards  bool     // some stages may guard their files
	Rolls   bool     // a stage has targets
	Directs bool     // some stages have no pull requests
	Current bool     // the branch wants pull requests to be up to date
	Lag     int      // GitHub hides each write from so many requests
	Days    []string // the profiles of GitHub
	Content int      // how many pull requests and comments GitHub takes in a minute; 0: the usual number
	Large   int      // of how many things GitHub answers one query; 0: of any number
	Beset   bool     // everybody may read, and a stranger, a person who loses their rights and a replayer are about
	Prying  bool     // the installation beside this one names this one's repositories and channel

	Slow time.Duration // how long GitHub takes to answer requests of an installation beside this one; 0: there is none
}

// Draw draws the shape of a history. It also returns its source of randomness, which serves until the first act.
func Draw(seed uint64) (Shape, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 2))
	s := Shape{Seed: seed, First: drawPipeline(r)}
	p := &s.First
	s.Chats = r.IntN(3) == 0
	queue := r.IntN(12)
	s.Queued, s.Gated = queue < 2, queue == 0
	p.told = s.Chats
	s.Guards = r.IntN(5) == 0
	s.Directs = p.furnish(r, s.Guards, !s.Queued)
	p.drawKinds(r)
	if r.IntN(4) == 0 {
		p.roll(r)
		s.Rolls = p.Fleet() != nil
	}
	p.move(seed)
	s.crowd(rand.New(rand.NewPCG(seed, 11)))
	s.harden(rand.New(rand.NewPCG(seed, 12)))
	s.burden(rand.New(rand.NewPCG(seed, 13)))
	s.beset(rand.New(rand.NewPCG(seed, 15)))
	s.spoil(rand.New(rand.NewPCG(seed, 16)))
	if f := p.Fleet(); f != nil && rand.New(rand.NewPCG(seed, 9)).IntN(4) == 0 {
		f.Ready = true
	}
	s.Places = p.branches()
	return s, r
}

// furnish draws guards, approvals, direct commits and manual stages. It reports whether any stage commits directly.
func (p *Pipeline) furnish(r *rand.Rand, guards, direct bool) (directs bool) {
	for i := range p.Stages {
		s := &p.Stages[i]
		s.Guard = guards && r.IntN(2) == 0
		if !s.Passes && r.IntN(6) == 0 {
			s.Approvals = 1
		}
		if !s.Passes && s.Merge == "auto" && s.Approvals == 0 && direct && r.IntN(6) == 0 {
			s.Direct, directs = true, true
		}
		if r.IntN(8) == 0 {
			p.Manual = append(p.Manual, s.Name)
		}
	}
	return directs
}

// drawKinds draws the kinds of the warehouses, and the warehouses that wait for images.
func (p *Pipeline) drawKinds(r *rand.Rand) {
	if r.IntN(3) == 0 {
		for _, warehouse := range p.Warehouses {
			p.Kinds[warehouse] = kinds[r.IntN(len(kinds))]
		}
	}
	for _, warehouse := range p.Warehouses {
		p.Built[warehouse] = r.IntN(6) == 0 && (p.Kinds[warehouse] == "pull-requests" || p.Kinds[warehouse] == "pushes")
	}
}

// move draws the places of the files of stages, environment branches and workflows, and the use of a glob.
func (p *Pipeline) move(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	if s := p.Fleet(); s != nil && r.IntN(3) == 0 {
		s.Glob = true
	}
	p.transform(r)
	if r.IntN(4) == 0 {
		p.scatter(r)
	}
	p.spread(rand.New(rand.NewPCG(seed, 5)))
}

// transform gives some stages an environment branch, or a workflow that they start, in place of files.
func (p *Pipeline) transform(r *rand.Rand) {
	workflows := false
	switch r.IntN(6) {
	default:
		return
	case 0:
	case 1:
		workflows = true
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Passes || s.Rolls() || r.IntN(3) == 0 {
			continue
		}
		s.From = s.From[:1]
		s.Guard, s.Direct = false, false
		if s.Starts = workflows; workflows {
			s.Merge, s.Approvals, s.Verify = "auto", 0, nil
		} else {
			s.Whole, s.elsewhere = true, Place{p.Sources[s.From[0]], "env/" + s.Name}
		}
	}
	p.fit()
}

// scatter puts the files of some stages elsewhere, most often all of them in one place. It leaves stages that guard
// their files, and stages whose targets a glob finds.
func (p *Pipeline) scatter(r *rand.Rand) {
	all := []Place{{Home, "live"}, {"acme/config", "main"}, {"acme/config", "live"}}
	at := all[r.IntN(len(all))]
	for i := range p.Stages {
		s := &p.Stages[i]
		if r.IntN(8) == 0 {
			at = all[r.IntN(len(all))]
		}
		if !s.Passes && !s.Guard && !s.Glob && s.changesFiles() && r.IntN(4) > 0 {
			s.elsewhere = at
		}
	}
}

// spread puts the files of every other target elsewhere.
func (p *Pipeline) spread(r *rand.Rand) {
	all := []Place{Here, {Home, "live"}, {"acme/config", "main"}, {"acme/config", "live"}}
	if s := p.Fleet(); s != nil && !s.Glob && !s.Guard && s.changesFiles() && r.IntN(3) == 0 {
		s.Second = all[r.IntN(len(all))]
	}
}

// Twofold reports whether two processes share the database. The first of them receives all requests.
func (s Shape) Twofold() bool { return s.Seed%5 == 2 }

// Rehearses reports whether the function of every transaction runs twice, with the first run discarded.
func (s Shape) Rehearses() bool { return s.Seed%4 == 0 }

// Knows reports whether the file of a target exists from the start, together with the pipeline file. One in five does
// not.
func (s Shape) Knows(path string) bool {
	n := 0
	for _, c := range path {
		n = n*31 + int(c)
	}
	return (n+int(s.Seed))%5 != 0
}

// Repos returns the repositories that have files of stages.
func (s Shape) Repos() (all []string) {
	for _, at := range s.Places {
		if !slices.Contains(all, at.Repo) {
			all = append(all, at.Repo)
		}
	}
	return all
}

// kinds are the kinds of warehouses.
var kinds = []string{"pull-requests", "pull-requests", "pushes", "releases", "tags", "reports"}

// drawPipeline draws one of a few small pipelines.
func drawPipeline(r *rand.Rand) Pipeline {
	p := Pipeline{Warehouses: []string{"api"}, Sources: map[string]string{"api": Home},
		Kinds: map[string]string{"api": "pull-requests", "web": "pull-requests"}, Built: map[string]bool{}}
	if r.IntN(3) == 0 {
		p.Sources["api"] = "acme/api"
	}
	if r.IntN(4) == 0 {
		p.Warehouses = append(p.Warehouses, "web")
		p.Sources["web"] = Home
	}
	add := func(name string, after ...string) *Stage {
		p.Stages = append(p.Stages, DrawStage(r, name, after))
		s := &p.Stages[len(p.Stages)-1]
		s.From = []string{"api"}
		if len(p.Warehouses) > 1 && r.IntN(2) == 0 {
			s.From = p.Warehouses
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
		*via = Stage{Name: "via", Passes: true, From: via.From, After: via.After, Need: 1, Soak: via.Soak}
		add("prod", "via")
	}
	p.fit()
	return p
}

// fit makes every stage take only warehouses that its upstream stages take, so that the file is valid.
func (p *Pipeline) fit() {
	for i := range p.Stages {
		s := &p.Stages[i]
		s.From = slices.DeleteFunc(slices.Clone(s.From), func(w string) bool {
			return slices.ContainsFunc(s.After, func(up string) bool { return !slices.Contains(p.Stage(up).From, w) })
		})
	}
}

// DriftModes are the reactions to a change by hand.
var DriftModes = []string{"report", "repair", "ignore"}

func DrawStage(r *rand.Rand, name string, after []string) Stage {
	s := Stage{
		Name: name, After: after, Need: 1, Form: drawForm(r), Merge: "auto", Queue: "latest", onFailure: "cancel",
		Drift: DriftModes[r.IntN(len(DriftModes))],
	}
	if len(after) > 1 {
		s.Need = 1 + r.IntN(len(after))
	}
	if len(after) > 0 && r.IntN(3) == 0 {
		s.Soak = []time.Duration{time.Minute, 10 * time.Minute, time.Hour}[r.IntN(3)]
	}
	if r.IntN(6) == 0 {
		s.Merge = "manual"
	}
	if r.IntN(3) == 0 {
		s.Queue = "fifo"
	}
	if r.IntN(3) == 0 {
		s.onFailure = []string{"hold", "continue"}[r.IntN(2)]
	}
	switch r.IntN(8) {
	case 0:
	case 1:
		s.Verify = []Matcher{drawMatcher(r, "status", name+"/ok")}
	case 2:
		s.Verify = []Matcher{drawMatcher(r, "deployment", name+"-env")}
	case 3:
		s.Verify = []Matcher{drawMatcher(r, "check", name+"-e2e*")}
	case 4:
		s.Verify = []Matcher{drawMatcher(r, "check", name+"-smoke"), drawMatcher(r, "status", name+"/ok")}
	default:
		s.Verify = []Matcher{drawMatcher(r, "check", name+"-smoke")}
	}
	return s
}

func drawMatcher(r *rand.Rand, kind, pattern string) Matcher {
	m := Matcher{Kind: kind, Pattern: pattern, Missing: "hold", Skipped: "hold", Appear: 15 * time.Minute}
	if r.IntN(4) == 0 {
		m.Missing = []string{"pass", "fail"}[r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		m.Skipped = []string{"pass", "fail"}[r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		m.Appear = 2 * time.Minute
	}
	return m
}
