package decide

import (
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

// hosting is dev after it has hosted pieces of api's freight in turn, each for ten minutes, with these verdicts. The
// last one is still deployed.
func hosting(verdicts ...promotion.Verdict) *promotion.Snapshot {
	p := devPipeline()
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0], Records: make([][]promotion.Record, 2), Next: 1,
		NextID: 1}
	for i, v := range verdicts {
		hosts(s, freightNo(p, i+1), v)
	}
	return s
}

// hosts deploys the next freight to the stage.
func hosts(s *promotion.Snapshot, f promotion.Freight, v promotion.Verdict) {
	at := noon.Add(time.Duration(10*len(s.Deployments)-100) * time.Minute)
	for i := range s.Deployments {
		if s.Deployments[i].Warehouse == f.Warehouse && !s.Deployments[i].Ended() {
			s.Deployments[i].Left = at
		}
	}
	if s.FreightAt(f.ID) < 0 {
		s.Freight = append(s.Freight, f)
		s.Newest = []promotion.Mark{{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number}}
	}
	state := map[promotion.Verdict]promotion.State{
		promotion.Passed: promotion.Succeeded, promotion.Bad: promotion.VerificationFailed,
		promotion.Pending: promotion.Verifying, promotion.Undecided: promotion.Cancelled,
	}[v]
	p := promotion.Promotion{Number: s.Next, Stage: "dev", Freight: f.Ref(), Class: promotion.Automatic, State: state,
		Merged: at, MergeSHA: "m", Rollout: oneStep()}
	y := promotion.Deployment{
		Promotion: s.Next, Stage: "dev", Warehouse: f.Warehouse, Freight: f.ID, Entered: at, Verdict: v, Commit: "m",
	}
	if v != promotion.Pending {
		p.Ended, y.Judged = at.Add(5*time.Minute), at.Add(5*time.Minute)
	}
	y.Results = onePart(&y)
	s.Promotions, s.Deployments = append(s.Promotions, p), append(s.Deployments, y)
	s.Attempts = append(s.Attempts, promotion.Attempt{Promotion: s.Next})
	s.Next++
}

// rolledBackTo returns the freight that a command rolls back to, or the answer if there is no rollback.
func rolledBackTo(s *promotion.Snapshot, text string) string {
	s.Requests = nil
	d := Decide(says(s, text), noon)
	for _, p := range d.Promotions {
		if p.Class == promotion.Rollback && !p.State.Ended() {
			return p.Freight.Name
		}
	}
	return answers(d)[0]
}

func TestWhereARollbackGoes(t *testing.T) { // Q11, T33
	for _, c := range []struct {
		name, text, want string
		verdicts         []promotion.Verdict
	}{
		{"to what was verified before", "/rollback dev", "api#1",
			[]promotion.Verdict{promotion.Passed, promotion.Passed}},
		{"to what was verified last before", "/rollback dev", "api#2",
			[]promotion.Verdict{promotion.Passed, promotion.Passed, promotion.Bad}},
		{"past what failed", "/rollback dev", "api#1",
			[]promotion.Verdict{promotion.Passed, promotion.Bad, promotion.Bad}},
		{"past what nobody could judge", "/rollback dev", "api#1",
			[]promotion.Verdict{promotion.Passed, promotion.Undecided, promotion.Bad}},
		{"while something is being verified", "/rollback dev", "api#1",
			[]promotion.Verdict{promotion.Passed, promotion.Pending}},
		{"nowhere, when nothing was verified before", "/rollback dev", "refused because unverified dev",
			[]promotion.Verdict{promotion.Bad, promotion.Passed}},
		{"nowhere, when there was nothing before", "/rollback dev", "refused because unverified dev",
			[]promotion.Verdict{promotion.Passed}},
		{"nowhere, when there was nothing at all", "/rollback dev", "refused because unverified dev", nil},
		{"to what is named", "/rollback dev to api#1", "api#1",
			[]promotion.Verdict{promotion.Passed, promotion.Passed, promotion.Passed}},
		{"not to what has failed here", "/rollback dev to api#1", "refused because unverified dev",
			[]promotion.Verdict{promotion.Bad, promotion.Passed}},
		{"not to what was never judged", "/rollback dev to api#1", "refused because unverified dev",
			[]promotion.Verdict{promotion.Undecided, promotion.Passed}},
		{"not to what is there", "/rollback dev to api#2", "already",
			[]promotion.Verdict{promotion.Passed, promotion.Bad}},
		{"not to what nobody knows", "/rollback dev to api#9", "refused because unknown api#9",
			[]promotion.Verdict{promotion.Passed, promotion.Passed}},
	} {
		require.Equal(t, c.want, rolledBackTo(hosting(c.verdicts...), c.text), c.name)
	}
}

func TestARollbackDoesNotGoToWhatHasFailedHereSince(t *testing.T) {
	s := hosting(promotion.Passed, promotion.Passed)
	hosts(s, s.Freight[0], promotion.Bad)
	hosts(s, freightNo(s.Pipeline, 3), promotion.Bad)
	require.Equal(t, "api#2", rolledBackTo(s, "/rollback dev"))
	require.Equal(t, "refused because unverified dev", rolledBackTo(s, "/rollback dev to api#1"))
	hosts(s, s.Freight[0], promotion.Passed)
	hosts(s, freightNo(s.Pipeline, 4), promotion.Bad)
	require.Equal(t, "api#1", rolledBackTo(s, "/rollback dev"), "it is good again")
}

