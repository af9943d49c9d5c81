package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// says adds a command of ann, whose permission is known to be write.
func says(s *promotion.Snapshot, text string) *promotion.Snapshot {
	return saysAs(s, ann, promotion.Write, text)
}

func saysAs(s *promotion.Snapshot, who promotion.Actor, p promotion.Permission, text string) *promotion.Snapshot {
	c, _ := command.ParseCommand(text)
	_, c = command.Address(s.Pipeline, c)
	s.Requests = append(s.Requests,
		promotion.Request{ID: int64(len(s.Requests) + 5), Command: c, By: who, Permission: p, Surface: "#1", At: noon,
			Observed: noon})
	return s
}

// answers returns the answers in a decision, with reasons.
func answers(d promotion.Decision) []string {
	var all []string
	for _, e := range d.Effects {
		if e.Verb == promotion.Reply {
			all = append(all, e.Outcome+because(e.Reason))
		}
	}
	return all
}

func answer(s *promotion.Snapshot) string {
	if all := answers(Decide(s, noon)); len(all) == 1 {
		return all[0]
	}
	return "not one answer"
}

func letDecide(s *promotion.Snapshot) *promotion.Snapshot {
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{promotion.CmdVerdict: {{}},
		promotion.CmdAdmit: {{}}}
	return s
}

func TestACommandThatLacksSomethingIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"/promote":                       "refused because malformed",
		"/promote --all":                 "refused because unknown --all",
		"/rollback":                      "refused because malformed",
		"/cancel":                        "refused because malformed",
		"/unhold":                        "refused because malformed",
		"/promote ../../prod":            "refused because unknown ../../prod", // T10
		"/promote pr\u202eod":            "refused because unknown pr\u202eod", // T8
		"/promot dev":                    "refused because malformed",
		`/rollback dev to "api#1`:        "refused because malformed",
		"/promote dev api#1 now":         "refused because unknown api#1 now",
		"/rollback dev to api#1 or else": "refused because unknown api#1 or else",
		"/rollback dev to":               "refused because unknown to",
		"/approve dev looks good":        "refused because malformed",
		"/verdict dev pass":              "refused because malformed",
		`/verdict dev --because "x"`:     "refused because malformed",
		`/verdict dev ok --because "x"`:  "refused because malformed",
		"/admit api#1 dev":               "refused because malformed",
		"/verify dev api#1":              "refused because malformed",
		"/cancel dev please":             "already",
		"/hold whatever this is":         "done",
	} {
		require.Equal(t, want, answer(says(letDecide(inState(promotion.Succeeded)), text)), text)
	}
}

func TestAStageThatOnlyPassesFreightOnHasNothingToCommandButHolds(t *testing.T) {
	for text, want := range map[string]string{
		"/promote dev": "refused because no-change", "/rollback dev": "refused because no-change",
		"/cancel dev": "refused because no-change",
		"/verify dev": "refused because no-change", "/hold dev": "done", "/unhold dev": "already",
	} {
		s := inState(promotion.Succeeded)
		s.Promotions, s.Deployments, s.Stage.Targets[0].Changes, s.Stage.Delivery = nil, nil, nil, promotion.DeliveryNone
		require.Equal(t, want, answer(says(s, text)), text)
	}
}

func TestAVerbThatNobodyKnowsIsRefused(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{"dance": {{}}}
	s.Requests = []promotion.Request{{ID: 1, Command: promotion.Command{Verb: "dance", Stage: "dev"}, Surface: "#1",
		Permission: promotion.Admin}}
	require.Equal(t, "refused because unknown dance", answer(s))
}

func TestWhoMayNotIsRefused(t *testing.T) {
	s := saysAs(inState(promotion.WaitingForMerge), bob, promotion.Read, "/cancel dev")
	d := Decide(s, noon)
	require.Equal(t, []string{"refused because forbidden write"}, answers(d))
	require.Empty(t, d.Promotions)
}

