package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

func TestWhatStopsAClassOfPromotionsAndUntilWhen(t *testing.T) {
	hour, later := noon.Add(time.Hour), noon.Add(2*time.Hour)
	frozen := promotion.Freeze{Reason: "sale", Window: fixture.Window{Closes: later}}
	lenient := frozen
	lenient.Rollbacks = true
	for _, c := range []struct {
		name     string
		holds    []promotion.Hold
		freeze   promotion.Freeze
		class    promotion.Class
		want     string
		wantTime time.Time
	}{
		{name: "nothing", class: promotion.Automatic},
		{name: "a hold with an end", holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann, Until: hour}},
			want: "held ann", wantTime: hour},
		{name: "a hold without one", holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann}}, want: "held ann"},
		{name: "one that is over", holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann, Until: noon}}},
		{name: "one of the pipeline", holds: []promotion.Hold{{By: fixture.Ann}}, want: "held ann"},
		{name: "one of another stage", holds: []promotion.Hold{{Stage: "prod", By: fixture.Ann}}},
		{name: "one of a target", holds: []promotion.Hold{{Stage: "dev", Target: "t1", By: fixture.Ann}}},
		{name: "one of its warehouse", holds: []promotion.Hold{{Stage: "dev", Warehouse: "api", By: fixture.Ann}},
			want: "held ann api"},
		{name: "one of another warehouse", holds: []promotion.Hold{{Stage: "dev", Warehouse: "web", By: fixture.Ann}}},
		{name: "one of the stage before one of its warehouse", holds: []promotion.Hold{
			{Stage: "dev", Warehouse: "api", By: fixture.Ann}, {Stage: "dev", By: fixture.Bob}}, want: "held bob"},
		{name: "a person's of a warehouse before the bot's", holds: []promotion.Hold{
			{Stage: "dev"}, {Stage: "dev", Warehouse: "api", By: fixture.Ann}, {Stage: "dev"}}, want: "held ann api"},
		{name: "a person's before the bot's", holds: []promotion.Hold{{Stage: "dev"}, {Stage: "dev", By: fixture.Ann}},
			want: "held ann"},
		{name: "of two people's the one that lasts longer", holds: []promotion.Hold{
			{Stage: "dev", By: fixture.Ann, Until: hour}, {Stage: "dev", By: fixture.Bob, Until: later}},
			want: "held bob", wantTime: later},
		{name: "though it is of the warehouse only", holds: []promotion.Hold{
			{Stage: "dev", By: fixture.Ann, Until: later}, {Stage: "dev", Warehouse: "api", By: fixture.Bob}},
			want: "held bob api"},
		{name: "a person's that ends before the bot's", holds: []promotion.Hold{
			{Stage: "dev"}, {Stage: "dev", By: fixture.Ann, Until: hour}}, want: "held ann"},
		{name: "of which a rollback waits for the person's", class: promotion.Rollback, holds: []promotion.Hold{
			{Stage: "dev"}, {Stage: "dev", By: fixture.Ann, Until: hour}}, want: "held ann", wantTime: hour},
		{name: "the bot's", holds: []promotion.Hold{{Stage: "dev"}}, want: "held bot"},
		{name: "a rollback passes the bot's", class: promotion.Rollback, holds: []promotion.Hold{{Stage: "dev"}}},
		{name: "and no person's", class: promotion.Rollback, holds: []promotion.Hold{{Stage: "dev", By: fixture.Bob}},
			want: "held bob"},
		{name: "a freeze", freeze: frozen, want: "frozen sale", wantTime: later},
		{name: "a hold before a freeze", holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann, Until: hour}},
			freeze: frozen, want: "held ann", wantTime: hour},
		{name: "a freeze stops rollbacks", class: promotion.Rollback, freeze: frozen, want: "frozen sale",
			wantTime: later},
		{name: "unless it lets them", class: promotion.Rollback, freeze: lenient},
	} {
		s := fixture.InState(promotion.Queued)
		s.Holds = c.holds
		if c.freeze.Window != nil {
			s.Stage.Policy.Freezes = []promotion.Freeze{c.freeze}
		}
		why, until := gate.KeeperOf(s, noon).Stopped(c.class, "api")
		require.Equal(t, c.want, why.String(), c.name)
		require.Equal(t, c.wantTime, until, c.name)
	}
}

func TestAHoldOfATargetHoldsOnlyThat(t *testing.T) {
	s := fixture.InState(promotion.Queued)
	s.Holds = []promotion.Hold{{Stage: "dev", By: fixture.Ann}, {Stage: "prod", Target: "t1"},
		{Stage: "dev", Target: "t2", Until: noon}, {Stage: "dev", Target: "t3"}}
	k := gate.KeeperOf(s, noon)
	require.Nil(t, k.HoldOn(""))
	require.Nil(t, k.HoldOn("t1"), "it is another stage's")
	require.Nil(t, k.HoldOn("t2"), "it is over")
	require.Equal(t, &s.Holds[3], k.HoldOn("t3"))
}

func TestWhenAFreezeTurnsNext(t *testing.T) {
	hour, later := noon.Add(time.Hour), noon.Add(2*time.Hour)
	for _, c := range []struct {
		name    string
		windows []fixture.Window
		want    time.Time
	}{
		{"never, without freezes", nil, time.Time{}},
		{"never, when none comes again", []fixture.Window{{}}, time.Time{}},
		{"when one begins", []fixture.Window{{}, {Opens: hour}, {Opens: later}}, hour},
		{"when one ends", []fixture.Window{{Opens: later}, {Closes: hour, Opens: noon}}, hour},
		{"when another begins before", []fixture.Window{{Closes: later}, {Opens: hour}, {}}, hour},
	} {
		s := fixture.InState(promotion.Queued)
		for _, w := range c.windows {
			s.Stage.Policy.Freezes = append(s.Stage.Policy.Freezes, promotion.Freeze{Window: w})
		}
		require.Equal(t, c.want, gate.KeeperOf(s, noon).NextFreeze(), c.name)
	}
}
