package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"

	"github.com/stretchr/testify/require"
)

// waiting adds a queued promotion of api#n to a snapshot.
func waiting(s *promotion.Snapshot, n int, c promotion.Class) {
	f := freightNo(s.Pipeline, n)
	if s.FreightAt(f.ID) < 0 {
		s.Freight = append(s.Freight, f)
	}
	s.Promotions = append(s.Promotions,
		promotion.Promotion{
			Number: s.Next, Stage: s.Stage.Name, Freight: promotion.FreightRef{Warehouse: "api", ID: f.ID, Name: f.Name},
			Class: c, Automatic: c == promotion.Automatic, State: promotion.Queued,
		})
	s.Attempts = append(s.Attempts, promotion.Attempt{Promotion: s.Next})
	s.Next++
	if s.Mark("api").Before(&f) {
		s.Newest = []promotion.Mark{{Warehouse: "api", Merged: f.Merged, Number: f.Number}}
	}
}

// whys returns the reasons for which the open promotions of a snapshot wait.
func whys(s *promotion.Snapshot) []string {
	var all []string
	for _, at := range Waits(s, noon) {
		all = append(all, at.Promotion.Number.String()+": "+at.Reason.String())
	}
	return all
}

func TestTheQueueGoesByClassThenByNumber(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Stage.Queue = promotion.QueueFIFO
	for n, c := range []promotion.Class{promotion.Automatic, promotion.Manual, promotion.Automatic, promotion.Manual,
		promotion.Rollback} {
		waiting(s, n+2, c)
	}
	require.Equal(t, "plan p6", told(Decide(s, noon)))
	require.Equal(t, []string{"2: behind 6", "3: behind 6", "4: behind 6", "5: behind 6", "6: "}, whys(s))
	s.Promotions = s.Promotions[:5]
	require.Equal(t, "plan p3", told(Decide(s, noon)))
	s.Promotions[2].Class, s.Promotions[4].Class = promotion.Automatic, promotion.Automatic
	require.Equal(t, "plan p2", told(Decide(s, noon)))
}

func TestWhatMayNotStartLetsOthersPass(t *testing.T) {
	s := inState(promotion.Succeeded)
	waiting(s, 2, promotion.Manual)
	waiting(s, 3, promotion.Manual)
	dev, qa := s.Stage, promotion.OnePlace(&promotion.Stage{Name: "qa", Index: 1, Delivery: promotion.DeliveryPullRequest},
		promotion.Target{Changes: []promotion.Change{{Path: "x"}}})
	dev.From[0].After = &promotion.Gate{Of: []*promotion.Stage{qa}, Need: 1}
	s.Records = [][]promotion.Record{nil, {{}, {}, {Verdict: promotion.Passed, Since: noon}}}
	require.Equal(t, "plan p3", told(Decide(s, noon)))
	require.Equal(t, []string{"2: unverified qa", "3: "}, whys(s))
}

func TestAPlanIsUsedWhileItIsFresh(t *testing.T) {
	s := inState(promotion.Queued)
	s.Attempts[0].Plan = &promotion.Plan{Round: 3, Base: "b0", At: noon.Add(-time.Minute).Add(time.Nanosecond),
		Paths: []string{"dev.yaml"}}
	require.Equal(t, "p1 running, open p1", told(Decide(s, noon)))
	s.Attempts[0].Plan.At = noon.Add(-time.Minute)
	d := Decide(s, noon)
	require.Equal(t, "plan p1", told(d))
	require.EqualValues(t, 4, d.Wanted[0].Round)
}

func TestFreightOfAnotherWarehouseSupersedesNothing(t *testing.T) { // Q15
	s := inState(promotion.Verifying)
	waiting(s, 2, promotion.Automatic)
	web := &promotion.Warehouse{Name: "web"}
	s.Pipeline.Warehouses = append(s.Pipeline.Warehouses, web)
	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
	s.Freight = append(s.Freight, promotion.NewFreight(web, 9, "w9", noon))
	require.Equal(t, "p3 queued", told(Decide(s, noon)))
}