func TestWhoIsLeftOutPromotesTheirFreightNeitherByNameNorWithout(t *testing.T) {
	for text, state := range map[string]promotion.State{"/promote dev": promotion.Queued,
		"/promote dev api#1": promotion.Queued, "/retry dev": promotion.Failed, "/retry dev api#1": promotion.Failed} {
		s := inState(state)
		if state == promotion.Queued {
			s.Promotions = nil
		}
		s.Stage.Policy.Automatic = false
		s.Freight[0].Author = bob
		s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{}
		for _, verb := range []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdRetry} {
			s.Pipeline.Policy.May[verb] = []promotion.Rule{{Permission: promotion.Write, Not: []string{"author"}}}
		}
		require.Equal(t, "refused because forbidden not author", answer(saysAs(s, bob, promotion.Write, text)), text)
		s.Requests = nil
		require.Equal(t, "done", answer(says(s, text)), text)
	}
}

func TestACommandWithoutSurfaceIsAnsweredByDoingIt(t *testing.T) {
	s := says(inState(promotion.Queued), "/hold dev")
	s.Requests[0].Surface = ""
	d := Decide(s, noon)
	require.Equal(t, "held", told(d))
	require.Equal(t, []promotion.Answer{{Request: 5, Outcome: promotion.Done, Rule: "default"}}, d.Answered)
}

func TestWhatIsAskedForTwiceIsDoneOnceAndTheSecondAnswerSaysWhich(t *testing.T) { // Q16
	s := inState(promotion.Failed)
	says(says(s, "/promote dev api#1"), "/promote dev api#1")
	d := Decide(s, noon)
	require.Equal(t, "p2 queued, reply done, reply already, plan p2", told(d))
	require.EqualValues(t, 2, d.Effects[0].Promotion)
	require.EqualValues(t, 2, d.Effects[1].Promotion)
	for state, want := range map[promotion.State]string{promotion.Running: "already",
		promotion.WaitingForMerge: "already", promotion.Verifying: "already"} {
		d := Decide(says(inState(state), "/promote dev"), noon)
		require.Equal(t, []string{want}, answers(d), state)
		require.EqualValues(t, 1, d.Effects[0].Promotion, state)
	}
}

func TestWhatAPersonMeansByNothing(t *testing.T) {
	s := inState(promotion.Succeeded)
	web := &promotion.Warehouse{Name: "web", Repo: "acme/web"}
	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
	s.Stage.Policy.Automatic = false
	older := promotion.NewFreight(web, 7, "7777777", noon.Add(-59*time.Minute))
	s.Freight = append([]promotion.Freight{s.Freight[0], freightNo(s.Pipeline, 5)}, older)
	promoted := func(text string, pull int, repo promotion.Repo) string {
		c := *s
		says(&c, text)
		c.Requests[0].Pull, c.Requests[0].PullRepo = pull, repo
		d := Decide(&c, noon)
		if len(d.Promotions) == 0 {
			return answers(d)[0]
		}
		return d.Promotions[0].Freight.Name
	}
	require.Equal(t, "api#5", promoted("/promote dev", 0, ""), "the newest of all warehouses")
	require.Equal(t, "web#7", promoted("/promote dev", 7, "acme/web"), "that of the pull request it stands on")
	require.Equal(t, "refused because no-freight acme/deploy#7", promoted("/promote dev", 7, "acme/deploy"),
		"number 7 of another repository is none")
	require.Equal(t, "web#7", promoted("/promote dev web#7", 0, ""))
	require.Equal(t, "web#7", promoted("/promote dev #7", 0, ""))
	require.Equal(t, "web#7", promoted("/promote dev 7777777", 0, ""))
	require.Equal(t, "refused because unknown 777777", promoted("/promote dev 777777", 0, ""), "too few letters")
	require.Equal(t, "refused because unknown api#9", promoted("/promote dev api#9", 5, "acme/deploy"))
	s.Freight[1].Merged = older.Merged.Add(-time.Second)
	require.Equal(t, "web#7", promoted("/promote dev", 0, ""))
}

