package torture

import (
	"fmt"
	"math/rand/v2"
)

// Plan is all that a seed decides: a pipeline and what happens to it.
type Plan struct {
	Seed uint64
	Acts []Act
	End  bool // whether everything is brought to its end at last, which takes longer than all that comes before
}

// Act is one thing that happens, and how much the program gets done before the next. What it happens to is found when
// it happens: the three numbers choose.
type Act struct {
	ID      int // its draws come from here, so that they stay the same when other acts are left out
	Kind    Kind
	A, B, C int
	Steps   int // of the scheduler that follow; toRest: as many as there are
}

// toRest lets the program finish what it has to do.
const toRest = -1

// Kind is a sort of act.
type Kind string

// What can happen.
const (
	MergeSource Kind = "merge-source" // a person merges a pull request
	PullDone    Kind = "pull"         // a person does something with a pull request of ours
	Meddle      Kind = "meddle"       // a person comes between a merge of ours and what it was decided on
	PushFiles   Kind = "push"         // a person pushes
	Drift       Kind = "drift"        // a person changes by hand what a promotion wrote
	Configure   Kind = "configure"    // a person changes the pipeline or the policy file
	Comment     Kind = "comment"      // a person gives a command
	Label       Kind = "label"        // a person puts a label on a pull request, or takes it off
	Press       Kind = "press"        // a person presses a button of a check run
	Review      Kind = "review"       // a person reviews a pull request of ours
	Remove      Kind = "remove"       // a person removes what we made to show where freight stands
	Grant       Kind = "grant"        // a person's rights change
	Report      Kind = "report"       // CI reports anything on anything
	Succeed     Kind = "succeed"      // CI reports success of all that a stage waits for
	Gate        Kind = "gate"         // CI decides about what is in the merge queue, or a person does
	Slack       Kind = "slack"        // a person gives a command in Slack, presses a button there, or looks at their Home
	Type        Kind = "typed"        // a person gives a command over the API
	Roll        Kind = "roll"         // CI decides about the targets of a rollout, step by step
	Targets     Kind = "targets"      // a person does something with the targets of a stage
	Drive       Kind = "drive"        // a person gives a command that is about a rollout, or about one target
	Work        Kind = "work"         // a workflow that we have started goes on or ends
	Deploy      Kind = "deploy"       // a job wants to deploy into a stage's environment
	Propose     Kind = "propose"      // a person does something with a pull request of theirs that touches a stage's file
	Access      Kind = "access"       // the App loses what it may do, for a while
	Crash       Kind = "crash"        // the process dies and is started again
	CrashSoon   Kind = "crash-soon"   // it will die at one of its next looks at the clock
	Webhooks    Kind = "webhooks"     // webhooks get lost, doubled, late
	Request     Kind = "request"      // one of the next requests fails
	ClockStep   Kind = "clock"        // somebody sets the clock
	Wait        Kind = "wait"         // time passes
	Frozen      Kind = "frozen"       // time passes, and the process does not notice
	Away        Kind = "away"         // nobody is there for so long that much is forgotten afterwards
	Resync      Kind = "resync"       // somebody asks for a resync
	SlackFails  Kind = "slack-fails"  // one of the next requests to Slack fails, or Slack tells something again
)

// weights say how often what is drawn.
var weights = []struct {
	kind   Kind
	weight int
}{
	{MergeSource, 18}, {PullDone, 8}, {Meddle, 3}, {PushFiles, 5}, {Drift, 5}, {Configure, 4}, {Comment, 12}, {Label, 4}, {Press, 5}, {Review, 3}, {Remove, 4}, {Grant, 1}, {Report, 10}, {Succeed, 16},
	{Gate, 6}, {Slack, 9}, {Type, 5}, {Propose, 6}, {Deploy, 3}, {Work, 7}, {Roll, 6}, {Targets, 7}, {Drive, 9},
	{Crash, 6}, {CrashSoon, 5}, {Webhooks, 7}, {Request, 8}, {ClockStep, 2}, {Wait, 8}, {Frozen, 2}, {Away, 2}, {Resync, 3},
	{SlackFails, 3}, {Access, 3},
}

// faults are the kinds of acts that an undisturbed run leaves out.
var faults = map[Kind]bool{
	Crash: true, CrashSoon: true, Webhooks: true, Request: true, ClockStep: true, Frozen: true, Away: true, Resync: true,
	SlackFails: true, Access: true,
}

// NewPlan draws the plan of a seed.
func NewPlan(seed uint64) Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, End: seed%16 == 0}
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	for id := range length(seed, r) {
		n := r.IntN(total)
		a := Act{ID: id, A: r.IntN(1 << 16), B: r.IntN(1 << 16), C: r.IntN(1 << 16)}
		for _, w := range weights {
			if n -= w.weight; n < 0 {
				a.Kind = w.kind
				break
			}
		}
		if id == 0 {
			a.Kind = MergeSource
		}
		a.Steps = []int{toRest, toRest, toRest, 0, 1, 3, 8, 20}[r.IntN(8)]
		p.Acts = append(p.Acts, a)
	}
	return p
}

// length draws how much happens. Most of what can go wrong takes a few things that happen: seven histories of eight are
// short, so that there can be many.
func length(seed uint64, r *rand.Rand) int {
	if seed%8 == 0 {
		return 3 + r.IntN(9)
	}
	return 2 + r.IntN(3)
}

// WithoutFaults is the plan without faults, in which everything comes to rest before the next thing happens.
func (p Plan) WithoutFaults() Plan {
	calm := Plan{Seed: p.Seed, End: true}
	for _, a := range p.Acts {
		if !faults[a.Kind] {
			a.Steps = toRest
			calm.Acts = append(calm.Acts, a)
		}
	}
	return calm
}

// draws returns the source of randomness that belongs to an act.
func (p Plan) draws(act int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(act)+100)) }

// String prints an act.
func (a Act) String() string {
	return fmt.Sprintf("%d:%s(%d,%d,%d)/%d", a.ID, a.Kind, a.A, a.B, a.C, a.Steps)
}
