package recorded

import "time"

// Pipeline is a compiled pipeline file with its policy.
type Pipeline struct {
	Home       string        `json:",omitzero"`
	Branch     string        `json:",omitzero"`
	Warehouses []*Warehouse  `json:",omitzero"`
	Stages     []*Stage      `json:",omitzero"`
	Resync     time.Duration `json:",omitzero"`
	Quiet      bool          `json:",omitzero"`
	Policy     Policy        `json:",omitzero"`
}

// Warehouse is where freight comes from.
type Warehouse struct {
	Name   string    `json:",omitzero"`
	Kind   string    `json:",omitzero"`
	Repo   string    `json:",omitzero"`
	Branch string    `json:",omitzero"`
	Paths  []string  `json:",omitzero"`
	Labels []string  `json:",omitzero"`
	Except []string  `json:",omitzero"`
	Images []Awaited `json:",omitzero"`
}

// Awaited is an image that makes freight complete.
type Awaited struct {
	Name  string `json:",omitzero"`
	Image string `json:",omitzero"`
}

// Stage is a place that freight is promoted into.
type Stage struct {
	Name                 string    `json:",omitzero"`
	Index                int       `json:",omitzero"`
	Files                Branch    `json:",omitzero"`
	From                 []Source  `json:",omitzero"`
	Changes              []Change  `json:",omitzero"`
	Copies               []Copy    `json:",omitzero"`
	Verify               []Matcher `json:",omitzero"`
	Merge                string    `json:",omitzero"`
	Direct               bool      `json:",omitzero"`
	MergeMethod          string    `json:",omitzero"`
	Queue                string    `json:",omitzero"`
	OnFailedVerification string    `json:",omitzero"`
	Drift                string    `json:",omitzero"`
	Slack                string    `json:",omitzero"`
	Dispatch             *Dispatch `json:",omitzero"`
	Environment          string    `json:",omitzero"`
	EnvironmentURL       string    `json:",omitzero"`
	Automatic            bool      `json:",omitzero"`
	Approvals            int       `json:",omitzero"`
	Freezes              []Freeze  `json:",omitzero"`
	Guard                bool      `json:",omitzero"`
	Targets              []Target  `json:",omitzero"`
	Batches              []Batch   `json:",omitzero"`
	MaxFailures          int       `json:",omitzero"`
	Beyond               string    `json:",omitzero"`
	PerTarget            bool      `json:",omitzero"`
	External             bool      `json:",omitzero"`
}

// Source is a warehouse that a stage takes freight from.
type Source struct {
	Warehouse string `json:",omitzero"`
	After     *Gate  `json:",omitzero"`
}

// Gate says which stages must have verified freight before. Of has their names.
type Gate struct {
	Of   []string      `json:",omitzero"`
	Need int           `json:",omitzero"`
	Soak time.Duration `json:",omitzero"`
}

// Change is a file that a stage rewrites.
type Change struct {
	Files Branch       `json:",omitzero"`
	Path  string       `json:",omitzero"`
	Set   []Assignment `json:",omitzero"`
}

// Assignment sets one value of a file.
type Assignment struct {
	Kind string `json:",omitzero"`
	Key  string `json:",omitzero"`
}

// Copy is a folder that becomes equal to another one.
type Copy struct {
	Files     Branch `json:",omitzero"`
	Path      string `json:",omitzero"`
	From      string `json:",omitzero"`
	Warehouse string `json:",omitzero"`
	Stage     string `json:",omitzero"`
}

// Matcher names the signals that verify a stage.
type Matcher struct {
	Kind    string        `json:",omitzero"`
	Pattern string        `json:",omitzero"`
	App     string        `json:",omitzero"`
	Appear  time.Duration `json:",omitzero"`
	Timeout time.Duration `json:",omitzero"`
	Missing string        `json:",omitzero"`
	Skipped string        `json:",omitzero"`
}

// Freeze is a time in which nothing starts.
type Freeze struct {
	Reason    string `json:",omitzero"`
	Rollbacks bool   `json:",omitzero"`
	Window    Window `json:",omitzero"`
}

// Target is one of the places that a stage consists of.
type Target struct {
	Name           string      `json:",omitzero"`
	Files          Branch      `json:",omitzero"`
	Changes        []Change    `json:",omitzero"`
	Copies         []Copy      `json:",omitzero"`
	Verify         []Matcher   `json:",omitzero"`
	Ready          []Condition `json:",omitzero"`
	Environment    string      `json:",omitzero"`
	EnvironmentURL string      `json:",omitzero"`
}

// Dispatch is the workflow that promotions into a stage start.
type Dispatch struct {
	Workflow string  `json:",omitzero"`
	Inputs   []Input `json:",omitzero"`
}

// Input is a named input of a workflow.
type Input struct {
	Name string `json:",omitzero"`
}

// Policy says who may give which command.
type Policy struct {
	May map[string][]Rule `json:",omitzero"`
}

// Rule lets people with a permission or in a team do something in some stages.
type Rule struct {
	Name       string   `json:",omitzero"`
	Stages     []string `json:",omitzero"`
	Permission int      `json:",omitzero"`
	Teams      []string `json:",omitzero"`
	Not        []string `json:",omitzero"`
}

// Window is when a freeze is: its times between From and To, in order. None of them overlap.
type Window struct {
	From  time.Time `json:",omitzero"`
	To    time.Time `json:",omitzero"` // zero: no others follow
	Times []Time    `json:",omitzero"`
}

// Time is from when to when something is.
type Time struct {
	Begins time.Time `json:",omitzero"`
	Ends   time.Time `json:",omitzero"`
}