func TestWithoutFreightThereIsNothingToPromote(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Promotions, s.Deployments, s.Freight = nil, nil, nil
	require.Equal(t, "refused because unknown freight", answer(says(s, "/promote dev")))
	require.Equal(t, "refused because unverified qa",
		answer(says(behindQA(inState(promotion.Failed), promotion.Record{}), "/promote dev api#1")))
}

func TestWhatIsHostedIsPromotedAgainOnlyWhenItIsBad(t *testing.T) {
	require.Equal(t, "already", answer(says(inState(promotion.Succeeded), "/promote dev")))
	require.Equal(t, "done", answer(says(inState(promotion.VerificationFailed), "/promote dev")))
}

func TestAskingForWhatWaitsAutomaticallyMakesItManual(t *testing.T) {
	d := Decide(says(inState(promotion.Queued), "/promote dev"), noon)
	require.Equal(t, "p1 manual, reply done, plan p1", told(d))
	require.Equal(t, promotion.Manual, d.Promotions[0].Class)
	require.True(t, d.Promotions[0].Automatic, "policy queued it once, and never will again")
	require.Equal(t, ann, d.Promotions[0].By)
}

func TestOlderFreightByHandSupersedesWhatWaitsAndPins(t *testing.T) { // Q12
	s := inState(promotion.Verifying)
	waiting(s, 2, promotion.Automatic)
	waiting(s, 3, promotion.Manual)
	waiting(s, 5, promotion.Automatic)
	s.Freight = append(s.Freight[:3], freightNo(s.Pipeline, 4), s.Freight[3])
	s.Stage.Queue = promotion.QueueFIFO
	d := Decide(says(s, "/promote dev api#4"), noon)
	require.Equal(t, "p4 superseded because asked ann, p5 queued, reply done", told(d), "what is older waits as before")
	require.True(t, d.Promotions[1].Pins)
	s = inState(promotion.Verifying)
	s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
	s.Stage.Policy.Automatic = false
	require.False(t, Decide(says(s, "/promote dev api#2"), noon).Promotions[0].Pins, "nothing newer waits")
}

func TestFreightOfAnotherWarehouseIsNotNewer(t *testing.T) { // Q12, Q15
	s := inState(promotion.Verifying)
	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
	waiting(s, 3, promotion.Automatic)
	s.Freight = append(s.Freight,
		promotion.NewFreight(&promotion.Warehouse{Name: "web"}, 2, "w2", noon.Add(-2*time.Hour)))
	s.Newest = append(s.Newest, promotion.Mark{Warehouse: "web", Merged: noon})
	d := Decide(says(s, "/promote dev web#2"), noon)
	require.Equal(t, "p3 queued, reply done", told(d))
	require.False(t, d.Promotions[0].Pins)
}

func TestWhichPromotionACancelMeans(t *testing.T) {
	const runs = "p1 cancelled because asked ann, close p1, reply done, plan p3"
	open := inState(promotion.WaitingForMerge)
	open.Pulls[0].Repo = "acme/deploy"
	waiting(open, 2, promotion.Automatic)
	waiting(open, 3, promotion.Manual)
	for _, c := range []struct {
		name string
		pull int
		want string
	}{
		{"the one that runs", 0, runs},
		{"that of the source pull request it stands on", 2, "p2 cancelled because asked ann, reply done, merge p1"},
		{"that of our pull request it stands on", 7, runs},
		{"the one that runs, on a pull request that has none", 8, runs},
	} {
		s := *open
		says(&s, "/cancel dev")
		s.Requests[0].Pull, s.Requests[0].PullRepo = c.pull, "acme/deploy"
		require.Equal(t, c.want, told(Decide(&s, noon)), c.name)
		s.Requests[0].PullRepo = "acme/other"
		require.Equal(t, runs, told(Decide(&s, noon)), "%s, in another repository", c.name)
	}
	require.Equal(t, "p1 cancelled because asked ann, close p1, reply done",
		told(Decide(says(inState(promotion.Running), "/cancel dev"), noon)))
	first := inState(promotion.Verifying)
	waiting(first, 2, promotion.Manual)
	require.Equal(t, "p2 cancelled because asked ann, reply done", told(Decide(says(first, "/cancel dev"), noon)))
	first = inState(promotion.Verifying)
	waiting(first, 2, promotion.Manual)
	waiting(first, 3, promotion.Automatic)
	require.Equal(t, "refused because which p2 api#2 p3 api#3", answer(says(first, "/cancel dev")))
	require.Equal(t, "already", answer(says(inState(promotion.Failed), "/cancel dev")))
	d := Decide(says(inState(promotion.Verifying), "/cancel dev"), noon)
	require.Equal(t, []string{"refused because merged 1"}, answers(d))
	require.Contains(t, say.Sentence(d.Effects[0].Reason), "merged already")
}

