package promotion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/golden"
	"waybill/promotion"
)

func TestAnEffectHasOneNameForEver(t *testing.T) {
	seen := map[promotion.EffectKey]bool{}
	for _, e := range []promotion.Effect{
		{Verb: promotion.PlanVerb, Promotion: 1, Round: 1}, {Verb: promotion.PlanVerb, Promotion: 1, Round: 2},
		{Verb: promotion.PlanVerb, Promotion: 2, Round: 1},
		{Verb: promotion.Open, Promotion: 1, Round: 1}, {Verb: promotion.Merge, Promotion: 1, Round: 1},
		{Verb: promotion.Observe, Promotion: 1, Round: 1},
		{Verb: promotion.Close, Promotion: 1}, {Verb: promotion.Tell, Promotion: 1, Outcome: "failed"},
		{Verb: promotion.Tell, Promotion: 1, Outcome: "missing"},
		{Verb: promotion.Reply, Request: 1}, {Verb: promotion.Reply, Request: 2},
	} {
		require.False(t, seen[e.Key()], e.Key())
		seen[e.Key()] = true
	}
	require.NotEqual(t, promotion.Effect{Verb: promotion.Close, Promotion: 1, Round: 3}.Key(),
		promotion.Effect{Verb: promotion.Close, Promotion: 1, Round: 2}.Key(), "it was opened again")
	require.Equal(t, promotion.Effect{Verb: promotion.Close, Promotion: 1}.Key(),
		promotion.Effect{Verb: promotion.Close, Promotion: 1, Reason: promotion.Because(promotion.Removed)}.Key())
}

func TestTheTableOfEffectsHoldsTogether(t *testing.T) {
	verbs := map[promotion.Verb]bool{}
	for _, kind := range promotion.EffectKinds() {
		require.False(t, verbs[kind.Verb], kind.Verb)
		verbs[kind.Verb] = true
		require.Equal(t, kind, kind.Verb.Kind())
		require.NotEmpty(t, kind.Executor, kind.Verb)
		require.NotEmpty(t, kind.Fence, kind.Verb)
		is := kind.Verb.Is
		require.False(t, is(promotion.Fenced) && kind.Fence == promotion.FenceNone,
			"%s changes what it does not look at", kind.Verb)
		require.False(t, is(promotion.Fenced) && !is(promotion.Ordered|promotion.OfStep),
			"%s brings a promotion further", kind.Verb)
		require.False(t, is(promotion.Owed|promotion.Fenced), "%s is done even if its stage would not decide it now",
			kind.Verb)
		require.False(t, is(promotion.Repeated|promotion.Fatal), "%s is tried for ever", kind.Verb)
	}
	require.Zero(t, promotion.Verb("sing").Kind())
	require.False(t, promotion.Verb("sing").Is(promotion.Owed))
}

// windows are the remaining risks of effects that GitHub does not fence.
var windows = map[promotion.Verb]string{
	promotion.Dequeue: "If a person puts it into the queue again after the look, Waybill takes it out.",
	promotion.Dispatching: "Waybill knows a run by its name, and looks for it after a lost answer. If GitHub took the " +
		"request and lists the run only after two minutes, Waybill starts a second one.",
}

// TestTheDescriptionOfTheEffectsIsTheirTable compares docs/effects.md with the table.
func TestTheDescriptionOfTheEffectsIsTheirTable(t *testing.T) {
	keys := map[promotion.Uniqueness]string{
		promotion.OnceForRound: "round", promotion.OnceForStep: "step", promotion.OnceForOutcome: "outcome",
		promotion.OnceForRequest: "request",
	}
	var b strings.Builder
	b.WriteString("# Effects\n\nFor developers and auditors: every kind of request that Waybill makes because of a " +
		"decision, and how it happens once.\n`make docs` makes this page from `promotion/effects.go`.\n\n" +
		"Waybill records an effect in the transaction that decides it, and carries it out afterwards, once for each round, " +
		"step,\noutcome or request.\n\n- *Owed* effects happen whatever is decided later; *wanted* ones only if the newest " +
		"decision still lists them when they\n  begin.\n- *Fenced* effects wait while their stage has an undecided " +
		"version, or the time of its next decision has come.\n" +
		"- Where GitHub can check that its state is still the one that Waybill read, the request asks it to.\n" +
		"- After a crash or a lost answer Waybill tries an effect again, and first looks for traces of the earlier try.\n\n" +
		"| effect | once for a | owed or wanted | fenced | GitHub checks | remaining window |\n|---|---|---|---|---|---|\n")
	for _, kind := range promotion.EffectKinds() {
		decided, fenced := "wanted", ""
		if kind.Verb.Is(promotion.Owed) {
			decided = "owed"
		}
		if kind.Verb.Is(promotion.Fenced) {
			fenced = "yes"
		}
		require.Equal(t, kind.Fence == promotion.FenceLookUp, windows[kind.Verb] != "", kind.Verb)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", kind.Verb, keys[kind.Key], decided, fenced, kind.Fence,
			windows[kind.Verb])
	}
	golden.Check(t, "../docs/effects.md", b.String(), "make docs")
}
