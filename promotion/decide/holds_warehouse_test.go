package decide

import (
	"strings"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// ofTwo returns a snapshot in which the stage takes freight from two warehouses.
func ofTwo(s *promotion.Snapshot, holds ...promotion.Hold) *promotion.Snapshot {
	s.Stage.From = append(s.Stage.From[:1:1], promotion.Source{Warehouse: "web"})
	return held(s, holds...)
}

// released says of which places a decision has lifted the hold.
func released(d promotion.Decision) (places []string) {
	for _, e := range d.Log {
		if e.Event == promotion.EventReleased {
			places = append(places, strings.TrimSuffix("released because "+e.Reason.String(), " because "))
		}
	}
	return places
}

func TestWhatLetsAStageGoLetsItsWarehousesGo(t *testing.T) { // semantics 4.2
	whole := promotion.Hold{Stage: "dev", By: bob}
	api := promotion.Hold{Stage: "dev", Warehouse: "api", By: bob}
	web := promotion.Hold{Stage: "dev", Warehouse: "web", By: ann}
	bots := promotion.Hold{Stage: "dev", Warehouse: "web"}
	for _, c := range []struct {
		name  string
		holds []promotion.Hold
		text  string
		want  string
	}{
		{"one warehouse", []promotion.Hold{api, web}, "/unhold dev api", "released because asked bob api, done"},
		{"in any case of letters", []promotion.Hold{api}, "/unhold dev API", "released because asked bob api, done"},
		{"with the stage", []promotion.Hold{whole, api, api}, "/unhold dev",
			"released, released because asked bob api, done because lifted api"},
		{"not that of another person", []promotion.Hold{whole, web}, "/unhold dev", "released, done"},
		{"but the bot's", []promotion.Hold{bots, web}, "/unhold dev",
			"released because asked bob web, done because lifted web"},
		{"not only that of another person", []promotion.Hold{web}, "/unhold dev",
			"refused because held ann web"},
		{"not the stage with the warehouse", []promotion.Hold{whole}, "/unhold dev api",
			"refused because held bob"},
		{"nor that of another warehouse", []promotion.Hold{web}, "/unhold dev api", "already"},
		{"nor that of another stage", []promotion.Hold{{Stage: "prod", Warehouse: "api", By: bob}}, "/unhold dev",
			"already"},
		{"nor with the pipeline", []promotion.Hold{{By: bob}, api}, "/unhold --all", "released, done"},
		{"no other warehouse", []promotion.Hold{whole}, "/unhold dev www", "refused because unknown www"},
		{"none of all stages", []promotion.Hold{{By: bob}}, "/unhold --all api", "refused because unknown api"},
	} {
		d := Decide(saysAs(ofTwo(inState(promotion.Succeeded), c.holds...), bob, promotion.Write, c.text), noon)
		says := append(released(d), answers(d)...)
		require.Equal(t, c.want, strings.Join(says, ", "), c.name)
	}
}

func TestAHoldOfAWarehouseOnTopOfOthers(t *testing.T) {
	for _, c := range []struct {
		name string
		hold promotion.Hold
		text string
		want string
	}{
		{"the same", promotion.Hold{Stage: "dev", Warehouse: "api", By: ann}, "/hold dev api",
			"already because held ann api"},
		{"that of somebody else", promotion.Hold{Stage: "dev", Warehouse: "api", By: bob}, "/hold dev api", "done"},
		{"another warehouse", promotion.Hold{Stage: "dev", Warehouse: "web", By: bob}, "/hold dev api", "done"},
		{"the stage, a warehouse", promotion.Hold{Stage: "dev", By: bob}, "/hold dev api", "done"},
		{"a warehouse, the stage", promotion.Hold{Stage: "dev", Warehouse: "api", By: bob}, "/hold dev", "done"},
	} {
		require.Equal(t, c.want, answer(says(ofTwo(inState(promotion.Succeeded), c.hold), c.text)), c.name)
	}
}

func TestARollbackWaitsForAHoldOfItsWarehouseOnly(t *testing.T) { // Q11
	for warehouse, want := range map[promotion.WarehouseName]string{"api": "held bob api", "web": ""} {
		s := ofTwo(inState(promotion.WaitingForMerge), promotion.Hold{Stage: "dev", Warehouse: warehouse, By: bob})
		s.Promotions[0].Class = promotion.Rollback
		require.Equal(t, want, Waits(s, noon)[0].Reason.String())
	}
}

func TestARollbackIsRefusedByAHoldOfItsWarehouseOnly(t *testing.T) { // Q11
	for warehouse, want := range map[promotion.WarehouseName]string{"api": "refused because held bob api", "web": "done"} {
		s := ofTwo(hosting(promotion.Passed, promotion.Passed), promotion.Hold{Stage: "dev", Warehouse: warehouse, By: bob})
		require.Equal(t, want, answer(says(s, "/rollback dev")))
	}
}

func TestTheBotHoldsTheWarehouseOfWhatFailed(t *testing.T) { // Q4
	s := ofTwo(inState(promotion.Verifying))
	s.Stage.OnFailedVerification = promotion.OnFailureHold
	hear(s, smokeRun(1, "failure"))
	d := Decide(s, noon)
	require.Len(t, d.Holds, 1)
	require.Equal(t, promotion.WarehouseName("api"), d.Holds[0].Warehouse)

	s = inState(promotion.Verifying)
	s.Stage.OnFailedVerification = promotion.OnFailureHold
	hear(s, smokeRun(1, "failure"))
	d = Decide(s, noon)
	require.Len(t, d.Holds, 1)
	require.Empty(t, d.Holds[0].Warehouse, "the stage takes from no other warehouse")

	s = ofTwo(inState(promotion.Verifying))
	hear(s, smokeRun(1, "cancelled"))
	d = Decide(s, noon)
	require.Len(t, d.Holds, 1)
	require.Empty(t, d.Holds[0].Warehouse, "what is not decided keeps everything out")
}

func TestAHoldThatIsOverBeforeItIsReadHoldsNothing(t *testing.T) {
	s := says(inState(promotion.Succeeded), "/hold dev until 11:00")
	s.Requests[0].At = noon.Add(-2 * time.Hour)
	d := Decide(s, noon)
	require.Empty(t, d.Holds)
	require.Equal(t, []string{"already because already"}, answers(d))
	s.Requests[0].At = noon
	require.Equal(t, noon.Add(23*time.Hour), Decide(s, noon).Holds[0].Until)
}