func TestAnOpenPromotionIsSupersededOnlyWhenAPersonIsToMergeItAndNobodyHasSigned(t *testing.T) { // Q9
	for _, c := range []struct {
		name  string
		state promotion.State
		set   func(*promotion.Snapshot)
		want  string
	}{
		{"waiting for a person", promotion.WaitingForMerge, func(*promotion.Snapshot) {},
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"being opened for a person", promotion.Running, func(*promotion.Snapshot) {},
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"merged by Waybill", promotion.WaitingForMerge,
			func(s *promotion.Snapshot) { s.Stage.Merge.By = promotion.MergeAuto }, "p2 queued, merge p1"},
		{"asked for by a person", promotion.WaitingForMerge,
			func(s *promotion.Snapshot) { s.Promotions[0].Class = promotion.Manual }, "p2 queued"},
		{"signed off", promotion.WaitingForMerge, func(s *promotion.Snapshot) { signOff(s, "h1") }, "p2 queued"},
		{"signed off, but the plan has changed", promotion.WaitingForMerge,
			func(s *promotion.Snapshot) { signOff(s, "h0") },
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"admitted", promotion.WaitingForMerge,
			func(s *promotion.Snapshot) { signOff(s, "h1"); s.Approvals[0].Kind = promotion.Admission },
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"of which the same was signed off for other freight", promotion.WaitingForMerge,
			func(s *promotion.Snapshot) { signOff(s, "h1"); s.Approvals[0].Freight = "x" },
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"merged", promotion.Verifying, func(*promotion.Snapshot) {}, "p2 queued"},
		{"of freight that has failed upstream", promotion.WaitingForMerge, func(s *promotion.Snapshot) {
			s.Stage.Merge.By = promotion.MergeAuto
			behindQA(s, bad)
			s.Records[1] = append(s.Records[1], soaked)
		}, "p2 queued, p1 superseded because newer api#2, close p1, plan p2"},
	} {
		s := inState(c.state)
		s.Stage.Merge.By = promotion.MergeManual
		c.set(s)
		s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
		require.Equal(t, c.want, told(Decide(s, noon)), c.name)
	}
}

// signOff has ann sign off the first promotion with a plan of these contents.
func signOff(s *promotion.Snapshot, contents string) {
	shown := *s
	shown.Attempts = []promotion.Attempt{{Promotion: s.Promotions[0].Number,
		Made: promotion.Made{Head: s.Attempt(s.Promotions[0].Number).Made.Head}, Plan: &promotion.Plan{Hash: contents}}}
	plan := gate.KeeperOf(&shown, noon).Visible(&s.Promotions[0])
	s.Approvals = []promotion.Approval{{Kind: promotion.SignOff, Freight: s.Freight[0].ID, Plan: plan,
		By: promotion.Actor{ID: 3, Login: "ann"}, Entitled: true, Expires: noon.Add(time.Hour)}}
}

func TestInFIFOEveryNewerFreightIsQueuedOldestFirst(t *testing.T) { // Q10
	s := inState(promotion.Verifying)
	s.Stage.Queue = promotion.QueueFIFO
	late := freightNo(s.Pipeline, 0) // older than the promoted freight, and found by a resync
	s.Freight = append([]promotion.Freight{late},
		append(s.Freight, freightNo(s.Pipeline, 2), freightNo(s.Pipeline, 3))...)
	d := Decide(s, noon)
	require.Equal(t, "p2 queued, p3 queued", told(d))
	require.Equal(t, "api#2", d.Promotions[0].Freight.Name)
}

func TestLateFreightTakesItsTruePlaceAndIsNotPromoted(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Freight = append([]promotion.Freight{freightNo(s.Pipeline, 0)}, s.Freight...)
	require.True(t, Decide(s, noon).Nothing())
	require.Equal(t, promotion.PlaceSkipped, Why(s, s.Freight[0].ID, noon).Place)
}

func TestNothingComesBackByItself(t *testing.T) {
	for _, state := range promotion.States {
		if state.Ended() {
			require.NotContains(t, told(Decide(inState(state), noon)), "queued", state)
		}
	}
}

func TestAStageThatPolicyDoesNotLetPromotesNothingByItself(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
	s.Stage.Policy.Automatic = false
	require.True(t, Decide(s, noon).Nothing())
	s.Stage.Policy.Automatic, s.Stage.Targets[0].Changes, s.Stage.Delivery = true, nil, promotion.DeliveryNone
	require.True(t, Decide(s, noon).Nothing(), "nor does one that only passes freight on")
}

func TestWhatWaitsAutomaticallyStopsWhenPolicyTakesTheRightAway(t *testing.T) {
	s := inState(promotion.Queued)
	s.Stage.Policy.Automatic = false
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, []string{"1: forbidden automatic"}, whys(s))
	s.Promotions[0].Class = promotion.Manual
	require.Equal(t, "plan p1", told(Decide(s, noon)))
}

