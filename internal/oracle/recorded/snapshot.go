package recorded

import "time"

// Snapshot is all that one decision read.
type Snapshot struct {
	Stage      string      `json:",omitzero"`
	Index      int         `json:",omitzero"` // of the stage
	Removed    bool        `json:",omitzero"`
	Freight    []Freight   `json:",omitzero"`
	Records    [][]Record  `json:",omitzero"`
	Promotions []Promotion `json:",omitzero"`
	Newest     []Mark      `json:",omitzero"`
	Attempts   []Attempt   `json:",omitzero"`
	Pulls      []Pull      `json:",omitzero"`
	Stays      []Stay      `json:",omitzero"`
	Signals    []Signal    `json:",omitzero"`
	Suites     []Suite     `json:",omitzero"`
	Pushes     []Push      `json:",omitzero"`
	Evidence   []Evidence  `json:",omitzero"` // in recordings without Signals, Suites and Pushes
	Readings   []Reading   `json:",omitzero"`
	Readiness  *Readiness  `json:",omitzero"`
	Holds      []Hold      `json:",omitzero"`
	Approvals  []Approval  `json:",omitzero"`
	Requests   []Request   `json:",omitzero"`
	Next       int64       `json:",omitzero"`
	NextID     int64       `json:",omitzero"`
}

// Mark is a place in a warehouse's order.
type Mark struct {
	Warehouse string    `json:",omitzero"`
	Merged    time.Time `json:",omitzero"`
	Number    int       `json:",omitzero"`
}

// Freight is a piece of work on its way through the stages.
type Freight struct {
	ID        string    `json:",omitzero"`
	Warehouse string    `json:",omitzero"`
	Name      string    `json:",omitzero"`
	Merged    time.Time `json:",omitzero"`
	Number    int       `json:",omitzero"`
	Pull      int       `json:",omitzero"`
	Repo      string    `json:",omitzero"`
	SHA       string    `json:",omitzero"`
	Author    Actor     `json:",omitzero"`
	Title     string    `json:",omitzero"`
	Contents
}

// Contents is the part of freight that is neither its commit nor its place in the order.
type Contents struct {
	Tag     string     `json:",omitzero"`
	Version string     `json:",omitzero"`
	Image   string     `json:",omitzero"`
	Digest  string     `json:",omitzero"`
	Images  []Artifact `json:",omitzero"`
}

// Artifact is an image that was pushed for freight.
type Artifact struct {
	Image  string `json:",omitzero"`
	Tag    string `json:",omitzero"`
	Digest string `json:",omitzero"`
}

// Record sums up what one stage knows of one freight.
type Record struct {
	Verdict string        `json:",omitzero"`
	Since   time.Time     `json:",omitzero"`
	Longest time.Duration `json:",omitzero"`
	Cause   *Reason       `json:",omitzero"`
}

// Promotion is one freight on its way into one stage.
type Promotion struct {
	Number      int64     `json:",omitzero"`
	Stage       string    `json:",omitzero"`
	Warehouse   string    `json:",omitzero"`
	Freight     string    `json:",omitzero"`
	FreightName string    `json:",omitzero"`
	Class       string    `json:",omitzero"`
	Automatic   bool      `json:",omitzero"`
	State       string    `json:",omitzero"`
	Reason      Reason    `json:",omitzero"`
	By          Actor     `json:",omitzero"`
	Cause       int64     `json:",omitzero"`
	Repairs     bool      `json:",omitzero"`
	Queued      time.Time `json:",omitzero"`
	Started     time.Time `json:",omitzero"`
	Merged      time.Time `json:",omitzero"`
	Ended       time.Time `json:",omitzero"`
	MergeSHA    string    `json:",omitzero"`
	Only        []string  `json:",omitzero"`
	Rollout     *Rollout  `json:",omitzero"`
	Pins        bool      `json:",omitzero"`
	Version     int64     `json:",omitzero"`
}

// Rollout is how far a promotion has come through the targets of its stage.
type Rollout struct {
	Batches []Batch  `json:",omitzero"`
	Step    int      `json:",omitzero"`
	Batch   int      `json:",omitzero"`
	Targets []string `json:",omitzero"`
	Waiting []string `json:",omitzero"`
	Gone    []string `json:",omitzero"`
	Skipped []string `json:",omitzero"`
	Paused  Actor    `json:",omitzero"`
	Merged  int      `json:",omitzero"`
	Entered []int    `json:",omitzero"`
}

// Batch is a number of targets that follow each other.
type Batch struct {
	Name      string        `json:",omitzero"`
	Targets   []string      `json:",omitzero"`
	AtOnce    int           `json:",omitzero"`
	Wait      time.Duration `json:",omitzero"`
	Approvals int           `json:",omitzero"`
}