func TestOnACommentOfAMergedPromotionACancelMeansWhatWaits(t *testing.T) { // Q17
	s := inState(promotion.Verifying)
	waiting(s, 2, promotion.Automatic)
	says(s, "/cancel dev")
	s.Requests[0].Pull, s.Requests[0].PullRepo = 1, "acme/deploy"
	require.Equal(t, "p2 cancelled because asked ann, reply done", told(Decide(s, noon)))
}

func TestWhatARetryMeans(t *testing.T) {
	for _, state := range promotion.States {
		want := "refused because unknown failed promotion"
		if state == promotion.Failed || state == promotion.Declined || state == promotion.VerificationFailed {
			want = "done"
		}
		s := inState(state)
		require.Equal(t, want, answer(says(s, "/retry dev")), state)
		if want == "done" {
			d := Decide(s, noon)
			require.Equal(t, promotion.Number(1), d.Promotions[0].Cause)
			require.Equal(t, promotion.Manual, d.Promotions[0].Class)
			require.EqualValues(t, 2, d.Effects[0].Promotion)
		}
	}
}

func TestARetryMeansWhatFailedAndNotWhatItTookAlong(t *testing.T) { // Q4
	s := inState(promotion.VerificationFailed)
	waiting(s, 2, promotion.Automatic)
	s.Promotions[1].State, s.Promotions[1].Ended = promotion.Cancelled, noon
	require.Equal(t, "api#1", Decide(says(s, "/retry dev"), noon).Promotions[0].Freight.Name)
}

func TestARetryMeansTheLastUnlessItStandsOnAnother(t *testing.T) {
	s := inState(promotion.Failed)
	waiting(s, 2, promotion.Automatic)
	s.Promotions[1].State, s.Promotions[1].Ended = promotion.Failed, noon
	says(s, "/retry dev")
	require.Equal(t, "api#2", Decide(s, noon).Promotions[0].Freight.Name)
	s.Requests[0].Pull, s.Requests[0].PullRepo = 1, "acme/deploy"
	require.Equal(t, "api#1", Decide(s, noon).Promotions[0].Freight.Name)
}

func TestARetryOfWhatIsThereOrOnItsWayIsDoneAlready(t *testing.T) {
	s := inState(promotion.Failed)
	waiting(s, 1, promotion.Manual)
	d := Decide(says(s, "/retry dev"), noon)
	require.Equal(t, []string{"already"}, answers(d))
	require.EqualValues(t, 2, d.Effects[0].Promotion)
	s = inState(promotion.Failed)
	s.Deployments = inState(promotion.Succeeded).Deployments
	require.Equal(t, "already", answer(says(s, "/retry dev")), "it came another way")
}

func TestARetryNeedsWhatAPromotionNeeds(t *testing.T) {
	require.Equal(t, "refused because unverified qa",
		answer(says(behindQA(inState(promotion.Failed), promotion.Record{}), "/retry dev")))
	s := inState(promotion.Failed)
	s.Freight = nil
	require.Equal(t, "refused because unknown failed promotion", answer(says(s, "/retry dev")))
}

