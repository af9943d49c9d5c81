package promotion

import (
	"time"
)

// Rollout is a promotion's way through the targets of its stage (semantics 5). The batches are those that the pipeline
// file had when it started and never change; the rest says how far it has come.
type Rollout struct {
	Batches []Batch
	Step    int          // that is under way, 1 for the first; 0: there was nothing to bring
	Batch   int          // the index of its batch
	Targets []TargetName // that the step updates
	Waiting []TargetName // that could not take part when their turn came
	Gone    []TargetName // that the pipeline file no longer has
	Skipped []TargetName // that a person has left out
	Paused  Actor        // who has paused it; zero: it is not paused
	Merged  int          // steps of it that have been merged
	Entered []int        // the indices of the batches of which one has been
	Widened bool         // a person has let it go to further targets since one was merged
	LeftOut int          // numbers before that of the next step that a lost database may have given
	// WroteNothing is set while the reason of the promotion says what is unclear, if it said before that nothing changed.
	WroteNothing bool
	// Resumed is when the deadlines of its verification began anew, because nothing was unclear any more (Q5); zero:
	// never.
	Resumed time.Time
	// Unclear is set where what it merged last has been unclear, and is so no more.
	Unclear bool
}

// AsksStage reports whether the sign-offs of the stage are asked for before the next merge: none has been, or none
// since a person has let the rollout go to targets that those who signed off did not look at.
func (r *Rollout) AsksStage() bool { return r == nil || r.Merged == 0 || r.Widened }

// TargetResult is a deployment's result for one target: the merge that brought its freight there, and the latest
// verdict on it.
type TargetResult struct {
	Target  TargetName
	Step    int       // of the promotion that brought it; 0: it stood already, and is judged no more
	Commit  SHA       // where signals count first
	Merged  time.Time // when the commit was merged; zero in old records
	Since   time.Time // runs that started before do not count; zero: all do
	Verdict Verdict
	Judged  time.Time
	Cause   Reason // why it failed
	// By lists the matchers that the verdict was made with, by which new signals judge the target; nil: the list of the
	// pipeline file.
	By []Matcher
}

// Came returns when the target got its commit, with which its deadlines begin; zero: when its promotion was merged.
func (p *TargetResult) Came() time.Time { return Later(p.Merged, p.Since) }

// Keep has the verdict stand by a list of matchers, whatever the pipeline file says later (semantics 7.2). Of these it
// keeps what judges signals: silence is judged no more once there is a verdict.
func (p *TargetResult) Keep(list []Matcher) {
	p.By = make([]Matcher, len(list))
	for i, m := range list {
		p.By[i] = Matcher{Kind: m.Kind, Pattern: m.Pattern, App: m.App, Skipped: m.Skipped}
	}
}

// named reports whether the targets have names. Those of a stage that is one place do not.
func (r *Rollout) named() bool {
	return len(r.Batches) != 1 || len(r.Batches[0].Targets) != 1 || r.Batches[0].Targets[0] != ""
}

// BatchName is the name of the batch that the present step belongs to.
func (r *Rollout) BatchName() string { return r.Batches[r.Batch].Name }

// JudgedByPerson reports whether the verdict on a target is a person's, which no signal changes. The ledger has older
// ones as asked for.
func (p *TargetResult) JudgedByPerson() bool { return p.Cause.Code == Decided || p.Cause.Code == Asked }