// Attempt is the state of a promotion, or of one step of it, on GitHub.
type Attempt struct {
	Promotion   int64     `json:",omitzero"`
	Step        int       `json:",omitzero"`
	Files       Branch    `json:",omitzero"`
	Plan        *Plan     `json:",omitzero"`
	Built       int       `json:",omitzero"`
	Branch      string    `json:",omitzero"`
	BaseSHA     string    `json:",omitzero"`
	HeadSHA     string    `json:",omitzero"`
	Pull        int       `json:",omitzero"`
	URL         string    `json:",omitzero"`
	Begun       int       `json:",omitzero"`
	Late        int       `json:",omitzero"`
	Landed      time.Time `json:",omitzero"`
	Dispatched  time.Time `json:",omitzero"`
	Failure     Reason    `json:",omitzero"`
	Unmergeable string    `json:",omitzero"`
	Tried       int64     `json:",omitzero"`
	Observed    time.Time `json:",omitzero"`
}

// Plan is what a promotion would write.
type Plan struct {
	Round   int       `json:",omitzero"`
	Base    string    `json:",omitzero"`
	At      time.Time `json:",omitzero"`
	Paths   []string  `json:",omitzero"`
	Values  []Value   `json:",omitzero"`
	Hash    string    `json:",omitzero"`
	Problem Reason    `json:",omitzero"`
	Absent  []string  `json:",omitzero"`
}

// Pull is a pull request that Waybill opened.
type Pull struct {
	Repo      string    `json:",omitzero"`
	Number    int       `json:",omitzero"`
	Head      string    `json:",omitzero"`
	HeadSHA   string    `json:",omitzero"`
	Base      string    `json:",omitzero"`
	State     string    `json:",omitzero"`
	MergeSHA  string    `json:",omitzero"`
	MergedAt  time.Time `json:",omitzero"`
	By        Actor     `json:",omitzero"`
	URL       string    `json:",omitzero"`
	Pusher    Actor     `json:",omitzero"`
	Conflicts bool      `json:",omitzero"`
	Queue     string    `json:",omitzero"`
	Revision  int64     `json:",omitzero"`
	Updated   time.Time `json:",omitzero"`
}

// Stay is the time that a stage hosts a freight, with the verdict on it.
type Stay struct {
	Promotion int64     `json:",omitzero"`
	Stage     string    `json:",omitzero"`
	Warehouse string    `json:",omitzero"`
	Freight   string    `json:",omitzero"`
	Entered   time.Time `json:",omitzero"`
	Left      time.Time `json:",omitzero"`
	Verdict   string    `json:",omitzero"`
	Judged    time.Time `json:",omitzero"`
	Cause     Reason    `json:",omitzero"`
	JudgedBy  Actor     `json:",omitzero"`
	Plan      string    `json:",omitzero"`
	Commit    string    `json:",omitzero"`
	Since     time.Time `json:",omitzero"`
	Wrote     []Value   `json:",omitzero"`
	Parts     []Part    `json:",omitzero"`
	Short     bool      `json:",omitzero"`
	Drift     Drift     `json:",omitzero"`
}

// Part is the share of one target in a stay.
type Part struct {
	Target  string    `json:",omitzero"`
	Step    int       `json:",omitzero"`
	Commit  string    `json:",omitzero"`
	Since   time.Time `json:",omitzero"`
	Verdict string    `json:",omitzero"`
	Judged  time.Time `json:",omitzero"`
	Cause   Reason    `json:",omitzero"`
}

// Drift is how the files of a stage differ from what was promoted.
type Drift struct {
	Says   []Value   `json:",omitzero"`
	Commit string    `json:",omitzero"`
	At     time.Time `json:",omitzero"`
	By     Actor     `json:",omitzero"`
	Told   bool      `json:",omitzero"`
	Repair int64     `json:",omitzero"`
	Count  int       `json:",omitzero"`
}

// Value is a value at one place of a file.
type Value struct {
	Files Branch `json:",omitzero"`
	Path  string `json:",omitzero"`
	Key   string `json:",omitzero"`
	Text  string `json:",omitzero"`
}

// Signal is a check run, commit status, deployment or workflow run of a commit.
type Signal struct {
	Repo     string    `json:",omitzero"`
	Kind     string    `json:",omitzero"`
	ID       int64     `json:",omitzero"`
	SHA      string    `json:",omitzero"`
	App      string    `json:",omitzero"`
	Suite    int64     `json:",omitzero"`
	Name     string    `json:",omitzero"`
	State    string    `json:",omitzero"`
	URL      string    `json:",omitzero"`
	Started  time.Time `json:",omitzero"`
	Ended    time.Time `json:",omitzero"`
	Observed time.Time `json:",omitzero"`
}

