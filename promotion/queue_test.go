package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waiting adds a queued promotion of api#n to a snapshot.
func waiting(s *Snapshot, n int, c Class) {
	f := freightNo(s.Pipeline, n)
	if s.freight(f.ID) < 0 {
		s.Freight = append(s.Freight, f)
	}
	s.Promotions = append(s.Promotions, Promotion{Number: s.Next, Stage: s.Stage.Name, Warehouse: "api", Freight: f.ID, FreightName: f.Name,
		Class: c, Automatic: c == Automatic, State: Queued})
	s.Attempts = append(s.Attempts, Attempt{Promotion: s.Next})
	s.Next++
	if s.mark("api").before(&f) {
		s.Newest = []Mark{{Warehouse: "api", Merged: f.Merged, Number: f.Number}}
	}
}

// behind returns what the open promotions of a snapshot wait for.
func whys(s *Snapshot) []string {
	var all []string
	for _, at := range Waits(s, noon) {
		all = append(all, at.Promotion.Number.String()+": "+at.Reason.String())
	}
	return all
}

func TestTheQueueGoesByClassThenByNumber(t *testing.T) {
	s := inState(Succeeded)
	s.Stage.Queue = QueueFIFO
	for n, c := range []Class{Automatic, Manual, Automatic, Manual, Rollback} {
		waiting(s, n+2, c)
	}
	require.Equal(t, "plan p6", told(Decide(s, noon)))
	require.Equal(t, []string{"2: behind 6", "3: behind 6", "4: behind 6", "5: behind 6", "6: "}, whys(s))
	s.Promotions = s.Promotions[:5]
	require.Equal(t, "plan p3", told(Decide(s, noon)))
	s.Promotions[2].Class, s.Promotions[4].Class = Automatic, Automatic
	require.Equal(t, "plan p2", told(Decide(s, noon)))
}

func TestWhatMayNotStartLetsOthersPass(t *testing.T) {
	s := inState(Succeeded)
	waiting(s, 2, Manual)
	waiting(s, 3, Manual)
	dev, qa := s.Stage, &Stage{Name: "qa", Index: 1, Changes: []Change{{Path: "x"}}}
	dev.From[0].After = &Gate{Of: []*Stage{qa}, Need: 1}
	s.Records = [][]Record{nil, {{}, {}, {Verdict: Passed, Since: noon}}}
	require.Equal(t, "plan p3", told(Decide(s, noon)))
	require.Equal(t, []string{"2: unverified qa", "3: "}, whys(s))
}

func TestAPlanIsUsedWhileItIsFresh(t *testing.T) {
	s := inState(Queued)
	s.Attempts[0].Plan = &Plan{Round: 3, Base: "b0", At: noon.Add(-time.Minute).Add(time.Nanosecond), Paths: []string{"dev.yaml"}}
	require.Equal(t, "p1 running, open p1", told(Decide(s, noon)))
	s.Attempts[0].Plan.At = noon.Add(-time.Minute)
	d := Decide(s, noon)
	require.Equal(t, "plan p1", told(d))
	require.EqualValues(t, 4, d.Wanted[0].Round)
}

func TestNewerFreightSupersedesWhatWaitsAutomatically(t *testing.T) { // Q9
	s := inState(Verifying)
	waiting(s, 2, Automatic)
	waiting(s, 3, Manual)
	s.Freight = append(s.Freight, freightNo(s.Pipeline, 4), freightNo(s.Pipeline, 5))
	require.Equal(t, "p2 superseded because newer api#5, p4 queued", told(Decide(s, noon)))
}

func TestFreightOfAnotherWarehouseSupersedesNothing(t *testing.T) { // Q15
	s := inState(Verifying)
	waiting(s, 2, Automatic)
	web := &Warehouse{Name: "web"}
	s.Pipeline.Warehouses = append(s.Pipeline.Warehouses, web)
	s.Stage.From = append(s.Stage.From, Source{Warehouse: "web"})
	s.Freight = append(s.Freight, NewFreight(web, 9, "w9", noon))
	require.Equal(t, "p3 queued", told(Decide(s, noon)))
}

