package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// reasons returns the obstacles as reasons.
func reasons(all []promotion.Obstacle) (texts []string) {
	for _, o := range all {
		texts = append(texts, o.Because().String())
	}
	return texts
}

func TestPeoplesChangesOfGuardedFilesWaitForWhatIsUnderWay(t *testing.T) {
	later := noon.Add(time.Hour)
	weekend := promotion.Freeze{Reason: "weekend", Rollbacks: true, Window: fixture.Window{Closes: later}}
	for _, c := range []struct {
		name   string
		state  promotion.State
		holds  []promotion.Hold
		freeze promotion.Freeze
		want   []string
	}{
		{name: "nothing", state: promotion.Succeeded},
		{name: "a promotion that waits is not merged yet", state: promotion.WaitingForMerge},
		{name: "a verification", state: promotion.Verifying, want: []string{"behind 1"}},
		{name: "a hold", state: promotion.Succeeded, holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann}},
			want: []string{"held ann"}},
		{name: "a hold of a target", state: promotion.Succeeded,
			holds: []promotion.Hold{{Stage: "dev", Target: "t1", By: fixture.Ann}}, want: []string{"held ann"}},
		{name: "a hold of a target that has left the pipeline file", state: promotion.Succeeded,
			holds: []promotion.Hold{{Stage: "dev", Target: "gone", By: fixture.Ann}}},
		{name: "a hold of the whole pipeline goes before a verification", state: promotion.Verifying,
			holds: []promotion.Hold{{By: fixture.Ann}}, want: []string{"held ann", "behind 1"}},
		{name: "a hold of Waybill's own", state: promotion.VerificationFailed, holds: []promotion.Hold{{Stage: "dev"}},
			want: []string{"held bot"}},
		{name: "a hold that is over", state: promotion.Succeeded,
			holds: []promotion.Hold{{Stage: "dev", By: fixture.Ann, Until: noon}}},
		{name: "a hold of another stage", state: promotion.Succeeded,
			holds: []promotion.Hold{{Stage: "prod", By: fixture.Ann}}},
		{name: "a freeze", state: promotion.Succeeded, freeze: weekend, want: []string{"frozen weekend"}},
	} {
		s := fixture.InState(c.state)
		s.Stage.Targets = append(s.Stage.Targets, promotion.Target{Name: "t1"})
		s.Holds = c.holds
		if c.freeze.Window != nil {
			s.Stage.Policy.Freezes = []promotion.Freeze{c.freeze}
		}
		k := gate.KeeperOf(s, noon)
		all := k.MergeWaits(promotion.Candidate{Files: []string{"dev.yaml", "prod.yaml"}})
		require.Equal(t, c.want, reasons(all), c.name)
		require.Empty(t, k.MergeWaits(promotion.Candidate{Files: []string{"prod.yaml"}}), "it leaves the files alone")
		for _, o := range all {
			require.Equal(t, o.Freeze != nil, o.Until.Equal(later), c.name)
		}
	}
}

func TestTheVerificationThatAChangeWaitsForCanBeSeen(t *testing.T) {
	s := fixture.InState(promotion.Verifying)
	s.Attempts[0].Made.URL = "https://x"
	all := gate.KeeperOf(s, noon).MergeWaits(promotion.Candidate{Files: []string{"dev.yaml"}})
	require.Len(t, all, 1)
	require.Equal(t, promotion.Link{What: promotion.OnPull, URL: "https://x"}, all[0].Link)
}

