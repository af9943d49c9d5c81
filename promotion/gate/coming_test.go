package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
)

func TestWhetherFreightCanStillCome(t *testing.T) {
	gone := promotion.Record{Verdict: promotion.Bad, Taken: true}
	for _, c := range []struct {
		name string
		need int
		of   []promotion.Record
		want bool
	}{
		{"it is verified and soaked", 1, []promotion.Record{soaked}, true},
		{"it soaks", 1, []promotion.Record{fresh}, true},
		{"it is bad where it is hosted: the check may turn", 1,
			[]promotion.Record{{Verdict: promotion.Bad, Hosted: true, Taken: true}}, true},
		{"it is bad, and has left", 1, []promotion.Record{gone}, false},
		{"it is bad, and comes back", 1, []promotion.Record{{Verdict: promotion.Bad, Coming: true, Taken: true}}, true},
		{"it left before it had soaked", 1,
			[]promotion.Record{{Verdict: promotion.Passed, Longest: 30 * time.Minute, Taken: true}}, false},
		{"the stage may still take it", 1, []promotion.Record{unheard}, true},
		{"newer freight went by", 1, []promotion.Record{{Taken: true}}, false},
		{"any: one is enough", 1, []promotion.Record{gone, soaked}, true},
		{"all: each is needed", 2, []promotion.Record{gone, soaked}, false},
		{"two of three", 2, []promotion.Record{gone, soaked, {Coming: true}}, true},
		{"two of three, and two are lost", 2, []promotion.Record{gone, soaked, gone}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGate(c.need, c.of...)
			for _, up := range g.Stage.From[0].After.Of {
				up.Policy.Automatic = true
			}
			require.Equal(t, c.want, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0))
		})
	}
}

func TestAStageThatPeopleDriveTakesNothingByItself(t *testing.T) {
	g := newGate(1, unheard)
	require.False(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0), "its policy has no automation")
	up := g.Stage.From[0].After.Of[0]
	up.Policy.Automatic, up.Strategy.External = true, true
	require.False(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0), "its targets are driven from outside")
}

func TestFreightCanStillComeThroughAPassThroughStage(t *testing.T) {
	g := newGate(1, unheard)
	up := g.Stage.From[0].After.Of[0]
	g.via.From = []promotion.Source{{Warehouse: "api", After: &promotion.Gate{Of: []*promotion.Stage{up}, Need: 1}}}
	g.Stage.From[0].After = &promotion.Gate{Of: []*promotion.Stage{g.via}, Need: 1}
	require.False(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0))
	up.Policy.Automatic = true
	require.True(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0))
	g.via.From = nil
	require.False(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0), "it does not take the warehouse")
}

func TestStraightFromTheWarehouseFreightCanAlwaysCome(t *testing.T) {
	g := newGate(1, unheard)
	g.Stage.From[0].After = nil
	require.True(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0))
	g.Stage.From = nil
	require.False(t, gate.KeeperOf(g.Snapshot, noon).CanStillCome(0), "not of a warehouse that the stage does not take")
}
