package shape

import (
	"slices"
	"strings"
	"time"
)

// Pipeline is a pipeline file as the torture knows it, independent of how the program reads it.
type Pipeline struct {
	Warehouses []string
	Sources    map[string]string // repository by warehouse
	Kinds      map[string]string // of warehouses
	Built      map[string]bool   // whether freight of a warehouse waits for an image
	Stages     []Stage
	Broken     bool     // the file is no good
	told       bool     // Slack is told of the stages
	Manual     []string // stages that do not promote by themselves
}

type Stage struct {
	Name      string
	From      []string
	After     []string // empty: straight from the warehouses
	Need      int
	Soak      time.Duration
	Verify    []Matcher
	Merge     string
	Queue     string
	onFailure string
	Drift     string
	Form      *Form
	Passes    bool  // it only passes freight on
	Direct    bool  // without pull requests
	Ready     bool  // each target must show that it is before it takes part
	elsewhere Place // where its files are, if not here
	Second    Place // where those of every other target are, if not there
	Whole     bool  // it is an environment branch
	Starts    bool  // it starts a workflow
	Approvals int   // how many people have to sign a promotion off
	Guard     bool  // people's changes of its file wait while something is verified or held there

	Targets     []string // it consists of; none: it is one place
	Glob        bool     // they are found
	Batches     []Batch
	Beyond      string // what happens when more targets fail than may
	MaxFailures int
	External    bool // each target is moved when somebody asks for it
	PerTarget   bool // each has a pull request of its own
	Settled     bool // and an environment
}

type Matcher struct {
	Kind    string // check, status or deployment
	Pattern string
	Missing string
	Skipped string
	Appear  time.Duration
}

// copies reports whether the stage copies the sources of api into a folder, too. It follows from what was drawn, so
// that seeds from before there were copies draw what they did.
func (s *Stage) copies() bool {
	return s.onFailure == "cancel" && !s.Rolls() && s.changesFiles() && slices.Contains(s.From, "api")
}

// folder is where it copies them.
func (s *Stage) folder() string { return "copied/" + s.Name }

// Name returns a signal's name that the matcher takes.
func (m Matcher) Name() string { return strings.ReplaceAll(m.Pattern, "*", "-x") }

// Of returns the matcher of a target.
func (m Matcher) Of(target string) Matcher {
	m.Pattern = strings.ReplaceAll(m.Pattern, "${target.name}", target)
	return m
}

// Home is the repository that the pipeline file is in.
const Home = "acme/deploy"

// Room is the channel that is told of all stages.
const Room = "deploys"

func (p *Pipeline) Stage(name string) *Stage {
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	return nil
}

// Clone copies a pipeline, so that it can be changed.
func (p *Pipeline) Clone() Pipeline {
	c := *p
	c.Stages = slices.Clone(p.Stages)
	return c
}

// Starters are the stages that start workflows.
func (p *Pipeline) Starters() (all []*Stage) {
	for i := range p.Stages {
		if p.Stages[i].Starts {
			all = append(all, &p.Stages[i])
		}
	}
	return all
}
