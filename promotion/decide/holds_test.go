package decide

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func held(s *promotion.Snapshot, holds ...promotion.Hold) *promotion.Snapshot {
	for i := range holds {
		holds[i].ID = int64(i + 1)
	}
	s.Holds, s.NextID = holds, int64(len(holds)+1)
	return s
}

func TestAHoldStopsStartsAndMerges(t *testing.T) { // semantics 4.1
	for _, c := range []struct {
		name string
		hold promotion.Hold
		want bool
	}{
		{"a person's", promotion.Hold{Stage: "dev", By: bob}, true},
		{"the bot's", promotion.Hold{Stage: "dev"}, true},
		{"one of the whole pipeline", promotion.Hold{By: bob}, true},
		{"one of another stage", promotion.Hold{Stage: "prod", By: bob}, false},
		{"one that has not expired", promotion.Hold{Stage: "dev", By: bob, Until: noon.Add(time.Nanosecond)}, true},
		{"one that has expired", promotion.Hold{Stage: "prod", By: bob, Until: noon}, false},
		{"one that was lifted", promotion.Hold{Stage: "dev", By: bob, Lifted: noon}, false},
	} {
		require.Equal(t, c.want, told(Decide(held(inState(promotion.WaitingForMerge), c.hold), noon)) == "", c.name)
		require.Equal(t, c.want, told(Decide(held(inState(promotion.Queued), c.hold), noon)) == "", c.name)
		require.Equal(t, "open p1", told(Decide(held(inState(promotion.Running), c.hold), noon)),
			"what has started goes on until its merge")
	}
}

func TestARollbackPassesTheBotsHoldButNotAPersons(t *testing.T) { // Q11
	for _, c := range []struct {
		holds []promotion.Hold
		want  string
	}{
		{[]promotion.Hold{{Stage: "dev"}}, ""},
		{[]promotion.Hold{{Stage: "dev", By: bob}}, "held bob"},
		{[]promotion.Hold{{Stage: "dev"}, {Stage: "dev", By: bob}}, "held bob"},
		{[]promotion.Hold{{Stage: "dev", By: bob}, {Stage: "dev"}}, "held bob"},
		{[]promotion.Hold{{Stage: "dev", By: bob}, {By: ann}}, "held bob"},
	} {
		s := held(inState(promotion.WaitingForMerge), c.holds...)
		s.Promotions[0].Class = promotion.Rollback
		require.Equal(t, c.want, Waits(s, noon)[0].Reason.String())
		s.Promotions[0].Class = promotion.Manual
		require.NotEmpty(t, Waits(s, noon)[0].Reason.String())
	}
}

func TestAHoldExpiresOnTheClockOfTheServer(t *testing.T) {
	s := held(inState(promotion.Queued), promotion.Hold{Stage: "dev", By: bob, Until: noon.Add(time.Hour)})
	require.Equal(t, noon.Add(time.Hour), Decide(s, noon).Wake)
	require.Equal(t, "", told(Decide(s, noon.Add(time.Hour-1))))
	require.Equal(t, noon.Add(time.Hour), Decide(held(inState(promotion.Succeeded), s.Holds...), noon).Wake,
		"also when nothing waits")
	d := Decide(s, noon.Add(time.Hour))
	require.Equal(t, "released, plan p1", told(d))
	require.Equal(t, noon.Add(time.Hour), d.Holds[0].Lifted)
	require.True(t, d.Holds[0].LiftedBy.Bot())
	require.True(t, d.Ripples)
}

func TestTheFirstStageLooksAfterTheHoldsOfThePipeline(t *testing.T) {
	s := held(inState(promotion.Succeeded), promotion.Hold{By: bob, Until: noon})
	require.Equal(t, "released", told(Decide(s, noon)))
	s.Stage.Index = 1
	require.True(t, Decide(s, noon).Nothing())
	s.Holds[0].Stage = "prod"
	s.Stage.Index = 0
	require.True(t, Decide(s, noon).Nothing(), "nor does it look after those of others")
}

func TestAStageIsReleasedWhenNothingHoldsItAnyMore(t *testing.T) {
	s := held(inState(promotion.Succeeded), promotion.Hold{Stage: "dev", By: bob, Until: noon},
		promotion.Hold{Stage: "dev", By: ann})
	require.Equal(t, "", told(Decide(s, noon)))
	s.Holds[1] = promotion.Hold{ID: 2, By: ann}
	require.Equal(t, "", told(Decide(s, noon)))
	s.Holds[1].Stage = "prod"
	require.Equal(t, "released", told(Decide(s, noon)))
}

