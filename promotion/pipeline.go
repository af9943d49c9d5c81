package promotion

import (
	"slices"
	"time"
)

// Pipeline is a compiled pipeline file together with the policy for it. It never changes; a new file makes a new
// Pipeline.
type Pipeline struct {
	ID         int64  // GitHub's id of the home repository, which renames do not change; 0: not known
	Home       Repo   // holds the pipeline file and, where a stage does not say otherwise, the stages' files
	Branch     string // the home repository's default branch
	Warehouses []*Warehouse
	Stages     []*Stage // in the order of the file
	Resync     time.Duration
	// Inventories are the files of the home repository that have lists of the pipeline file.
	Inventories []string
	Zone        *time.Location // of the clocks that people mean; nil: the pipeline file names none, so UTC
	Quiet       bool           // no sticky comments and no labels show how far freight has come
	Policy      Policy
	Values      int // targets, values, paths and names of checks that the files multiply to: its size in memory
}

// Stage returns the stage of that name, or nil.
func (p *Pipeline) Stage(name StageName) *Stage {
	for _, s := range p.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Warehouse returns the warehouse of that name, or nil.
func (p *Pipeline) Warehouse(name WarehouseName) *Warehouse {
	for _, w := range p.Warehouses {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// AwaitsImages reports whether freight of some warehouse needs images.
func (p *Pipeline) AwaitsImages() bool {
	return slices.ContainsFunc(p.Warehouses, func(w *Warehouse) bool { return len(w.Images) > 0 })
}

// Stage is a place that freight is promoted into.
type Stage struct {
	Name                 StageName
	Index                int      // its place in Pipeline.Stages
	Groups               []string // by which commands name it together with others
	Files                Branch   // that holds the files; none: the one that the pipeline lives on. Ask Pipeline.FilesOf
	From                 []Source
	Delivery             Delivery
	Merge                Merging
	Attention            Attention // for its pull requests
	Queue                QueueMode
	Intake               IntakeMode
	OnFailedVerification FailureMode
	Drift                DriftMode
	Slack                string    // the channel that is told, "#deploys" or its id; empty: none
	Dispatch             *Dispatch // the workflow that DeliveryWorkflow starts; nil: none
	Policy               StagePolicy
	Guard                bool     // people's pull requests that change its files wait while something is under way in it
	Targets              []Target // that it consists of, at least one; that of a stage that is one place has no name
	Strategy             Strategy // how they are updated
}

// StagePolicy is the policy of a stage.
type StagePolicy struct {
	Automatic bool // freight is promoted into it without being asked
	Approvals int  // how many people must sign a promotion off before it is merged
	// SignRollbacks says that rollbacks need the sign-offs, too, whatever they go back to.
	SignRollbacks bool
	Freezes       []Freeze
	Floor         *Gates // the least that policy files ask of the gates above and those of the stage; nil: nothing
}

// Merging says who merges the pull requests of a stage, and how.
type Merging struct {
	By     MergeMode
	Method string // "squash", "merge", "rebase"; empty: the best that GitHub allows, see package rules
}

// Source returns the stage's source with warehouse w, and whether it has one.
func (s *Stage) Source(w WarehouseName) (Source, bool) {
	for _, src := range s.From {
		if src.Warehouse == w {
			return src, true
		}
	}
	return Source{}, false
}

// Source is one warehouse that a stage takes freight from, and the gate before it.
type Source struct {
	Warehouse WarehouseName
	After     *Gate // nil: straight from the warehouse
}

// Gate requires that enough upstream stages have each verified a freight and hosted it for Soak. `any` needs 1, `all`
// every one, `majority` more than half, `at-least` the number that it gives.
type Gate struct {
	Of   []*Stage // in the order of the pipeline file, without duplicates
	Need int      // 1..len(Of)
	Soak time.Duration
}

// Change is one file that a stage rewrites when freight is promoted into it.
type Change struct {
	Files Branch // that holds the file; none: the stage's
	Path  string
	Set   []Assignment // kind by kind, each in the order of the pipeline file; no two have the same key
}

// Assignment sets the value at Key to Value, in which ${...} is replaced. Its kind says how the key is read.
type Assignment struct {
	Kind  ChangeKind
	Key   string
	Value Template
}

// ChangeKind is a kind of change, called as its key in the pipeline file.
type ChangeKind string

// ChangeYAML and ChangeJSON set values in YAML and JSON files, ChangeKustomize the images of a kustomization,
// ChangeHelm the versions of a chart's dependencies, and ChangeReplace values on marked lines of any file.
const (
	ChangeYAML      ChangeKind = "set"
	ChangeKustomize ChangeKind = "kustomize"
	ChangeHelm      ChangeKind = "helm"
	ChangeJSON      ChangeKind = "json"
	ChangeReplace   ChangeKind = "replace"
)

// Matcher names the signals that verify a stage: a check run, a commit status or a deployment, by a glob pattern.
type Matcher struct {
	Kind    SignalKind
	Pattern string
	App     string        // the GitHub App (slug) whose checks count; empty for statuses and deployments
	Appear  time.Duration // after the merge: the first signal must exist by then
	Timeout time.Duration // after the merge: the verdict must be there by then
	Missing Lack
	Skipped Lack
}

// Lack says how a missing signal counts, or a matcher of which all signals were skipped.
type Lack string

// A lack holds the stage until a person decides, passes the matcher, or fails it.
const (
	LackHolds  Lack = "hold"
	LackPasses Lack = "pass"
	LackFails  Lack = "fail"
)

// MergeMode says who merges a promotion's pull request.
type MergeMode string

// With MergeAuto Waybill merges as soon as GitHub lets it, with MergeManual a person does.
const (
	MergeAuto   MergeMode = "auto"
	MergeManual MergeMode = "manual"
)

// QueueMode says whether newer freight replaces the automatic promotions that still wait.
type QueueMode string

// QueueLatest supersedes waiting promotions by newer ones, QueueFIFO runs everything in order.
const (
	QueueLatest QueueMode = "latest"
	QueueFIFO   QueueMode = "fifo"
)

// IntakeMode says when a stage takes new freight by itself.
type IntakeMode string

// IntakeAtOnce takes it as soon as it is available; IntakeAfterSoak lets what the stage hosts soak first, for as long
// as stages downstream want it to.
const (
	IntakeAtOnce    IntakeMode = "at-once"
	IntakeAfterSoak IntakeMode = "after-soak"
)

// DriftMode says what happens when the stage's files differ from the promoted values.
type DriftMode string

// DriftReport reports it, DriftIgnore does nothing, DriftRepair promotes the hosted freight once more.
const (
	DriftReport DriftMode = "report"
	DriftIgnore DriftMode = "ignore"
	DriftRepair DriftMode = "repair"
)

// FailureMode says what happens to waiting automatic promotions when a verification fails.
type FailureMode string

// OnFailureCancel cancels them, OnFailureHold holds the stage, OnFailureContinue starts the next.
const (
	OnFailureCancel   FailureMode = "cancel"
	OnFailureHold     FailureMode = "hold"
	OnFailureContinue FailureMode = "continue"
)