func TestARetryOfARollbackIsARollback(t *testing.T) {
	s := behindQA(inState(promotion.Failed), bad)
	s.Promotions[0].Class = promotion.Rollback
	d := Decide(says(s, "/retry dev"), noon)
	require.Equal(t, "p2 queued, reply done, plan p2", told(d))
	p := d.Promotions[0]
	require.Equal(t, promotion.Rollback, p.Class)
	require.True(t, p.Pins)
	require.Equal(t, promotion.Number(1), p.Cause)
	s.Holds = []promotion.Hold{{Stage: "dev", By: bob}}
	require.Equal(t, "refused because held bob", answer(s))
}

func TestAStrangerCannotHaveGitHubAsked(t *testing.T) { // T12
	s := inState(promotion.Succeeded)
	waiting(s, 2, promotion.Automatic)
	saysAs(s, bob, promotion.Read, "/verify dev")
	s.Requests[0].Observed = time.Time{}
	require.Equal(t, "reply refused, plan p2", told(Decide(s, noon)))
}

func TestVerifyingAgainGoesFirst(t *testing.T) { // Q13
	s := inState(promotion.Succeeded)
	waiting(s, 2, promotion.Automatic)
	says(says(s, "/verify dev"), "/promote dev api#2")
	s.Requests[0].Observed = time.Time{}
	d := Decide(s, noon)
	require.Equal(t, "observe p1", told(d))
	require.EqualValues(t, 5, d.Wanted[0].Request)
	require.Equal(t, []string{"2: waiting"}, whys(s))
	s.Requests[0].Observed = noon
	require.Equal(t, "p2 manual, reply done, reply done, plan p2", told(Decide(s, noon)))
	s.Requests[0].Observed, s.Deployments = time.Time{}, nil
	require.Equal(t, "p2 manual, reply refused, reply done, plan p2", told(Decide(s, noon)),
		"there is nothing to verify")
}

func TestWhatStopsSomethingDoesNotWaitForGitHub(t *testing.T) {
	for text, want := range map[string]string{
		"/hold dev":   "held, reply done, observe p1",
		"/cancel dev": "p2 cancelled because asked ann, close p2, reply done, observe p1",
		"/deny dev":   "p2 cancelled because asked ann, close p2, reply done, observe p1",
	} {
		s := inState(promotion.Succeeded)
		waiting(s, 2, promotion.Automatic)
		s.Promotions[1].State, s.Promotions[1].Rollout = promotion.WaitingForMerge, oneStep()
		says(says(s, "/verify dev"), text)
		s.Requests[0].Observed = time.Time{}
		require.Equal(t, want, told(Decide(s, noon)), text)
	}
}

func TestAPersonDecidesWhatNoCheckCould(t *testing.T) { // Q5
	for text, want := range map[string]string{
		`/verdict dev pass --because "seen"`: "p1 succeeded because decided ann, released, reply done",
		`/verdict dev fail --because "seen"`: "p1 verification-failed because decided ann, released, tell " +
			"verification-failed, reply done",
	} {
		s := letDecide(inState(promotion.Verifying))
		hear(s, smokeRun(1, "cancelled"))
		s = apply(s, Decide(s, noon))
		d := Decide(says(s, text), noon)
		require.Equal(t, want, told(d), text)
		require.Equal(t, ann, d.Deployments[0].JudgedBy)
		require.Equal(t, "seen", d.Promotions[0].Reason.Detail)
	}
	s := letDecide(inState(promotion.Succeeded))
	d := Decide(says(s, `/verdict dev fail --because "seen"`), noon)
	require.Equal(t, "reply done", told(d), "what has ended has ended")
	require.Equal(t, promotion.Bad, d.Deployments[0].Verdict)
	s = letDecide(inState(promotion.Queued))
	require.Equal(t, "refused because unknown freight", answer(says(s, `/verdict dev fail --because "seen"`)))
}