func TestHoldingTwice(t *testing.T) {
	for _, c := range []struct {
		name string
		hold promotion.Hold
		text string
		want string
	}{
		{"for ever, for ever", promotion.Hold{Stage: "dev", By: ann}, "/hold dev", "already because held ann"},
		{"for ever, for an hour", promotion.Hold{Stage: "dev", By: ann}, "/hold dev --for 1h",
			"already because held ann"},
		{"for an hour, for as long", promotion.Hold{Stage: "dev", By: ann, Until: noon.Add(time.Hour)},
			"/hold dev --for 1h", "already because held ann"},
		{"for an hour, for longer", promotion.Hold{Stage: "dev", By: ann, Until: noon.Add(time.Hour)},
			"/hold dev --for 61m", "done"},
		{"for an hour, for ever", promotion.Hold{Stage: "dev", By: ann, Until: noon.Add(time.Hour)}, "/hold dev",
			"done"},
		{"by somebody else", promotion.Hold{Stage: "dev", By: bob}, "/hold dev", "done"},
		{"by the bot, by a person", promotion.Hold{Stage: "dev"}, "/hold dev", "done"},
		{"everything, a stage", promotion.Hold{By: ann}, "/hold dev", "done"},
		{"a stage, everything", promotion.Hold{Stage: "dev", By: ann}, "/hold --all", "done"},
		{"until now", promotion.Hold{Stage: "prod", By: ann, Until: noon}, "/hold dev", "done"},
	} {
		require.Equal(t, c.want, answer(says(held(inState(promotion.Succeeded), c.hold), c.text)), c.name)
	}
}

func TestAHoldSaysWhoseItIs(t *testing.T) {
	d := Decide(says(inState(promotion.Succeeded), "/hold dev --for 2h the database is slow"), noon)
	require.Equal(t, []promotion.Hold{{ID: 1, Stage: "dev", By: ann, Reason: promotion.Because(promotion.Asked, "ann"),
		Text: "the database is slow",
		At:   noon, Until: noon.Add(2 * time.Hour)}}, d.Holds)
	require.Equal(t, noon.Add(2*time.Hour), d.Wake)
	require.True(t, d.Ripples)
}

func TestWhoLiftsAHold(t *testing.T) { // semantics 4.2, T32
	for _, c := range []struct {
		name string
		who  promotion.Actor
		has  promotion.Permission
		hold promotion.Hold
		want string
	}{
		{"its owner", bob, promotion.Write, promotion.Hold{Stage: "dev", By: bob}, "done"},
		{"its owner by another name", promotion.Actor{ID: bob.ID, Login: "rob"}, promotion.Write,
			promotion.Hold{Stage: "dev", By: bob}, "done"},
		{"not somebody who has the owner's old name", promotion.Actor{ID: 77, Login: "bob"}, promotion.Write,
			promotion.Hold{Stage: "dev", By: bob}, "refused because held bob"},
		{"not somebody else", ann, promotion.Write, promotion.Hold{Stage: "dev", By: bob}, "refused because held bob"},
		{"a maintainer", ann, promotion.Maintain, promotion.Hold{Stage: "dev", By: bob}, "done"},
		{"anybody who may, the bot's", ann, promotion.Write, promotion.Hold{Stage: "dev"}, "done"},
		{"not the pipeline's with a stage's", bob, promotion.Write, promotion.Hold{By: bob},
			"refused because held bob"},
		{"nobody, one that has expired", ann, promotion.Write, promotion.Hold{Stage: "prod", By: bob, Until: noon},
			"already"},
	} {
		require.Equal(t, c.want,
			answer(saysAs(held(inState(promotion.Succeeded), c.hold), c.who, c.has, "/unhold dev")), c.name)
	}
	s := saysAs(held(inState(promotion.Succeeded), promotion.Hold{Stage: "dev", By: bob}), ann, promotion.Write,
		"/unhold dev")
	s.Pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdUnhold: {{Permission: promotion.Write}},
	}
	require.Equal(t, "done", answer(s), "the policy file says who may")
}

