package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

// chain is a pipeline of dev, staging and prod, each with a list of more keys.
func chain(dev, staging, prod string) string {
	return oneWarehouse + "stages:\n" +
		"  dev: {from: api, set: {a.yaml: {x: \"${api.short}\"}}" + dev + "}\n" +
		"  staging: {from: api, set: {b.yaml: {x: \"${api.short}\"}}" + staging + "}\n" +
		"  prod: {from: api, set: {c.yaml: {x: \"${api.short}\"}}" + prod + "}\n"
}

const prodFloor = "version: 1\nstages:\n  prod:\n    "

// floors are one of each gate, with a way to say it lower in the pipeline file.
var floors = []struct {
	gate, floor, low string
	holds            func(t *testing.T, prod *promotion.Stage)
}{
	{"after", "after: staging", ", after: dev", func(t *testing.T, prod *promotion.Stage) {
		require.True(t, prod.From[0].After.Implies(&promotion.Gate{Of: []*promotion.Stage{{Name: "staging"}}, Need: 1}))
	}},
	{"soak", "{after: staging, soak: 4h}", ", after: {any: [staging], soak: 1h}",
		func(t *testing.T, prod *promotion.Stage) { require.Equal(t, 4*time.Hour, prod.From[0].After.Soak) }},
	{"verify", "verify: [smoke]", ", verify: [other]", func(t *testing.T, prod *promotion.Stage) {
		require.Contains(t, signals(prod), "smoke hold")
	}},
	{"verify", "verify: [{check: smoke, skipped: fail}]", ", verify: [{check: smoke, missing: pass}]",
		func(t *testing.T, prod *promotion.Stage) { require.Equal(t, "smoke hold", signals(prod)) }},
	{"guard", "guard: true", ", guard: false", func(t *testing.T, prod *promotion.Stage) { require.True(t, prod.Guard) }},
	{"approvals", "approvals: 2", ", approvals: 1",
		func(t *testing.T, prod *promotion.Stage) { require.Equal(t, 2, prod.Policy.Approvals) }},
	{"merge", "merge: manual", ", merge: auto",
		func(t *testing.T, prod *promotion.Stage) { require.Equal(t, promotion.MergeManual, prod.Merge.By) }},
}

func signals(s *promotion.Stage) string {
	var all []string
	for _, m := range s.Verify() {
		all = append(all, m.Pattern+" "+string(m.Missing))
	}
	return strings.Join(all, ", ")
}

func TestAGateThatThePipelineFileLeavesOutIsAsTheFloorSays(t *testing.T) {
	for _, f := range floors {
		p := load(t, chain("", ", after: dev", ""), prodFloor+f.floor+"\n")
		f.holds(t, p.Stage("prod"))
		require.Empty(t, p.Stage("prod").Policy.Floor.Lowered(promotion.GatesOf(p.Stage("prod"))))
	}
}

// TestAGateThatIsLowerThanTheFloorIsRaisedWithAWarning: under the repository's policy and under the server's.
func TestAGateThatIsLowerThanTheFloorIsRaisedWithAWarning(t *testing.T) {
	for _, f := range floors {
		t.Run(f.gate+" "+f.low, func(t *testing.T) {
			pipeline, policy := []byte(chain("", ", after: dev", f.low)), []byte(prodFloor+f.floor+"\n")
			for _, sources := range []config.Sources{
				{Pipeline: pipeline, Policy: policy, PolicyName: "floor.yml"},
				{Pipeline: pipeline, ServerPolicy: policy, ServerPolicyName: "floor.yml"},
			} {
				p, problems := config.Load(sources)
				require.Empty(t, problems.Errors())
				require.Contains(t, problems.String(), "warning: stages.prod: `"+f.gate+"` is lower than the floor in floor.yml, "+
					"which is in force: ")
				f.holds(t, p.Stage("prod"))
				require.Empty(t, p.Stage("prod").Policy.Floor.Lowered(promotion.GatesOf(p.Stage("prod"))))
			}
		})
	}
}

func TestTheFreezesOfAFloorAreAddedToThoseOfTheStage(t *testing.T) {
	const weekend = "{cron: \"0 16 * * FRI\", for: 64h, rollbacks: false}"
	p := load(t, chain("", "", ", freeze: [{cron: \"0 16 * * FRI\", for: 1h}]"), prodFloor+"freeze: ["+weekend+"]\n")
	saturday := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC)
	f, until := p.Stage("prod").Frozen(promotion.Rollback, saturday)
	require.NotNil(t, f)
	require.Equal(t, time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC), until)
	require.Empty(t, p.Stage("dev").Policy.Freezes)
	require.Len(t, p.Stage("prod").Policy.Freezes, 2)

	p = load(t, chain("", "", ", freeze: [{cron: \"0 16 * * FRI\", for: 65h, rollbacks: false}]"),
		prodFloor+"freeze: ["+weekend+"]\n")
	require.Len(t, p.Stage("prod").Policy.Freezes, 1, "the stage's own is longer")
}

// TestEveryTargetIsVerifiedByWhatAFloorAsks: with its own name in the names of the signals.
func TestEveryTargetIsVerifiedByWhatAFloorAsks(t *testing.T) {
	pipeline := oneWarehouse + "stages:\n  prod: {from: api, targets: [eu, us], verify: [\"own ${target.name}\"], set: " +
		"{\"${target.name}.yaml\": {x: \"${api.short}\"}}}\n"
	policy := "version: 1\nstages: {prod: {verify: [\"e2e ${target.name}\"]}}\n"
	p, problems := config.Load(config.Sources{Pipeline: []byte(pipeline), ServerPolicy: []byte(policy)})
	require.Empty(t, problems.Errors())
	require.Equal(t, "own eu hold, e2e eu hold, own us hold, e2e us hold", signals(p.Stage("prod")))
}

