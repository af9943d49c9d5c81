package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhereFreightWithoutPromotionStands(t *testing.T) {
	s := inState(Succeeded)
	s.Stage.Automatic = false
	s.Stage.From = append(s.Stage.From, Source{Warehouse: "web"})
	old, next := freightNo(s.Pipeline, 0), freightNo(s.Pipeline, 2)
	web := NewFreight(&Warehouse{Name: "web"}, 1, "w1", s.Freight[0].Merged)
	same := NewFreight(&Warehouse{Name: "web"}, 7, "w7", s.Freight[0].Merged)
	s.Freight = []Freight{old, s.Freight[0], next, web, same}
	for _, c := range []struct {
		f      Freight
		place  Place
		reason string
	}{
		{old, PlaceSkipped, "newer api#1"},
		{next, PlaceAvailable, ""},
		{web, PlaceAvailable, ""},
		{s.Freight[1], PlaceEnded, ""},
		{Freight{ID: "x"}, PlaceUnavailable, "unknown x"},
	} {
		at := Why(s, c.f.ID, noon)
		require.Equal(t, c.place, at.Place, c.f.Name)
		require.Equal(t, c.reason, at.Reason.String(), c.f.Name)
		require.Equal(t, c.f.Name, at.Name)
		require.Zero(t, at.Until)
	}
	s.Newest = append(s.Newest, Mark{Warehouse: "web", Merged: same.Merged, Number: same.Number})
	require.Equal(t, "newer web#7", Why(s, web.ID, noon).Reason.String(), "of its own warehouse")
	s.Freight = s.Freight[:4]
	require.Equal(t, PlaceAvailable, Why(s, web.ID, noon).Place, "nobody knows the newer one")
}

func TestWhenFreightThatSoaksIsLookedAtAgain(t *testing.T) {
	s := behindQA(inState(Queued), fresh)
	s.Promotions = nil
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, PlaceUnavailable, at.Place)
	require.Equal(t, "soaking qa", at.Reason.String())
	require.Equal(t, "soaking qa", at.Lacks.String())
	require.Equal(t, noon.Add(40*time.Minute), at.Until)
	s.Records[1][0] = Record{}
	at = Why(s, s.Freight[0].ID, noon)
	require.Equal(t, "unverified qa", at.Reason.String())
	require.Zero(t, at.Until, "it takes an event")
}

func TestWhatFreightLacksWhateverItsPromotion(t *testing.T) {
	s := behindQA(inState(Succeeded), bad)
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, PlaceEnded, at.Place)
	require.Equal(t, "failed qa e2e", at.Lacks.String())
}

func TestTheNewestPromotionOfAFreightCounts(t *testing.T) {
	s := inState(Failed)
	waiting(s, 1, Manual)
	require.Equal(t, Number(2), Why(s, s.Freight[0].ID, noon).Promotion.Number)
	require.Equal(t, PlaceOpen, Why(s, s.Freight[0].ID, noon).Place)
}

func TestWhatOthersWaitForIsNotWhatItWaitsFor(t *testing.T) {
	s := inState(Succeeded)
	waiting(s, 2, Manual)
	waiting(s, 3, Manual)
	waiting(s, 4, Automatic)
	behindQA(s, soaked)
	s.Records[1] = append(s.Records[1], soaked, fresh, soaked)
	require.Equal(t, []string{"2: ", "3: soaking qa", "4: behind 2"}, whys(s))
	waits := Waits(s, noon)
	require.Zero(t, waits[0].Until)
	require.Equal(t, noon.Add(40*time.Minute), waits[1].Until)
	require.Zero(t, waits[2].Until)
}

func TestAPromotionOfFreightThatNobodyKnowsHasItsName(t *testing.T) {
	s := inState(Queued)
	s.Freight = nil
	require.Equal(t, "api#1", Waits(s, noon)[0].Name)
}

func TestTheAddressOfAPromotion(t *testing.T) {
	s := inState(WaitingForMerge)
	s.Attempts[0].URL = "https://x"
	require.Equal(t, Link{OnPull, "https://x"}, s.Link(1))
	require.Zero(t, s.Link(2))
}

func TestADecisionIsNothingOnlyWhenNothingIsToBeWritten(t *testing.T) {
	require.True(t, Decision{Wake: noon, Wanted: []Effect{{}}, Ripples: true}.Nothing())
	for name, d := range map[string]Decision{
		"promotions": {Promotions: []Promotion{{}}}, "stays": {Stays: []Stay{{}}}, "holds": {Holds: []Hold{{}}}, "approvals": {Approvals: []Approval{{}}},
		"answers": {Answered: []Answer{{Request: 1}}}, "effects": {Effects: []Effect{{}}}, "log": {Log: []Entry{{}}},
	} {
		require.False(t, d.Nothing(), name)
	}
}

func TestAnEffectHasOneNameForEver(t *testing.T) {
	seen := map[EffectKey]bool{}
	for _, e := range []Effect{
		{Verb: PlanVerb, Promotion: 1, Round: 1}, {Verb: PlanVerb, Promotion: 1, Round: 2}, {Verb: PlanVerb, Promotion: 2, Round: 1},
		{Verb: Open, Promotion: 1, Round: 1}, {Verb: Merge, Promotion: 1, Round: 1}, {Verb: Observe, Promotion: 1, Round: 1},
		{Verb: Close, Promotion: 1}, {Verb: Tell, Promotion: 1, Outcome: "failed"}, {Verb: Tell, Promotion: 1, Outcome: "missing"},
		{Verb: Reply, Request: 1}, {Verb: Reply, Request: 2},
	} {
		require.False(t, seen[e.Key()], e.Key())
		seen[e.Key()] = true
		require.Equal(t, e.Verb == Close || e.Verb == Tell || e.Verb == Reply, e.Owed())
	}
	require.Equal(t, Effect{Verb: Close, Promotion: 1, Round: 3}.Key(), Effect{Verb: Close, Promotion: 1, Reason: Because(Removed)}.Key())
}