func TestAutomationDoesNotGoBackBehindWhatAPersonPromoted(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Stage.Queue = promotion.QueueFIFO
	waiting(s, 2, promotion.Automatic)
	waiting(s, 3, promotion.Manual)
	s.Promotions[2].State, s.Promotions[2].Merged, s.Promotions[2].MergeSHA = promotion.Verifying, noon, "m3"
	s.Promotions[2].Rollout = oneStep()
	s.Deployments[0].Left = noon
	s.Deployments = append(s.Deployments, promotion.Deployment{
		Promotion: 3, Stage: "dev", Warehouse: "api", Freight: s.Freight[2].ID, Entered: noon, Commit: "m3",
		Results: []promotion.TargetResult{{Step: 1, Commit: "m3"}},
	})
	require.Equal(t, "p2 superseded because newer api#3", told(Decide(s, noon)))
	freight := s.Freight
	s.Freight = freight[2:]
	require.Equal(t, "", told(Decide(s, noon)), "nobody knows what waits")
	s.Freight = freight[:2]
	require.Equal(t, "", told(Decide(s, noon)), "nobody knows what is hosted")
	s.Freight, s.Promotions[1].Class = freight, promotion.Manual
	require.Equal(t, "", told(Decide(s, noon)), "a person may")
}

func TestWhatIsQueuedWaitsWhileItsFreightFailsUpstream(t *testing.T) { // A14
	for class, want := range map[promotion.Class]string{
		promotion.Automatic: "",
		promotion.Manual:    "",
		promotion.Rollback:  "plan p1",
	} {
		s := behindQA(inState(promotion.Queued), bad)
		s.Promotions[0].Class = class
		require.Equal(t, want, told(Decide(s, noon)), class)
	}
	require.Equal(t, "", told(Decide(behindQA(inState(promotion.Queued), promotion.Record{}), noon)),
		"what is not verified yet waits")
}

func TestWhatFailedUpstreamIsNotMerged(t *testing.T) { // A14: only merges stay
	s := behindQA(inState(promotion.WaitingForMerge), bad)
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, []string{"1: failed qa e2e"}, whys(s))
	s.Promotions[0].Class = promotion.Rollback
	require.Equal(t, "merge p1", told(Decide(s, noon)))
	s.Promotions[0].Class, s.Promotions[0].Repairs = promotion.Automatic, true
	require.Equal(t, "merge p1", told(Decide(s, noon)), "what was here before is written again")
}

// TestWhatIsNotAvailableGoesNoFurther: a promotion of freight that is not available, or not any more, takes no step
// that cannot be undone (semantics 1.1).
func TestWhatIsNotAvailableGoesNoFurther(t *testing.T) {
	for _, state := range []promotion.State{promotion.Queued, promotion.Running, promotion.WaitingForMerge} {
		s := behindQA(inState(state), promotion.Record{})
		require.Equal(t, "", told(Decide(s, noon)), state)
		require.Equal(t, []string{"1: unverified qa"}, whys(s), state)
		s.Records[1][0] = promotion.Record{Verdict: promotion.Passed, Since: noon.Add(-time.Minute)}
		d := Decide(s, noon)
		require.Equal(t, "", told(d), state)
		require.Equal(t, noon.Add(59*time.Minute), d.Wake, state)
		require.NotEqual(t, "", told(Decide(s, d.Wake)), state)
	}
}

func TestARepairNeedsNoUpstream(t *testing.T) {
	s := behindQA(inState(promotion.Queued), promotion.Record{})
	s.Promotions[0].Repairs = true
	require.Empty(t, whys(s)[0][len("1: "):])
}

// behindQA puts dev behind a stage qa whose record of the first freight is r.
func behindQA(s *promotion.Snapshot, r promotion.Record) *promotion.Snapshot {
	qa := promotion.OnePlace(&promotion.Stage{Name: "qa", Index: 1, Delivery: promotion.DeliveryPullRequest},
		promotion.Target{Changes: []promotion.Change{{Path: "x"}}})
	s.Stage.From[0].After = &promotion.Gate{Of: []*promotion.Stage{qa}, Need: 1, Soak: time.Hour}
	s.Records = [][]promotion.Record{nil, {r}}
	return s
}

func TestAPromotionOfFreightThatNobodyKnowsDoesNotStart(t *testing.T) {
	for _, c := range []promotion.Class{promotion.Automatic, promotion.Manual, promotion.Rollback} {
		s := inState(promotion.Queued)
		s.Promotions[0].Class, s.Freight = c, nil
		require.Equal(t, "", told(Decide(s, noon)), c)
		require.Equal(t, []string{"1: unknown api#1"}, whys(s), c)
	}
}

