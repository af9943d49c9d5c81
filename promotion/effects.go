package promotion

import "slices"

// EffectKind is one row of the table of effects: the properties of all effects of a verb. Decisions, the outbox with
// its SQL and the executors read this table, and keep no lists of verbs of their own.
type EffectKind struct {
	Verb     Verb
	Executor Executor
	Key      Uniqueness
	Traits   Trait
	Fence    Fence
}

// Executor names the function that carries effects out. The program maps each name to one.
type Executor string

// Uniqueness names the thing that an effect happens once for. It makes the effect's key.
type Uniqueness int

// An effect happens once for a round of a step of its promotion, for a step and each time that it is undone, for
// something that has become of its promotion, or for a request.
const (
	OnceForRound Uniqueness = iota
	OnceForStep
	OnceForOutcome
	OnceForRequest
)

// Trait is something that is so of some kinds of effects; traits are combined with |.
type Trait uint

const (
	// Owed effects happen once they are decided, even if a later decision differs. The others are wanted: one that has not
	// begun when it is no longer wanted never will.
	Owed Trait = 1 << iota
	// Urgent effects go before others, because a person waits.
	Urgent
	// Ordered effects wait for those of their promotion that were decided before them.
	Ordered
	// Exclusive effects go one at a time into a branch.
	Exclusive
	// Fenced effects bring a promotion further. They wait while their stage has something undecided, and one that is
	// being tried looks once more before GitHub is asked, so that a hold that is recorded first stops them.
	Fenced
	// OfStep effects are about the present step of a promotion. When the promotion has gone on, their results are dropped.
	OfStep
	// OfStage effects are idle in a stage that the pipeline file no longer has, unless they have begun.
	OfStage
	// Fatal effects fail their promotion when GitHub refuses them for good.
	Fatal
	// Repeated effects are tried as long as they are wanted, after any answer of GitHub: no answer is not silence.
	Repeated
	// Unlogged effects leave no line in the audit trail, because people cannot see them.
	Unlogged
	// Passive effects look whether anything has changed; as a rule nothing has, and nothing is decided because of them.
	Passive
)

// Fence keeps an effect from happening twice, or from happening to something that has changed since it was read, where
// GitHub checks it.
type Fence string

const (
	// FenceNone is for effects that change nothing.
	FenceNone Fence = "none: it only reads"
	// FenceMarker is a name, or a hidden line, by which the result is found before it is made again.
	FenceMarker Fence = "marker"
	// FenceBeforeOID moves a branch only if it still points to the commit that was seen.
	FenceBeforeOID Fence = "beforeOid"
	// FenceHead merges a pull request only if its head is still the commit that Waybill made.
	FenceHead Fence = "head SHA"
	// FenceLookUp is for requests that GitHub takes unconditionally: the result is looked up first.
	FenceLookUp Fence = "none: it is looked up first"
)

// effectTable is in the order of the verbs in effect.go.
var effectTable = [...]EffectKind{
	{PlanVerb, "plan", OnceForRound, Ordered | OfStep | OfStage | Fatal | Unlogged, FenceNone},
	{Open, "open pull request", OnceForRound, Ordered | Fenced | OfStep | Fatal, FenceMarker},
	{Merge, "merge pull request", OnceForRound, Ordered | Exclusive | Fenced | OfStep | OfStage | Fatal, FenceHead},
	{Commit, "put on branch", OnceForRound, Ordered | Exclusive | Fenced | OfStep | OfStage | Fatal, FenceBeforeOID},
	{Dequeue, "dequeue pull request", OnceForRound, Ordered | OfStep, FenceLookUp},
	{Dispatching, "start workflow", OnceForRound, Ordered | Fenced | OfStep | OfStage | Fatal, FenceLookUp},
	{Compare, "compare pull request", OnceForRound, Ordered | OfStep | Repeated | Unlogged, FenceNone},
	{Close, "close pull request", OnceForStep, Owed | Ordered, FenceBeforeOID},
	{Observe, "read signals", OnceForRound, Repeated, FenceNone},
	{Look, "read files", OnceForRound, OfStage | Repeated | Unlogged | Passive, FenceNone},
	{Probe, "read targets", OnceForRound, OfStage | Repeated | Unlogged | Passive, FenceNone},
	{Tell, "tell", OnceForOutcome, Owed, FenceMarker},
	{Reply, "reply", OnceForRequest, Owed | Urgent, FenceMarker},
}

// EffectKinds returns the table of effects, one row for each verb.
func EffectKinds() []EffectKind { return slices.Clone(effectTable[:]) }

// Kind returns the row of a verb in the table of effects; the zero row if there is no such verb.
func (v Verb) Kind() EffectKind {
	for i := range effectTable {
		if effectTable[i].Verb == v {
			return effectTable[i]
		}
	}
	return EffectKind{}
}

// Is reports whether effects of the verb have all of some traits.
func (v Verb) Is(traits Trait) bool { return v.Kind().Traits&traits == traits }
