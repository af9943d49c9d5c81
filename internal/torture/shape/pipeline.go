package shape

import (
	"slices"
	"strings"
	"time"
)

// Pipeline is the content of a pipeline file, independent of how the program reads it.
type Pipeline struct {
	Warehouses []string
	Sources    map[string]string // repository by warehouse
	Kinds      map[string]string // of warehouses
	Built      map[string]bool   // freight of the warehouse waits for an image
	Stages     []Stage
	Broken     bool     // the file is invalid
	told       bool     // the stages notify Slack
	Manual     []string // stages that are not promoted automatically
}

type Stage struct {
	Name      string
	From      []string
	After     []string // empty: the stage takes freight from the warehouses
	Need      int
	Soak      time.Duration
	Verify    []Matcher
	Merge     string
	Queue     string
	onFailure string
	Drift     string
	Form      *Form
	Passes    bool  // has no files: freight only passes through the stage
	Direct    bool  // without pull requests
	Ready     bool  // a target takes part only after a monitor has reported it as ready
	elsewhere Place // the place of its files if not Here
	Second    Place // the place of the files of every other target, if not the same
	Whole     bool  // the stage is an environment branch
	Starts    bool  // the stage starts a workflow
	Approvals int   // how many people must sign a promotion off
	Guard     bool  // pull requests of people that change its file wait while a verification or a hold is open
	Freeze    *Freeze

	Targets     []string // none: the stage is one place
	Glob        bool     // the targets are found by a glob
	Batches     []Batch
	Beyond      string // the reaction when more targets fail than MaxFailures
	MaxFailures int
	External    bool // each target is moved by a command
	PerTarget   bool // each target has a pull request of its own
	Settled     bool // each target has an environment of its own
}

type Matcher struct {
	Kind    string // check, status or deployment
	Pattern string
	Missing string
	Skipped string
	Appear  time.Duration
}

// copies reports whether the stage also copies the sources of api into a folder. It depends on older draws only, so
// that older seeds keep their draws.
func (s *Stage) copies() bool {
	return s.onFailure == "cancel" && !s.Rolls() && s.changesFiles() && slices.Contains(s.From, "api")
}

// folder returns the folder of these copies.
func (s *Stage) folder() string { return "copied/" + s.Name }

// Folder returns the folder that the stage copies something into; "" if it copies nothing.
func (s *Stage) Folder() string {
	if !s.copies() {
		return ""
	}
	return s.folder()
}

// Writes reports whether promotions into the stage write a file.
func (s *Stage) Writes(path string) bool {
	folder := s.Folder()
	return slices.Contains(s.Files(), path) || folder != "" && strings.HasPrefix(path, folder+"/")
}

// Name returns a name of a signal that the matcher matches.
func (m Matcher) Name() string { return strings.ReplaceAll(m.Pattern, "*", "-x") }

// Of returns the matcher of a target.
func (m Matcher) Of(target string) Matcher {
	m.Pattern = strings.ReplaceAll(m.Pattern, "${target.name}", target)
	return m
}

// Home is the repository that the pipeline file is in.
const Home = "acme/deploy"

// Room is the channel that all stages notify.
const Room = "deploys"

func (p *Pipeline) Stage(name string) *Stage {
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	return nil
}

// Clone returns a copy of a pipeline whose stages can be changed.
func (p *Pipeline) Clone() Pipeline {
	c := *p
	c.Stages = slices.Clone(p.Stages)
	return c
}

// Starters returns the stages that start workflows.
func (p *Pipeline) Starters() (all []*Stage) {
	for i := range p.Stages {
		if p.Stages[i].Starts {
			all = append(all, &p.Stages[i])
		}
	}
	return all
}

// ContinuesAfterFailure reports whether a failed verification lets the next promotion start, whatever its warehouse.
func (s *Stage) ContinuesAfterFailure() bool { return s.onFailure == "continue" }
