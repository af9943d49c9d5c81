package gate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

var noon = fixture.Noon

// gated is a stage s behind a gate over stages a, b, c and d, each with its record of one freight. The gate's soak is
// an hour. The pass-through stage via takes part only after a call of through.
type gated struct {
	*promotion.Snapshot
	via *promotion.Stage
}

func newGate(need int, records ...promotion.Record) gated {
	p := &promotion.Pipeline{Warehouses: []*promotion.Warehouse{{Name: "api"}}}
	after := &promotion.Gate{Need: need, Soak: time.Hour}
	s := &promotion.Snapshot{Pipeline: p, Freight: []promotion.Freight{fixture.FreightNo(p, 1)}, Next: 1}
	for i, r := range records {
		up := promotion.OnePlace(
			&promotion.Stage{Name: promotion.StageName('a' + byte(i)), Index: i, Delivery: promotion.DeliveryPullRequest,
				From: []promotion.Source{{Warehouse: "api"}}}, promotion.Target{Changes: []promotion.Change{{Path: "x"}}},
		)
		p.Stages, after.Of, s.Records = append(p.Stages, up), append(after.Of, up), append(s.Records, []promotion.Record{r})
	}
	via := &promotion.Stage{Name: "via", Index: len(p.Stages), From: []promotion.Source{{Warehouse: "api"}}}
	s.Stage = promotion.OnePlace(&promotion.Stage{Name: "s", Index: via.Index + 1, Delivery: promotion.DeliveryPullRequest,
		From: []promotion.Source{{Warehouse: "api", After: after}}},
		promotion.Target{Changes: []promotion.Change{{Path: "y"}}})
	p.Stages = append(p.Stages, via, s.Stage)
	s.Records = append(s.Records, nil, nil)
	return gated{s, via}
}

// answer says whether the freight is available at noon, from when, or why not.
func (g gated) answer() string {
	switch why, until := gate.KeeperOf(g.Snapshot, noon).Unavailable(0); {
	case why.IsZero():
		return "yes"
	case until.IsZero():
		return "no: " + why.String()
	default:
		return fmt.Sprintf("in %s: %s", until.Sub(noon), why)
	}
}

// Short names of the records.
var (
	unheard = fixture.Unheard
	soaked  = fixture.Soaked
	fresh   = fixture.Fresh
	fresher = fixture.Fresher
	bad     = fixture.Bad

	returned = promotion.Record{Verdict: promotion.Passed, Since: noon.Add(-5 * time.Minute), Longest: 2 * time.Hour}
	left     = promotion.Record{Verdict: promotion.Passed, Longest: 30 * time.Minute}
	again    = promotion.Record{Verdict: promotion.Passed, Longest: 30 * time.Minute, Hosted: true}
)

