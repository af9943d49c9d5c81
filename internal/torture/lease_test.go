package torture

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/torture/act"
	"waybill/internal/torture/plan"
)

// TestAWorkerThatStoodStillChangesNothingAnyMore checks that a process that stands still loses its leases, and neither
// sends nor writes anything after another worker has taken over.
func TestAWorkerThatStoodStillChangesNothingAnyMore(t *testing.T) {
	interrupted(t, plan.Act{Kind: act.Frozen, A: 2})
}

// TestAClockThatIsSetEndsNoLease checks that leases expire by a clock that is never set.
func TestAClockThatIsSetEndsNoLease(t *testing.T) {
	interrupted(t, plan.Act{Kind: act.ClockStep, A: 3})
}

// TestWhatIsBehindTheLeasesOfDeadProcessesIsDoneWhenTheyAreOver has two processes die at once and leave leases that
// block more work. The next two come to rest, and do all of that work when the leases have expired.
func TestWhatIsBehindTheLeasesOfDeadProcessesIsDoneWhenTheyAreOver(t *testing.T) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for _, seed := range []uint64{2, 17} {
		for steps := 76; steps <= 108; steps += 32 {
			plan := plan.Plan{Seed: seed, Acts: []plan.Act{
				{ID: 0, Kind: act.MergeSource, B: 1, Steps: 60}, {ID: 1, Kind: act.MergeSource, B: 1, Steps: steps},
				{ID: 2, Kind: act.Crash, Steps: plan.ToRest}, {ID: 3, Kind: act.Wait, A: 3, Steps: plan.ToRest},
			}}
			r := play(t, plan, folder, false)
			require.Nil(t, r.Failure, "seed %d, after %d steps", seed, steps)
		}
	}
}

// interrupted promotes a pull request, with the accident after a different number of steps in each history.
func interrupted(t *testing.T, accident plan.Act) {
	require.NoError(t, Prepare())
	folder := fast(t)
	for seed := range uint64(60) {
		accident.ID, accident.Steps = 1, plan.ToRest
		plan := plan.Plan{Seed: seed, Acts: []plan.Act{{ID: 0, Kind: act.MergeSource, B: 1, Steps: 10 + int(seed)}, accident}}
		r := play(t, plan, folder, false)
		require.Nil(t, r.Failure, "seed %d", seed)
	}
}