func TestWhoSignsOffSignsWhatIsShown(t *testing.T) { // semantics 4.4, T1
	for _, c := range []struct {
		name string
		set  func(*promotion.Snapshot)
		want string
	}{
		{"an open pull request", func(*promotion.Snapshot) {}, "done"},
		{"one that the same person has signed off", func(s *promotion.Snapshot) { signOff(s, "h1") }, "already"},
		// T14
		{"one that they have signed off by another name",
			func(s *promotion.Snapshot) { signOff(s, "h1"); s.Approvals[0].By.Login = "ann-old" }, "already"},
		{"one that somebody else has signed off",
			func(s *promotion.Snapshot) { signOff(s, "h1"); s.Approvals[0].By = bob }, "done"},
		{"one that they have signed off as it was before", func(s *promotion.Snapshot) { signOff(s, "h0") }, "done"},
		{"one that somebody has pushed to", func(s *promotion.Snapshot) { s.Pulls[0].HeadSHA = "x" },
			"refused because plan-changed pushed"},
		{"one that goes to another branch", func(s *promotion.Snapshot) { s.Pulls[0].Base = "side" },
			"refused because plan-changed retargeted main"},
		{"one that is being made anew", func(s *promotion.Snapshot) { s.Attempts[0].Plan.Round = 2 },
			"refused because plan-changed"},
		{"one that is not there", func(s *promotion.Snapshot) { s.Pulls = nil }, "refused because plan-changed"},
	} {
		s := inState(promotion.WaitingForMerge)
		c.set(s)
		require.Equal(t, c.want, answer(says(s, "/approve dev")), c.name)
	}
	for _, state := range []promotion.State{promotion.Queued, promotion.Running, promotion.Verifying,
		promotion.Succeeded} {
		require.Equal(t, "refused because unknown open promotion", answer(says(inState(state), "/approve dev")), state)
	}
	s := inState(promotion.WaitingForMerge)
	signOff(s, "h1")
	shown := s.Approvals[0].Plan
	a := Decide(says(inState(promotion.WaitingForMerge), "/approve dev"), noon).Approvals[0]
	require.Equal(t, promotion.Approval{ID: 1, Stage: "dev", Freight: freightNo(devPipeline(), 1).ID,
		Kind: promotion.SignOff, By: ann, Plan: shown,
		At: noon, Expires: noon.Add(24 * time.Hour), Entitled: true}, a)
}

func TestWhoDeniesEndsWhatIsNotMerged(t *testing.T) {
	for state, want := range map[promotion.State]string{
		promotion.Queued: "refused because unknown open promotion", promotion.Running: "done",
		promotion.WaitingForMerge: "done",
		promotion.Verifying:       "refused because unknown open promotion",
		promotion.Succeeded:       "refused because unknown open promotion",
	} {
		require.Equal(t, want, answer(says(inState(state), "/deny dev not today")), state)
	}
}

func TestWhoAdmitsMakesAvailable(t *testing.T) { // A10
	s := letDecide(behindQA(inState(promotion.Failed), bad))
	s.Stage.Policy.Automatic = false
	d := Decide(says(s, `/admit api#1 dev --because "hot fix"`), noon)
	require.Equal(t, "available, reply done", told(d))
	require.Equal(t, "hot fix", d.Approvals[0].Text)
	require.Equal(t, "api#1", d.Log[0].Freight)
	s = apply(s, d)
	s.Requests = nil
	require.Equal(t, "already", answer(says(s, `/admit api#1 dev --because "hot fix"`)))
	require.Equal(t, noon.Add(24*time.Hour), Decide(apply(s, d), noon).Wake)
	s.Requests = nil
	d = Decide(s, noon.Add(24*time.Hour))
	require.Equal(t, "revoked", told(d))
	require.Equal(t, noon.Add(24*time.Hour), d.Approvals[0].Revoked)
	require.True(t, Decide(apply(s, d), noon.Add(24*time.Hour)).Nothing())
	require.Equal(t, "refused because unknown api#9",
		answer(says(letDecide(inState(promotion.Failed)), `/admit api#9 dev --because "hot fix"`)))
}

func TestAnAdmissionIsToAStageThatTakesTheFreight(t *testing.T) { // A10
	s := letDecide(inState(promotion.Failed))
	s.Stage.From[0].Warehouse = "web"
	require.Equal(t, "refused because unknown api#1", answer(says(s, `/admit api#1 dev --because "hot fix"`)))
}