func TestWhenFreightIsAvailable(t *testing.T) {
	for _, c := range []struct {
		name string
		need int
		of   []promotion.Record
		want string
	}{
		{"any: one soaked (A1)", 1, []promotion.Record{unheard, soaked}, "yes"},
		{"any: one verified and not soaked (A2)", 1, []promotion.Record{fresh, unheard}, "in 40m0s: unverified b"},
		{"any: one is not soaked, the other is (A3)", 1, []promotion.Record{fresh, soaked}, "yes"},
		{"any: the first to be soaked counts", 1, []promotion.Record{fresher, fresh}, "in 40m0s: soaking a b"},
		{"any: a long deployment in the past counts (A8)", 1, []promotion.Record{returned, unheard}, "yes"},
		{"any: left before it was soaked", 1, []promotion.Record{left, unheard}, "no: unverified b"},
		{"all: both left before they were soaked", 2, []promotion.Record{left, left}, "no: left a b"},
		{"all: one left before it was soaked, the other soaks", 2, []promotion.Record{left, fresh}, "no: left a"},
		{"one alone, which it left before it was soaked", 1, []promotion.Record{left}, "no: left a"},
		{"one alone, to which it has come back, and is not judged there", 1, []promotion.Record{again}, "no: unverified a"},
		{"any: one failed, the other passed", 1, []promotion.Record{bad, soaked}, "yes"},
		{"any: one failed, the other soaks", 1, []promotion.Record{bad, fresh}, "in 40m0s: failed a e2e"},
		{"any: nothing is known", 1, []promotion.Record{unheard, unheard}, "no: unverified a b"},
		{"all: both soaked (A4)", 2, []promotion.Record{soaked, soaked}, "yes"},
		{"all: one soaks (A6)", 2, []promotion.Record{soaked, fresh}, "in 40m0s: soaking b"},
		{"all: the last to be soaked counts", 2, []promotion.Record{fresh, fresher}, "in 50m0s: soaking a b"},
		{"all: one failed (A7)", 2, []promotion.Record{soaked, bad}, "no: failed b e2e"},
		{"all: one failed and one is unheard", 2, []promotion.Record{unheard, bad}, "no: failed b e2e"},
		{"all: two failed", 2, []promotion.Record{bad, bad}, "no: failed a e2e"},
		{"all: one is unheard and one soaks", 2, []promotion.Record{unheard, fresh}, "no: unverified a"},
		{"one alone", 1, []promotion.Record{soaked}, "yes"},
		{"majority of three: two (A12)", 2, []promotion.Record{soaked, unheard, soaked}, "yes"},
		{"majority of three: one (A12)", 2, []promotion.Record{soaked, unheard, unheard}, "no: unverified b c"},
		{"majority of three: the second to be soaked counts", 2, []promotion.Record{fresher, soaked, fresh},
			"in 40m0s: soaking a c"},
		{"majority of three: in whichever order", 2, []promotion.Record{fresh, fresher, soaked},
			"in 40m0s: soaking a b"},
		{"majority of three: one failed, two soak", 2, []promotion.Record{fresh, bad, fresher},
			"in 50m0s: failed b e2e"},
		{"at least 60% of four: three (A13)", 3, []promotion.Record{soaked, soaked, unheard, soaked}, "yes"},
		{"at least 60% of four: two (A13)", 3, []promotion.Record{soaked, soaked, unheard, fresh},
			"in 40m0s: unverified c"},
		{"at least 60% of four: two, and two unheard (A13)", 3, []promotion.Record{soaked, soaked, unheard, unheard},
			"no: unverified c d"},
		{"at least 60% of four: two at the same time", 3, []promotion.Record{soaked, unheard, fresh, fresh},
			"in 40m0s: unverified b"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, newGate(c.need, c.of...).answer()) })
	}
}

func TestAReasonLinksToWhatFailed(t *testing.T) {
	cause := promotion.Because(promotion.FailedCheck, "e2e").At("https://x")
	g := newGate(1, promotion.Record{Verdict: promotion.Bad, Cause: &cause})
	why, _ := gate.KeeperOf(g.Snapshot, noon).Unavailable(0)
	require.Equal(t, "https://x", why.URL)
	g = newGate(1, promotion.Record{Verdict: promotion.Bad})
	require.Equal(t, "no: failed a verification", g.answer(), "nobody knows why")
}

func TestAReasonSaysThatAPersonDecidedSo(t *testing.T) {
	for _, code := range []promotion.Code{promotion.Decided, promotion.Asked} {
		cause := promotion.Because(code, "ann").With("it burns")
		g := newGate(1, promotion.Record{Verdict: promotion.Bad, Cause: &cause})
		why, _ := gate.KeeperOf(g.Snapshot, noon).Unavailable(0)
		require.Equal(t, promotion.Because(promotion.FailedCheck, "a", "verification").
			With("ann decided so by /verdict: it burns"), why)
	}
}

func TestAReasonSaysThatThePipelineFileNamesTheMatcherNoMore(t *testing.T) { // semantics 7.2
	cause := promotion.Because(promotion.FailedCheck, "e2e")
	g := newGate(1, promotion.Record{Verdict: promotion.Bad, Cause: &cause})
	why, _ := gate.KeeperOf(g.Snapshot, noon).Unavailable(0)
	require.Contains(t, why.Detail, "/verify a judges by the file")
	g.Pipeline.Stages[0].Targets[0].Verify = []promotion.Matcher{{Pattern: "e2e"}}
	why, _ = gate.KeeperOf(g.Snapshot, noon).Unavailable(0)
	require.Empty(t, why.Detail)
}