func TestWhatIsNotMergedEndsWithItsWarehouse(t *testing.T) { // Q18
	for state, want := range map[promotion.State]string{
		promotion.Queued:          "p1 cancelled because removed api",
		promotion.Running:         "p1 cancelled because removed api, close p1",
		promotion.WaitingForMerge: "p1 cancelled because removed api, close p1",
		promotion.Verifying:       "",
		promotion.Succeeded:       "",
	} {
		s := inState(state)
		s.Stage.From[0].Warehouse = "web"
		require.Equal(t, want, told(Decide(s, noon)), state)
	}
}

func TestADecisionWakesWhenASoakIsOver(t *testing.T) {
	for _, q := range []promotion.QueueMode{promotion.QueueLatest, promotion.QueueFIFO} {
		s := inState(promotion.Succeeded)
		waiting(s, 2, promotion.Manual)
		s.Promotions = s.Promotions[:1]
		s.Newest = s.Newest[:0]
		s.Stage.Queue = q
		behindQA(s, fresh)
		s.Records[1] = append(s.Records[1], fresher)
		d := Decide(s, noon)
		require.Equal(t, "", told(d))
		require.Equal(t, noon.Add(40*time.Minute), d.Wake, "the first of them, %s", q)
		s = behindQA(inState(promotion.Queued), fresh)
		require.Equal(t, noon.Add(40*time.Minute), Decide(s, noon).Wake, "also for what waits")
		require.Equal(t, noon.Add(40*time.Minute), Waits(s, noon)[0].Until)
	}
}

func TestADecisionWakesWhenAHoldIsOver(t *testing.T) {
	s := inState(promotion.WaitingForMerge)
	s.Holds = []promotion.Hold{{ID: 1, By: promotion.Actor{ID: 9, Login: "bob"}, At: noon, Until: noon.Add(time.Hour)}}
	for index := range 2 {
		s.Stage.Index = index
		d := Decide(s, noon)
		require.Equal(t, "", told(d))
		require.Equal(t, noon.Add(time.Hour), d.Wake)
	}
	require.Equal(t, noon.Add(time.Hour), Waits(s, noon)[0].Until)
	require.Equal(t, "merge p1", told(Decide(s, noon.Add(time.Hour))),
		"the first stage says that it is over, each one sees it")
	waiting(s, 2, promotion.Automatic)
	require.Zero(t, Waits(s, noon)[1].Until, "what goes behind another one waits for an event")
}

// TestAutomationOfOtherWarehousesWaitsBehindAFailure: people and repairs do not wait (Q4).
func TestAutomationOfOtherWarehousesWaitsBehindAFailure(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*promotion.Snapshot)
		want string
	}{
		"automation": {func(*promotion.Snapshot) {}, ""},
		"a person":   {func(s *promotion.Snapshot) { s.Promotions[1].Class = promotion.Manual }, "plan p2"},
		"the next goes on": {func(s *promotion.Snapshot) {
			s.Stage.OnFailedVerification = promotion.OnFailureContinue
		}, "plan p2"},
		"it is verified": {func(s *promotion.Snapshot) { s.Deployments[0].Verdict = promotion.Passed }, "plan p2"},
		"it has left":    {func(s *promotion.Snapshot) { s.Deployments[0].Left = noon }, "plan p2"},
	} {
		s := inState(promotion.VerificationFailed)
		s.Evidence, s.Deployments[0].JudgedBy = nil, bob
		s.Deployments[0].Verdict, s.Deployments[0].Judged = promotion.Bad, noon.Add(-time.Minute)
		web := promotion.NewFreight(&promotion.Warehouse{Name: "web", Repo: "acme/web"}, 7, "7777777", noon)
		s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
		s.Freight = append(s.Freight, web)
		s.Promotions = append(s.Promotions, promotion.Promotion{Number: 2, Place: 2, Stage: s.Stage.Name, Freight: web.Ref(),
			Class: promotion.Automatic, Automatic: true, State: promotion.Queued, Queued: noon})
		s.Newest = append(s.Newest, promotion.Mark{Warehouse: "web", Merged: web.Merged, Number: web.Number})
		s.Next, s.NextPlace = 3, 3
		c.set(s)
		require.Equal(t, c.want, told(Decide(s, noon)), name)
		repair := s.Promotions[1]
		repair.Repairs = true
		require.Empty(t, behindFailure(s, &repair).String(), "a repair brings nothing new")
	}
}