func TestAnOpenPromotionIsSupersededOnlyWhenAPersonIsToMergeItAndNobodyHasSigned(t *testing.T) { // Q9
	for _, c := range []struct {
		name  string
		state State
		set   func(*Snapshot)
		want  string
	}{
		{"waiting for a person", WaitingForMerge, func(*Snapshot) {}, "p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"being opened for a person", Running, func(*Snapshot) {}, "p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"merged by Waybill", WaitingForMerge, func(s *Snapshot) { s.Stage.Merge = MergeAuto }, "p2 queued, merge p1"},
		{"asked for by a person", WaitingForMerge, func(s *Snapshot) { s.Promotions[0].Class = Manual }, "p2 queued"},
		{"signed off", WaitingForMerge, func(s *Snapshot) { signOff(s, "h1") }, "p2 queued"},
		{"signed off, but the plan has changed", WaitingForMerge, func(s *Snapshot) { signOff(s, "h0") }, "p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"admitted", WaitingForMerge, func(s *Snapshot) { signOff(s, "h1"); s.Approvals[0].Kind = Admission },
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"of which the same was signed off for other freight", WaitingForMerge, func(s *Snapshot) { signOff(s, "h1"); s.Approvals[0].Freight = "x" },
			"p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
		{"merged", Verifying, func(*Snapshot) {}, "p2 queued"},
		{"of freight that has failed upstream", WaitingForMerge, func(s *Snapshot) {
			s.Stage.Merge = MergeAuto
			behindQA(s, bad)
			s.Records[1] = append(s.Records[1], soaked)
		}, "p1 superseded because newer api#2, p2 queued, close p1, plan p2"},
	} {
		s := inState(c.state)
		s.Stage.Merge = MergeManual
		c.set(s)
		s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
		require.Equal(t, c.want, told(Decide(s, noon)), c.name)
	}
}

// signOff has ann sign off the pull request of the first promotion, when it would write these contents.
func signOff(s *Snapshot, contents string) {
	shown := *s
	shown.Attempts = []Attempt{{Promotion: s.Promotions[0].Number, HeadSHA: s.attempt(s.Promotions[0].Number).HeadSHA, Plan: &Plan{Hash: contents}}}
	plan := (&work{Snapshot: shown}).visible(&s.Promotions[0])
	s.Approvals = []Approval{{Kind: SignOff, Freight: s.Freight[0].ID, Plan: plan, By: Actor{ID: 3, Login: "ann"}, Entitled: true, Expires: noon.Add(time.Hour)}}
}

func TestInFIFOEveryNewerFreightIsQueuedOldestFirst(t *testing.T) { // Q10
	s := inState(Verifying)
	s.Stage.Queue = QueueFIFO
	late := freightNo(s.Pipeline, 0) // found by a resync: older than what was promoted
	s.Freight = append([]Freight{late}, append(s.Freight, freightNo(s.Pipeline, 2), freightNo(s.Pipeline, 3))...)
	d := Decide(s, noon)
	require.Equal(t, "p2 queued, p3 queued", told(d))
	require.Equal(t, "api#2", d.Promotions[0].FreightName)
}

func TestLateFreightTakesItsTruePlaceAndIsNotPromoted(t *testing.T) {
	s := inState(Succeeded)
	s.Freight = append([]Freight{freightNo(s.Pipeline, 0)}, s.Freight...)
	require.True(t, Decide(s, noon).Nothing())
	require.Equal(t, PlaceSkipped, Why(s, s.Freight[0].ID, noon).Place)
}

func TestNothingComesBackByItself(t *testing.T) {
	for _, state := range States {
		if state.Ended() {
			require.NotContains(t, told(Decide(inState(state), noon)), "queued", state)
		}
	}
}

func TestAStageThatPolicyDoesNotLetPromotesNothingByItself(t *testing.T) {
	s := inState(Succeeded)
	s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
	s.Stage.Automatic = false
	require.True(t, Decide(s, noon).Nothing())
	s.Stage.Automatic, s.Stage.Changes = true, nil
	require.True(t, Decide(s, noon).Nothing(), "nor does one that only passes freight on")
}

func TestWhatWaitsAutomaticallyStopsWhenPolicyTakesTheRightAway(t *testing.T) {
	s := inState(Queued)
	s.Stage.Automatic = false
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, []string{"1: forbidden automatic"}, whys(s))
	s.Promotions[0].Class = Manual
	require.Equal(t, "plan p1", told(Decide(s, noon)))
}

func TestAutomationDoesNotGoBackBehindWhatAPersonPromoted(t *testing.T) {
	s := inState(Succeeded)
	s.Stage.Queue = QueueFIFO
	waiting(s, 2, Automatic)
	waiting(s, 3, Manual)
	s.Promotions[2].State, s.Promotions[2].Merged, s.Promotions[2].MergeSHA = Verifying, noon, "m3"
	s.Stays[0].Left = noon
	s.Stays = append(s.Stays, Stay{Promotion: 3, Stage: "dev", Warehouse: "api", Freight: s.Freight[2].ID, Entered: noon, Commit: "m3"})
	require.Equal(t, "p2 superseded because newer api#3", told(Decide(s, noon)))
	freight := s.Freight
	s.Freight = freight[2:]
	require.Equal(t, "", told(Decide(s, noon)), "nobody knows what waits")
	s.Freight = freight[:2]
	require.Equal(t, "", told(Decide(s, noon)), "nobody knows what is hosted")
	s.Freight, s.Promotions[1].Class = freight, Manual
	require.Equal(t, "", told(Decide(s, noon)), "a person may")
}