func TestAReasonSaysWhatHasTakenFreightBack(t *testing.T) {
	back := promotion.Record{Withdrawn: "went back to api#0 (promotion 5)"}
	g := newGate(3, back, soaked, unheard)
	why, _ := gate.KeeperOf(g.Snapshot, noon).Unavailable(0)
	require.Equal(t, promotion.Because(promotion.Unverified, "a", "c").With("a went back to api#0 (promotion 5)"), why)
	g = newGate(1, back, promotion.Record{Verdict: promotion.Passed, Since: noon})
	require.Equal(t, "in 1h0m0s: unverified a", g.answer())
}

func TestWhatIsRejectedPassesNoGate(t *testing.T) {
	rejected := func(g *promotion.Snapshot, stage promotion.StageName) string {
		f := &g.Freight[0]
		g.Rejects = []promotion.Reject{{Stage: stage, Freight: f.Ref(), From: f.Mark(), By: promotion.Actor{Login: "bob"}}}
		k := gate.KeeperOf(g, noon)
		why, _ := k.Unavailable(0)
		return fmt.Sprint(why, k.Available(0), k.CanStillCome(0), k.Rejected(0))
	}
	for _, c := range []struct {
		name     string
		of       promotion.Record
		stage    promotion.StageName
		admitted bool
		want     string
	}{
		{"upstream", soaked, "a", false, "unverified a false false rejected api#1 bob"},
		{"upstream, though it was admitted", soaked, "a", true, "unverified a false false rejected api#1 bob"},
		{"what failed stays failed", bad, "a", false, "failed a e2e false false rejected api#1 bob"},
		{"here", soaked, "s", false, "rejected api#1 bob false false rejected api#1 bob"},
		{"everywhere", soaked, "", true, "rejected api#1 bob false false rejected api#1 bob"},
		{"elsewhere", soaked, "z", false, " true true "},
	} {
		g := newGate(1, c.of)
		if c.admitted {
			g.Approvals = []promotion.Approval{{Kind: promotion.Admission, Freight: g.Freight[0].ID, Entitled: true}}
		}
		require.Equal(t, c.want, rejected(g.Snapshot, c.stage), c.name)
	}
	g := newGate(1, soaked)
	g.Stage.From[0].After = nil
	require.Equal(t, " true true ", rejected(g.Snapshot, ""), "it is tried where it comes from")
}

func TestTheMomentASoakIsOverItIsOver(t *testing.T) {
	g := newGate(1, promotion.Record{Verdict: promotion.Passed, Since: noon.Add(-time.Hour).Add(time.Nanosecond)})
	require.Equal(t, "in 1ns: soaking a", g.answer())
	g = newGate(1, promotion.Record{Verdict: promotion.Passed, Since: noon.Add(-time.Hour)})
	require.Equal(t, "yes", g.answer())
}

func TestStraightFromTheWarehouseEverythingIsAvailable(t *testing.T) {
	g := newGate(1, unheard)
	g.Stage.From[0].After = nil
	require.Equal(t, "yes", g.answer())
}

func TestFreightOfAnotherWarehouseIsNotAvailable(t *testing.T) { // A10
	g := newGate(1, soaked)
	g.Stage.From[0].Warehouse = "web"
	require.Equal(t, "no: unknown api", g.answer())
	g.Approvals = []promotion.Approval{{Kind: promotion.Admission, Freight: g.Freight[0].ID, Entitled: true}}
	require.Equal(t, "no: unknown api", g.answer(), "an admission is to a stage that takes it")
}