// TestFloorsOfSeveralEntriesAndFilesAllHold: every entry that covers a stage counts.
func TestFloorsOfSeveralEntriesAndFilesAllHold(t *testing.T) {
	p := loadUnder(t, "version: 1\nstages: {\"*\": {approvals: 1, verify: [\"smoke ${stage}\"]}, "+
		"c: {approvals: 2, after: a, soak: 2h}}\n",
		"version: 1\nstages: {c: {approvals: 1, verify: [e2e, smoke c], after: {any: [b], soak: 1h}}}\n")
	c := p.Stage("c")
	require.Equal(t, 2, c.Policy.Approvals)
	require.Equal(t, "smoke c hold, e2e hold", signals(c))
	require.Equal(t, "{all: [a, b]}", c.From[0].After.String(), "neither implies the other, so both must have verified it")
	require.Equal(t, 2*time.Hour, c.From[0].After.Soak)
	require.Equal(t, 1, p.Stage("a").Policy.Approvals)
	require.Equal(t, promotion.GatesOf(c).Targets[0].Verify, c.Policy.Floor.Targets[0].Verify)
	require.Equal(t, c.From, c.Policy.Floor.From)
}

// TestWhatCannotBeAsTheServerAsksIsFrozen: others write the server's policy, so the file stays good, and nothing is
// promoted into the stage but by a rollback.
func TestWhatCannotBeAsTheServerAsksIsFrozen(t *testing.T) {
	now := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC)
	for floor, why := range map[string]string{
		"prod: {after: canary}":         "\"canary\" is not a stage",
		"prod: {after: prod}":           "\"prod\" waits for itself",
		"dev: {after: prod}":            "freight of api is to wait for prod, and would wait for ever",
		"dev: {soak: 1h}":               "freight of api comes straight from the warehouse, where nothing soaks",
		"gate: {verify: [smoke]}":       "has no promotion to verify",
		"prod: {verify: [\"${nope}\"]}": "${nope} cannot stand here",
		"fleet: {verify: [smoke]}":      "nobody could tell whose signal \"smoke\" is",
		"back: {verify: [smoke]}":       "nobody could tell whose signal \"smoke\" is",
	} {
		pipeline := chain("", "", ", after: dev") + "  gate: {from: api, after: dev}\n" +
			"  fleet: {from: api, targets: [eu, us], " +
			"set: {\"${target.name}.yaml\": {x: \"${api.short}\"}}, rollout: [{name: all, at-once: 2}]}\n" +
			"  back: {from: api, targets: [eu, us], " +
			"set: {\"back/${target.name}.yaml\": {x: \"${api.short}\"}}, rollback: {at-once: 2}}\n"
		p, problems := config.Load(config.Sources{
			Pipeline: []byte(pipeline), ServerPolicy: []byte("version: 1\nstages: {" + floor + "}\n"),
		})
		require.Empty(t, problems.Errors(), floor)
		require.Contains(t, problems.String(), "nothing is promoted here: it cannot be as the floor in WAYBILL_POLICY_FILE "+
			"asks: ", floor)
		require.Contains(t, problems.String(), why, floor)
		s := p.Stage(promotion.StageName(floor[:strings.Index(floor, ":")]))
		frozen, _ := s.Frozen(promotion.Manual, now)
		require.NotNil(t, frozen, floor)
		rollback, _ := s.Frozen(promotion.Rollback, now)
		require.Nil(t, rollback, floor)
		require.Equal(t, len(p.Stages)-1, thawed(p, now), floor)
	}
}

// thawed counts the stages that no freeze stops.
func thawed(p *promotion.Pipeline, now time.Time) (n int) {
	for _, s := range p.Stages {
		if f, _ := s.Frozen(promotion.Manual, now); f == nil {
			n++
		}
	}
	return n
}

// TestFloorsOnAStageThatChangesNothing: it has no promotions to sign off, merge or guard, but freight waits for it.
func TestFloorsOnAStageThatChangesNothing(t *testing.T) {
	p := load(t, chain("", "", "")+"  gate: {from: api}\n",
		"version: 1\nstages: {gate: {approvals: 2, guard: true, after: dev, soak: 1h}}\n")
	gate := p.Stage("gate")
	require.Zero(t, gate.Policy.Approvals)
	require.False(t, gate.Guard)
	require.Equal(t, "dev", gate.From[0].After.String())
	require.Equal(t, time.Hour, gate.From[0].After.Soak)
}

// TestAFloorOfEveryStageHoldsForOneOfAnotherName: whoever edits the pipeline file may give a stage another name, or its
// files to another stage. A floor of "*" covers those, too.
func TestAFloorOfEveryStageHoldsForOneOfAnotherName(t *testing.T) {
	renamed := strings.ReplaceAll(chain("", "", ""), "prod:", "live:")
	named, problems := config.Load(config.Sources{
		Pipeline: []byte(renamed), ServerPolicy: []byte("version: 1\nstages: {prod: {approvals: 2}}\n"),
	})
	require.Empty(t, problems)
	require.Zero(t, named.Stage("live").Policy.Approvals, "a name is a name")
	every := load(t, renamed, "version: 1\nstages: {\"*\": {approvals: 2}, dev: {approvals: 0}}\n")
	for _, s := range every.Stages {
		require.Equal(t, 2, s.Policy.Approvals, s.Name)
	}
}