// Suite is a check suite.
type Suite struct {
	Repo       string `json:",omitzero"`
	ID         int64  `json:",omitzero"`
	SHA        string `json:",omitzero"`
	App        string `json:",omitzero"`
	Branch     string `json:",omitzero"`
	Completed  bool   `json:",omitzero"`
	Conclusion string `json:",omitzero"`
}

// Arrival is a commit that brought freight to a stage or target.
type Arrival struct {
	Target string `json:",omitzero"`
	Commit string `json:",omitzero"`
}

// Evidence is what judges an arrival.
type Evidence struct {
	Arrival
	Head   string   `json:",omitzero"`
	Runs   []Signal `json:",omitzero"`
	Suites []Suite  `json:",omitzero"`
}

// Push is a move of a branch's head.
type Push struct {
	Repo   string    `json:",omitzero"`
	Branch string    `json:",omitzero"`
	Before string    `json:",omitzero"`
	After  string    `json:",omitzero"`
	At     time.Time `json:",omitzero"`
	Paths  []string  `json:",omitzero"`
}

// Reading is what the files of a stage say on one branch.
type Reading struct {
	On     Branch  `json:",omitzero"`
	Commit string  `json:",omitzero"`
	By     Actor   `json:",omitzero"`
	Values []Value `json:",omitzero"`
}

// Branch is a branch of a repository.
type Branch struct {
	Repo string `json:",omitzero"`
	Name string `json:",omitzero"`
}

// Readiness is GitHub's answer about the conditions of a stage's targets.
type Readiness struct {
	At    time.Time `json:",omitzero"`
	Of    uint32    `json:",omitzero"`
	Lacks []Lacking `json:",omitzero"`
	Asked int64     `json:",omitzero"`
	Tries int       `json:",omitzero"`
	Stale bool      `json:",omitzero"`
}

// Lacking is a condition that is not met.
type Lacking struct {
	Condition
	State string `json:",omitzero"`
}

// Condition is what a target must show before it takes part.
type Condition struct {
	Kind  string `json:",omitzero"`
	Name  string `json:",omitzero"`
	App   string `json:",omitzero"`
	Files Branch `json:",omitzero"`
}

// Hold stops a stage, one target of it, or the pipeline.
type Hold struct {
	ID        int64     `json:",omitzero"`
	Stage     string    `json:",omitzero"`
	Target    string    `json:",omitzero"`
	By        Actor     `json:",omitzero"`
	Reason    Reason    `json:",omitzero"`
	Text      string    `json:",omitzero"`
	Promotion int64     `json:",omitzero"`
	At        time.Time `json:",omitzero"`
	Until     time.Time `json:",omitzero"`
	Lifted    time.Time `json:",omitzero"`
	LiftedBy  Actor     `json:",omitzero"`
}

// Approval is a sign-off or an admission.
type Approval struct {
	ID       int64     `json:",omitzero"`
	Stage    string    `json:",omitzero"`
	Freight  string    `json:",omitzero"`
	Kind     string    `json:",omitzero"`
	By       Actor     `json:",omitzero"`
	Plan     string    `json:",omitzero"`
	Text     string    `json:",omitzero"`
	At       time.Time `json:",omitzero"`
	Expires  time.Time `json:",omitzero"`
	Revoked  time.Time `json:",omitzero"`
	Entitled bool      `json:",omitzero"`
}

// Request is a command that waits for its answer.
type Request struct {
	ID         int64     `json:",omitzero"`
	Command    Command   `json:",omitzero"`
	By         Actor     `json:",omitzero"`
	Surface    string    `json:",omitzero"`
	PullRepo   string    `json:",omitzero"`
	Pull       int       `json:",omitzero"`
	At         time.Time `json:",omitzero"`
	Permission int       `json:",omitzero"`
	Teams      []string  `json:",omitzero"`
	Typed      string    `json:",omitzero"`
	Observed   time.Time `json:",omitzero"`
}

// Command is what a person typed.
type Command struct {
	Verb    string        `json:",omitzero"`
	Stage   string        `json:",omitzero"`
	Target  string        `json:",omitzero"`
	All     bool          `json:",omitzero"`
	Freight string        `json:",omitzero"`
	Pass    bool          `json:",omitzero"`
	Text    string        `json:",omitzero"`
	For     time.Duration `json:",omitzero"`
	Trouble string        `json:",omitzero"`
	Seen    string        `json:",omitzero"`
}

// Actor is a person, or Waybill itself if it is zero.
type Actor struct {
	ID    int64  `json:",omitzero"`
	Login string `json:",omitzero"`
}

// Reason is a code with its arguments.
type Reason struct {
	Code   string   `json:",omitzero"`
	Args   []string `json:",omitzero"`
	URL    string   `json:",omitzero"`
	Detail string   `json:",omitzero"`
}