func TestARollbackIsOfTheWarehouseThatSomethingCameFromLast(t *testing.T) { // Q15
	s := hosting(promotion.Passed)
	web := &promotion.Warehouse{Name: "web"}
	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
	hosts(s, promotion.NewFreight(web, 6, "w6", noon), promotion.Passed)
	hosts(s, promotion.NewFreight(web, 7, "w7", noon), promotion.Passed)
	hosts(s, freightNo(s.Pipeline, 2), promotion.Bad)
	require.Equal(t, "api#1", rolledBackTo(s, "/rollback dev"))
	require.Equal(t, "web#6", rolledBackTo(s, "/rollback dev to web#6"))
}

func TestARollbackPreempts(t *testing.T) { // Q11
	for state, want := range map[promotion.State]string{
		promotion.Running:         "p3 cancelled because asked ann, p4 queued, close p3, reply done, plan p4",
		promotion.WaitingForMerge: "p3 cancelled because asked ann, p4 queued, close p3, reply done, plan p4",
		promotion.Queued:          "p4 queued, reply done, plan p4",
	} {
		s := hosting(promotion.Passed, promotion.Passed)
		waiting(s, 3, promotion.Automatic)
		s.Promotions[2].State, s.Promotions[2].Rollout = state, oneStep()
		d := Decide(says(s, "/rollback dev"), noon)
		require.Equal(t, want, told(d), state)
		if state != promotion.Queued {
			require.Equal(t, promotion.Number(3), d.Promotions[1].Cause)
		}
	}
	s := hosting(promotion.Passed, promotion.Pending)
	d := Decide(says(s, "/rollback dev"), noon)
	require.Equal(t, "p2 cancelled because inconclusive, p3 queued, reply done, plan p3", told(d))
	require.Equal(t, promotion.Undecided, d.Deployments[0].Verdict)
	require.Equal(t, promotion.Promotion{
		Number: 3, Stage: "dev", Freight: promotion.FreightRef{Warehouse: "api", ID: s.Freight[0].ID, Name: "api#1"},
		Class: promotion.Rollback, State: promotion.Queued, By: ann, Cause: 2, Pins: true, Queued: noon,
	}, d.Promotions[1])
}

func TestARollbackToWhatWaitsAsSomethingElseTakesItsPlace(t *testing.T) {
	s := hosting(promotion.Passed, promotion.Passed)
	waiting(s, 1, promotion.Manual)
	require.Equal(t, "p3 cancelled because asked ann, p4 queued, reply done, plan p4",
		told(Decide(says(s, "/rollback dev"), noon)))
}

func TestARollbackThatIsAskedForTwiceIsOne(t *testing.T) { // Q16
	for _, state := range []promotion.State{promotion.Queued, promotion.Running, promotion.WaitingForMerge,
		promotion.Verifying} {
		s := hosting(promotion.Passed, promotion.Passed, promotion.Passed)
		waiting(s, 2, promotion.Rollback)
		s.Promotions[3].State = state
		if state != promotion.Queued {
			s.Promotions[3].Rollout = oneStep()
		}
		if state == promotion.Verifying {
			s.Deployments[2].Left = noon
			y := promotion.Deployment{
				Promotion: 4, Stage: "dev", Warehouse: "api", Freight: s.Freight[1].ID, Entered: noon, Commit: "m4",
			}
			y.Results = onePart(&y)
			s.Deployments = append(s.Deployments, y)
		}
		d := Decide(says(s, "/rollback dev"), noon)
		require.Equal(t, []string{"already"}, answers(d), state)
		require.EqualValues(t, 4, d.Effects[len(d.Effects)-1].Promotion)
		if state != promotion.Verifying {
			s.Requests = nil
			require.Equal(t, []string{"already"}, answers(Decide(says(s, "/rollback dev to api#2"), noon)), state)
		}
		require.Equal(t, "api#1", rolledBackTo(s, "/rollback dev to api#1"), "who names another wants another, %s",
			state)
	}
}

func TestARollbackNeedsNoUpstreamAndNoPolicy(t *testing.T) {
	s := hosting(promotion.Passed, promotion.Bad)
	s.Stage.Policy.Automatic = false
	behindQA(s, bad)
	s.Records[1] = append(s.Records[1], bad)
	require.Equal(t, "p3 queued, reply done, plan p3", told(Decide(says(s, "/rollback dev"), noon)))
}

func TestAPersonsHoldRefusesARollbackByName(t *testing.T) { // Q11
	s := held(hosting(promotion.Passed, promotion.Bad), promotion.Hold{Stage: "dev"}, promotion.Hold{By: bob})
	require.Equal(t, "refused because held bob", rolledBackTo(s, "/rollback dev"))
	s = held(hosting(promotion.Passed, promotion.Bad), promotion.Hold{Stage: "dev"})
	require.Equal(t, "api#1", rolledBackTo(s, "/rollback dev"))
}

func TestWhatPinsHoldsTheStageOnceItIsMerged(t *testing.T) { // Q11, Q12
	for _, pins := range []bool{true, false} {
		s := inState(promotion.WaitingForMerge)
		s.Promotions[0].Pins, s.Promotions[0].By = pins, ann
		s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon
		d := Decide(s, noon)
		require.Equal(t, pins, len(d.Holds) == 1)
		if pins {
			require.Equal(t, promotion.Hold{ID: 1, Stage: "dev", Reason: promotion.Because(promotion.Asked, "ann"),
				Promotion: 1, At: noon}, d.Holds[0])
		}
	}
}