func TestWhatIsAdmittedIsAvailableAtOnce(t *testing.T) {
	s := letDecide(behindQA(inState(promotion.Failed), promotion.Record{}))
	s.Promotions, s.Newest = nil, nil
	says(says(s, `/admit api#1 dev --because "hot fix"`), "/hold --all")
	d := Decide(s, noon)
	require.Equal(t, "available, held, p2 queued, reply done, reply done", told(d))
	require.Equal(t, noon.Add(24*time.Hour), d.Wake)
	require.EqualValues(t, 1, d.Approvals[0].ID)
	require.EqualValues(t, 2, d.Holds[0].ID)
}

func TestWhatTwoPeopleDoAtOnceHasTwoIDs(t *testing.T) {
	s := letDecide(says(says(inState(promotion.Succeeded), "/hold dev"), "/hold --all"))
	d := Decide(s, noon)
	require.EqualValues(t, 1, d.Holds[0].ID)
	require.EqualValues(t, 2, d.Holds[1].ID)
	s = letDecide(behindQA(inState(promotion.Failed), promotion.Record{}))
	s.Stage.Policy.Automatic = false
	s.Freight, s.Records[1] = append(s.Freight, freightNo(s.Pipeline, 2)), append(s.Records[1], promotion.Record{})
	d = Decide(says(says(s, `/admit api#1 dev --because x`), `/admit api#2 dev --because x`), noon)
	require.EqualValues(t, 1, d.Approvals[0].ID)
	require.EqualValues(t, 2, d.Approvals[1].ID)
}

func TestWhatIsAskedForAsItBecomesAvailableIsQueuedOnce(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Freight = append(s.Freight, freightNo(s.Pipeline, 2))
	require.Equal(t, "p2 queued, reply done, plan p2", told(Decide(says(s, "/promote dev api#2"), noon)))
}

func TestVerifyingAgainForgetsThePersonWhoDecided(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Deployments[0].JudgedBy = bob
	d := Decide(says(s, "/verify dev"), noon)
	require.Len(t, d.Deployments, 1)
	require.True(t, d.Deployments[0].JudgedBy.Bot())
	require.Equal(t, promotion.Passed, d.Deployments[0].Verdict)
}

// TestAButtonCountsAsLongAsWhatItShowedIsSo (T28): a press is refused once the plan has changed. A hold counts anyway.
func TestAButtonCountsAsLongAsWhatItShowedIsSo(t *testing.T) {
	press := func(verb promotion.CommandVerb, seen string) string {
		s := inState(promotion.WaitingForMerge)
		s.Requests = []promotion.Request{{ID: 5, Command: promotion.Command{Verb: verb, Stage: "dev", Seen: seen},
			By: ann, Surface: "slack", Permission: promotion.Maintain}}
		return answer(s)
	}
	require.Equal(t, "done", press(promotion.CmdCancel, "1.h1"))
	require.Equal(t, "refused because plan-changed", press(promotion.CmdCancel, "1.h0"))
	require.Equal(t, "refused because plan-changed", press(promotion.CmdCancel, "0.h1"))
	require.Equal(t, "done", press(promotion.CmdHold, "1.h0"))
}

// TestARetryBelowOtherFreightSaysWhatFailed: below a pull request a retry is about that (3.4).
func TestARetryBelowOtherFreightSaysWhatFailed(t *testing.T) {
	s := inState(promotion.Failed)
	ask(promotion.Command{Verb: promotion.CmdRetry, Stage: "dev"})(s)
	s.Requests[0].PullRepo, s.Requests[0].Pull = "acme/api", 77
	for _, e := range Decide(s, noon).Effects {
		if e.Verb == promotion.Reply {
			require.Equal(t, "there is no failed promotion here: what failed last is api#1: /retry dev api#1",
				say.Sentence(e.Reason))
			return
		}
	}
	t.Fatal("it is not answered")
}
