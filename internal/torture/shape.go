package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// pipeline is a pipeline file as the torture knows it, independent of how the program reads it.
type pipeline struct {
	warehouses []string
	sources    map[string]string // repository by warehouse
	kinds      map[string]string // of warehouses
	built      map[string]bool   // whether freight of a warehouse waits for an image
	stages     []stage
	broken     bool // the file is no good
	told       bool // Slack is told of the stages
}

type stage struct {
	name      string
	from      []string
	after     []string // empty: straight from the warehouses
	need      int
	soak      time.Duration
	verify    []matcher
	merge     string
	queue     string
	onFailure string
	drift     string
	form      *form
	passes    bool  // it only passes freight on
	direct    bool  // without pull requests
	ready     bool  // each target must show that it is before it takes part
	elsewhere place // where its files are, if not here
	second    place // where those of every other target are, if not there
	whole     bool  // it is an environment branch
	starts    bool  // it starts a workflow
	approvals int   // how many people have to sign a promotion off
	guard     bool  // people's changes of its file wait while something is verified or held there

	targets     []string // it consists of; none: it is one place
	glob        bool     // they are found
	batches     []batch
	beyond      string // what happens when more targets fail than may
	maxFailures int
	external    bool // each target is moved when somebody asks for it
	perTarget   bool // each has a pull request of its own
	settled     bool // and an environment
}

type matcher struct {
	kind    string // check, status or deployment
	pattern string
	missing string
	skipped string
	appear  time.Duration
}

// copies reports whether the stage copies the sources of api into a folder, too. It follows from what was drawn, so
// that seeds from before there were copies draw what they did.
func (s *stage) copies() bool {
	return s.onFailure == "cancel" && !s.rolls() && s.changesFiles() && slices.Contains(s.from, "api")
}

// folder is where it copies them.
func (s *stage) folder() string { return "copied/" + s.name }

// original is what a stage copies: what the one stage before it has copied, where that is allowed, else the sources
// themselves.
func (p *pipeline) original(s *stage) string {
	if len(s.after) == 1 && len(s.from) == 1 {
		if up := p.stage(s.after[0]); up.at() == s.at() && !up.passes && up.copies() && len(up.from) == 1 {
			return fmt.Sprintf("{from: %s, stage: %s}", up.folder(), up.name)
		}
	}
	return "{from: api, warehouse: api}"
}

// name returns a signal's name that the matcher takes.
func (m matcher) name() string { return strings.ReplaceAll(m.pattern, "*", "-x") }

// of returns the matcher of a target.
func (m matcher) of(target string) matcher {
	m.pattern = strings.ReplaceAll(m.pattern, "${target.name}", target)
	return m
}

const home = "acme/deploy"

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

func (p *pipeline) stage(name string) *stage {
	for i := range p.stages {
		if p.stages[i].name == name {
			return &p.stages[i]
		}
	}
	return nil
}

// text writes the pipeline file.
func (p *pipeline) text() string {
	var b strings.Builder
	b.WriteString("version: 1\nwarehouses:\n")
	for _, w := range p.warehouses {
		b.WriteString("  " + p.warehouseText(w) + "\n")
	}
	b.WriteString("stages:\n")
	for i := range p.stages {
		b.WriteString("  " + p.stageText(&p.stages[i]) + "\n")
	}
	if p.broken {
		b.WriteString("  nonsense: {from: nowhere}\n")
	}
	return b.String()
}

func (p *pipeline) stageText(s *stage) string {
	from, gate := strings.Join(s.from, ", "), ""
	if len(s.after) > 0 {
		gate = fmt.Sprintf("after: {at-least: %d, of: [%s], soak: %s}", s.need, strings.Join(s.after, ", "), s.soak)
	}
	if len(s.from) > 1 {
		each := make([]string, len(s.from))
		for i, w := range s.from {
			each[i] = fmt.Sprintf("%s: {%s}", w, gate)
		}
		from, gate = "{"+strings.Join(each, ", ")+"}", ""
	}
	results := []string{"from: " + from}
	if gate != "" {
		results = append(results, gate)
	}
	if s.passes {
		return fmt.Sprintf("%s: {%s}", s.name, strings.Join(results, ", "))
	}
	var values []string
	for _, w := range s.from {
		value := strings.ReplaceAll(s.form.value, "VALUE", p.valueOf(w))
		values = append(values, strings.NewReplacer("NAME", w, "VALUE", value).Replace(s.form.change))
	}
	path := s.file("")
	if s.rolls() {
		path = s.file("${target.name}")
		if s.glob {
			path = "${target.path}"
		}
	}
	results = append(results, "queue: "+s.queue, "on-failed-verification: "+s.onFailure, fmt.Sprintf("environment: %q", s.environment("${target.name}")))
	switch {
	case s.starts:
		results = append(results, s.dispatchText(p))
	case s.whole:
		results = append(results, "branch: "+s.at().branch)
	default:
		results = append(results, fmt.Sprintf("%s: {\"%s\": {%s}}", s.form.kind, path, strings.Join(values, ", ")))
	}
	if !s.starts {
		results = append(results, "merge: "+s.merge, "drift: "+s.drift)
	}
	if s.copies() {
		results = append(results, fmt.Sprintf("copy: {%s: %s}", s.folder(), p.original(s)))
	}
	results = append(results, s.targetsText()...)
	if s.elsewhere != (place{}) && !s.whole {
		results = append(results, fmt.Sprintf("files: {repo: %s, branch: %s}", s.elsewhere.repo, s.elsewhere.branch))
	}
	if s.direct {
		results = append(results, "commit: direct")
	}
	if s.approvals > 0 {
		results = append(results, fmt.Sprintf("approvals: %d", s.approvals))
	}
	if s.guard {
		results = append(results, "guard: true")
	}
	if p.told {
		results = append(results, `slack: "#`+room+`"`)
	}
	var all []string
	for _, m := range s.verify {
		all = append(all, fmt.Sprintf("{%s: \"%s\", missing: %s, skipped: %s, appear: %s, timeout: 1h}", m.kind, m.pattern, m.missing, m.skipped, m.appear))
	}
	if len(all) > 0 {
		results = append(results, "verify: ["+strings.Join(all, ", ")+"]")
	}
	return fmt.Sprintf("%s: {%s}", s.name, strings.Join(results, ", "))
}

// clone copies a pipeline, so that it can be changed.
func (p *pipeline) clone() pipeline {
	c := *p
	c.stages = slices.Clone(p.stages)
	return c
}

// policyText writes the policy file: which stages promote by themselves, and that maintainers may do what else nobody
// may.
func policyText(manual []string, p *pipeline) string {
	var automatic []string
	for _, s := range p.stages {
		if !slices.Contains(manual, s.name) {
			automatic = append(automatic, s.name)
		}
	}
	return fmt.Sprintf("version: 1\nautomatic: [%s]\nmay:\n  admit: [{permission: maintain}]\n  force: [{permission: maintain}]\n",
		strings.Join(automatic, ", "))
}