// TestAJobWaitsForHoldsOfPeopleAndForFreezes and not for the bot's hold after a failure, which would also stop the job
// that proves the repair.
func TestAJobWaitsForHoldsOfPeopleAndForFreezes(t *testing.T) {
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: &promotion.Stage{Name: "prod"},
		Promotions: []promotion.Promotion{{Number: 1, Class: promotion.Rollback, MergeSHA: "back"}}}
	waits := func(sha promotion.SHA) []string {
		return reasons(gate.KeeperOf(s, noon).JobWaits("Production", sha))
	}
	require.Empty(t, waits("new"))
	s.Holds = []promotion.Hold{{Stage: "prod", Reason: promotion.Because(promotion.Asked)},
		{Stage: "dev", By: fixture.Ann}}
	require.Empty(t, waits("new"), "the bot's, and one of another stage")
	s.Holds = []promotion.Hold{{By: fixture.Ann}}
	require.Equal(t, []string{"held ann"}, waits("new"))
	require.Equal(t, []string{"held ann"}, waits("back"))
	s.Holds = nil
	s.Stage.Policy.Freezes = []promotion.Freeze{{Reason: "weekend", Rollbacks: true,
		Window: fixture.Window{Closes: noon.Add(24 * time.Hour), Opens: noon.Add(48 * time.Hour)}}}
	require.Equal(t, []string{"frozen weekend"}, waits("new"))
	require.Empty(t, waits("back"), "rollbacks pass")
}

// TestAJobWaitsForTheHoldOfItsOwnWarehouse: a job that deploys freight of another one goes on.
func TestAJobWaitsForTheHoldOfItsOwnWarehouse(t *testing.T) {
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{}, Stage: &promotion.Stage{Name: "prod"},
		Promotions: []promotion.Promotion{{Number: 1, Freight: promotion.FreightRef{Warehouse: "api"}, MergeSHA: "m1"},
			{Number: 2, Freight: promotion.FreightRef{Warehouse: "web"}, MergeSHA: "m2"}},
		Holds: []promotion.Hold{{Stage: "prod", Warehouse: "api", By: fixture.Ann}}}
	waits := func(sha promotion.SHA) []string {
		return reasons(gate.KeeperOf(s, noon).JobWaits("prod", sha))
	}
	require.Equal(t, []string{"held ann api"}, waits("m1"))
	require.Empty(t, waits("m2"))
	require.Equal(t, []string{"held ann api"}, waits("other"), "nobody knows what it deploys")
}

// TestAJobWaitsForTheHoldOfItsOwnTarget: a job that deploys to another target goes on.
func TestAJobWaitsForTheHoldOfItsOwnTarget(t *testing.T) {
	s := &promotion.Snapshot{Pipeline: &promotion.Pipeline{},
		Stage: &promotion.Stage{Name: "prod",
			Targets: []promotion.Target{{Name: "eu", Environment: "prod-eu"}, {Name: "us", Environment: "prod-us"}}},
		Holds: []promotion.Hold{{Stage: "prod", Target: "eu", By: fixture.Bob}}}
	waits := func(environment string) []string {
		return reasons(gate.KeeperOf(s, noon).JobWaits(environment, "m1"))
	}
	require.Equal(t, []string{"held bob"}, waits("Prod-EU"))
	require.Empty(t, waits("prod-us"))
	s.Holds[0].Target = "gone"
	require.Empty(t, waits("prod-eu"), "there is no such target any more")
	s.Holds[0].Target, s.Stage.Strategy.OneDeployment = "eu", true
	s.Stage.Targets[0].Environment, s.Stage.Targets[1].Environment = "prod", "prod"
	require.NotEmpty(t, waits("prod"), "what is deployed there may be for that target")
}

func TestTheHoldsOfSomebodyAndThoseOfAStage(t *testing.T) {
	s := fixture.InState(promotion.Queued)
	s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: fixture.Ann}, {ID: 2, Stage: "prod", By: fixture.Ann},
		{ID: 3, By: fixture.Bob}, {ID: 4, Stage: "dev", Target: "t1", By: fixture.Ann},
		{ID: 5, Stage: "dev", By: fixture.Ann, Until: noon}}
	ids := func(holds []promotion.Hold) (all []int64) {
		for _, h := range holds {
			all = append(all, h.ID)
		}
		return all
	}
	require.Equal(t, []int64{1, 3, 4}, ids(gate.KeeperOf(s, noon).Holds()))
	require.Equal(t, []int64{1, 2, 4}, ids(gate.KeeperOf(s, noon).HeldBy(fixture.Ann)))
}