func TestWhoLiftsAHoldLiftsNoOther(t *testing.T) {
	s := held(inState(promotion.Succeeded), promotion.Hold{Stage: "dev", By: bob},
		promotion.Hold{Stage: "prod", By: bob}, promotion.Hold{By: bob},
		promotion.Hold{Stage: "dev", By: bob, Until: noon.Add(-1)})
	d := Decide(saysAs(s, bob, promotion.Write, "/unhold dev"), noon)
	require.Equal(t, []string{"done"}, answers(d))
	var lifted []int64
	for _, h := range d.Holds {
		lifted = append(lifted, h.ID)
	}
	require.Equal(t, []int64{4, 1}, lifted, "the last had expired before")
}

func TestWhoLiftsAHoldLeavesThoseOfOthers(t *testing.T) { // semantics 4.2
	s := saysAs(held(inState(promotion.Queued), promotion.Hold{Stage: "dev", By: ann}, promotion.Hold{Stage: "dev"},
		promotion.Hold{Stage: "dev", By: bob}), bob, promotion.Write, "/unhold dev")
	d := Decide(s, noon)
	require.Equal(t, "reply done", told(d))
	require.Len(t, d.Holds, 2)
	for _, h := range d.Holds {
		require.NotEqual(t, ann, h.By)
		require.Equal(t, bob, h.LiftedBy)
	}
	s.Requests[0].Permission = promotion.Maintain
	d = Decide(s, noon)
	require.Equal(t, "released, reply done, plan p1", told(d))
	require.Len(t, d.Holds, 3)
}

func TestAVerdictLiftsOnlyTheHoldThatItsLackMade(t *testing.T) { // Q5
	s := inState(promotion.Verifying)
	hear(s, smokeRun(1, "cancelled"))
	s = apply(s, Decide(s, noon))
	hear(s, smokeRun(1, "cancelled"), smokeRun(2, "success"))
	require.Equal(t, "p1 succeeded, released", told(Decide(s, noon)))
	inconclusive := s.Holds[0]
	for name, other := range map[string]promotion.Hold{
		"of another promotion": {ID: 1, Stage: "dev", Promotion: 9, Reason: inconclusive.Reason},
		"of a person":          {ID: 1, Stage: "dev", Promotion: 1, Reason: inconclusive.Reason, By: bob},
		"for another reason":   {ID: 1, Stage: "dev", Promotion: 1, Reason: promotion.Because(promotion.Asked, "bob")},
	} {
		s.Holds = []promotion.Hold{other}
		require.Equal(t, "p1 succeeded", told(Decide(s, noon)), name)
	}
	inconclusive.Reason = promotion.Because(promotion.Missing, "smoke")
	s.Holds = []promotion.Hold{inconclusive}
	require.Equal(t, "p1 succeeded, released", told(Decide(s, noon)))
}

func TestAHoldThatIsThereAlreadySaysUntilWhen(t *testing.T) {
	h := promotion.Hold{By: bob}
	require.Equal(t, "without end; for a shorter hold, lift it first", alreadyHeld(&h).Detail)
	h.Until = noon.Add(time.Hour)
	require.Equal(t, "until 2026-01-01 13:00 UTC", alreadyHeld(&h).Detail)
}

// TestHoldingAgainForLongerLeavesOneHold has one person hold a stage again and again, each time for longer, while
// somebody else holds it, too.
func TestHoldingAgainForLongerLeavesOneHold(t *testing.T) { // semantics 4.2
	s := held(inState(promotion.Queued), promotion.Hold{Stage: "dev", By: bob, At: noon})
	for hours := range 20 {
		text := fmt.Sprintf("/hold dev --for %dh", hours+1)
		if hours == 0 {
			text += " --because \"the fair\""
		}
		for _, h := range Decide(says(s, text), noon.Add(time.Duration(hours)*time.Minute)).Holds {
			i := slices.IndexFunc(s.Holds, func(known promotion.Hold) bool { return known.ID == h.ID })
			if i < 0 {
				s.Holds, s.NextID = append(s.Holds, h), s.NextID+1
			} else {
				s.Holds[i] = h
			}
		}
	}
	var stand []promotion.Hold
	for _, h := range s.Holds {
		if h.Stands(noon) {
			stand = append(stand, h)
		}
	}
	require.Len(t, stand, 2)
	require.Equal(t, bob, stand[0].By, "each holds for themselves")
	require.Equal(t, noon.Add(20*time.Hour+19*time.Minute), stand[1].Until)
	require.Equal(t, noon, stand[1].At, "it has been held since then")
	require.Equal(t, "the fair", stand[1].Text, "longer without words is for the same reason")
}