func TestAnAdmissionMakesAvailableWhatHasNotEarnedIt(t *testing.T) { // A10, A11
	for _, c := range []struct {
		name string
		a    promotion.Approval
		want string
	}{
		{"while it stands", promotion.Approval{Kind: promotion.Admission, Entitled: true,
			Expires: noon.Add(time.Nanosecond)}, "yes"},
		{"without an end", promotion.Approval{Kind: promotion.Admission, Entitled: true}, "yes"},
		{"not when it has expired", promotion.Approval{Kind: promotion.Admission, Entitled: true, Expires: noon},
			"no: failed a e2e"},
		{"not when it was revoked", promotion.Approval{Kind: promotion.Admission, Entitled: true, Revoked: noon},
			"no: failed a e2e"},
		{"not when its giver lost the right", promotion.Approval{Kind: promotion.Admission}, "no: failed a e2e"},
		{"not when it is a sign-off", promotion.Approval{Kind: promotion.SignOff, Entitled: true}, "no: failed a e2e"},
	} {
		g := newGate(1, bad)
		c.a.Freight = g.Freight[0].ID
		g.Approvals = []promotion.Approval{c.a}
		require.Equal(t, c.want, g.answer(), c.name)
		g.Approvals[0].Freight = "another"
		require.Equal(t, "no: failed a e2e", g.answer(), "%s, of other freight", c.name)
	}
}

// through puts the pass-through stage between stage s and its upstreams.
func (g gated) through(soak time.Duration) gated {
	g.via.From[0].After = g.Stage.From[0].After
	g.via.From[0].After.Soak = soak
	g.Stage.From[0].After = &promotion.Gate{Of: []*promotion.Stage{g.via}, Need: 1, Soak: time.Hour}
	return g
}

func TestAPassThroughStageHasWhatItsUpstreamsHave(t *testing.T) {
	for _, c := range []struct {
		name string
		soak time.Duration
		of   promotion.Record
		want string
	}{
		{"soaked", 0, soaked, "yes"},
		{"it soaks for what comes behind", 0, fresh, "in 40m0s: soaking a"},
		{"it soaks for its own soak, if that is longer", 2 * time.Hour, soaked, "in 1h0m0s: soaking a"},
		{"unheard", 0, unheard, "no: unverified a"},
		{"bad", 0, bad, "no: failed a e2e"},
	} {
		require.Equal(t, c.want, newGate(1, c.of).through(c.soak).answer(), c.name)
	}
}

func TestAPassThroughStageThatIsHeldPassesNothingOn(t *testing.T) {
	g := newGate(1, soaked).through(0)
	g.Holds = []promotion.Hold{{Stage: "via", By: promotion.Actor{ID: 3, Login: "ann"}}}
	require.Equal(t, "no: held ann", g.answer())
	g.Holds[0].Until = noon
	require.Equal(t, "yes", g.answer(), "its time is over")
	g.Holds = []promotion.Hold{{By: promotion.Actor{ID: 3, Login: "ann"}}}
	require.Equal(t, "no: held ann", g.answer(), "everything is held")
	g.Holds[0].Stage = "a"
	require.Equal(t, "yes", g.answer(), "a hold of a stage before it stops nothing here")
	g = newGate(1, bad).through(0)
	g.Holds = []promotion.Hold{{Stage: "via"}}
	require.Equal(t, "no: failed a e2e", g.answer(), "what failed goes first")
}

func TestAPassThroughStageOfAnotherWarehousePassesNothingOn(t *testing.T) {
	g := newGate(1, soaked).through(0)
	g.via.From[0].Warehouse = "web"
	require.Equal(t, "no: soaking", g.answer())
}

func TestAReasonNamesEachStageOnceInTheOrderOfTheFile(t *testing.T) {
	g := newGate(2, unheard, unheard).through(0)
	g.Stage.From[0].After.Of = append(g.Stage.From[0].After.Of, g.Pipeline.Stages[1], g.Pipeline.Stages[0])
	require.Equal(t, "no: unverified a b", g.answer())
}

func TestWhatNobodyHasLookedAtIsNotVerified(t *testing.T) {
	for _, records := range [][][]promotion.Record{nil, {nil}, {{}}} {
		g := newGate(1, soaked)
		g.Records = records
		require.Equal(t, "no: unverified a", g.answer())
	}
}
