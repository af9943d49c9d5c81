package torture

import (
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
	broken     bool     // the file is no good
	told       bool     // Slack is told of the stages
	manual     []string // stages that do not promote by themselves
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

// name returns a signal's name that the matcher takes.
func (m matcher) name() string { return strings.ReplaceAll(m.pattern, "*", "-x") }

// of returns the matcher of a target.
func (m matcher) of(target string) matcher {
	m.pattern = strings.ReplaceAll(m.pattern, "${target.name}", target)
	return m
}

// home is the repository that the pipeline file is in.
const home = "acme/deploy"

// room is the channel that is told of all stages.
const room = "deploys"

func (p *pipeline) stage(name string) *stage {
	for i := range p.stages {
		if p.stages[i].name == name {
			return &p.stages[i]
		}
	}
	return nil
}

// clone copies a pipeline, so that it can be changed.
func (p *pipeline) clone() pipeline {
	c := *p
	c.stages = slices.Clone(p.stages)
	return c
}

// starters are the stages that start workflows.
func (p *pipeline) starters() (all []*stage) {
	for i := range p.stages {
		if p.stages[i].starts {
			all = append(all, &p.stages[i])
		}
	}
	return all
}