func TestWhatWaitsForFreightThatFailedUpstreamIsCancelled(t *testing.T) { // A14
	for class, want := range map[Class]string{
		Automatic: "p1 cancelled because failed qa e2e",
		Manual:    "p1 cancelled because failed qa e2e",
		Rollback:  "plan p1",
	} {
		s := behindQA(inState(Queued), bad)
		s.Promotions[0].Class = class
		require.Equal(t, want, told(Decide(s, noon)), class)
	}
	require.Equal(t, "", told(Decide(behindQA(inState(Queued), Record{}), noon)), "what is not verified yet waits")
}

func TestWhatFailedUpstreamIsNotMerged(t *testing.T) { // A14: what is merged stays, what is not is not
	s := behindQA(inState(WaitingForMerge), bad)
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, []string{"1: failed qa e2e"}, whys(s))
	s.Promotions[0].Class = Rollback
	require.Equal(t, "merge p1", told(Decide(s, noon)))
	require.Equal(t, "merge p1", told(Decide(behindQA(inState(WaitingForMerge), Record{}), noon)))
}

// behindQA puts dev behind a stage qa, which knows of the first freight what the record says.
func behindQA(s *Snapshot, r Record) *Snapshot {
	qa := &Stage{Name: "qa", Index: 1, Changes: []Change{{Path: "x"}}}
	s.Stage.From[0].After = &Gate{Of: []*Stage{qa}, Need: 1, Soak: time.Hour}
	s.Records = [][]Record{nil, {r}}
	return s
}

func TestAPromotionOfFreightThatNobodyKnowsDoesNotStart(t *testing.T) {
	for _, c := range []Class{Automatic, Manual, Rollback} {
		s := inState(Queued)
		s.Promotions[0].Class, s.Freight = c, nil
		require.Equal(t, "", told(Decide(s, noon)), c)
		require.Equal(t, []string{"1: unknown api#1"}, whys(s), c)
	}
}

func TestWhatIsNotMergedEndsWithItsWarehouse(t *testing.T) { // Q18
	for state, want := range map[State]string{
		Queued:          "p1 cancelled because removed api",
		Running:         "p1 cancelled because removed api, close p1",
		WaitingForMerge: "p1 cancelled because removed api, close p1",
		Verifying:       "",
		Succeeded:       "",
	} {
		s := inState(state)
		s.Stage.From[0].Warehouse = "web"
		require.Equal(t, want, told(Decide(s, noon)), state)
	}
}

func TestADecisionWakesWhenASoakIsOver(t *testing.T) {
	for _, q := range []QueueMode{QueueLatest, QueueFIFO} {
		s := inState(Succeeded)
		waiting(s, 2, Manual)
		s.Promotions = s.Promotions[:1]
		s.Newest = s.Newest[:0]
		s.Stage.Queue = q
		behindQA(s, fresh)
		s.Records[1] = append(s.Records[1], fresher)
		d := Decide(s, noon)
		require.Equal(t, "", told(d))
		require.Equal(t, noon.Add(40*time.Minute), d.Wake, "the first of them, %s", q)
		s = behindQA(inState(Queued), fresh)
		require.Equal(t, noon.Add(40*time.Minute), Decide(s, noon).Wake, "also for what waits")
		require.Equal(t, noon.Add(40*time.Minute), Waits(s, noon)[0].Until)
	}
}

func TestADecisionWakesWhenAHoldIsOver(t *testing.T) {
	s := inState(WaitingForMerge)
	s.Holds = []Hold{{ID: 1, By: Actor{ID: 9, Login: "bob"}, At: noon, Until: noon.Add(time.Hour)}}
	for index := range 2 {
		s.Stage.Index = index
		d := Decide(s, noon)
		require.Equal(t, "", told(d))
		require.Equal(t, noon.Add(time.Hour), d.Wake)
	}
	require.Equal(t, noon.Add(time.Hour), Waits(s, noon)[0].Until)
	require.Equal(t, "merge p1", told(Decide(s, noon.Add(time.Hour))), "the first stage says that it is over, each one sees it")
	waiting(s, 2, Automatic)
	require.Zero(t, Waits(s, noon)[1].Until, "what goes behind another one waits for an event")
}
