package decide

import (
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestWhereFreightWithoutPromotionStands(t *testing.T) {
	s := inState(promotion.Succeeded)
	s.Stage.Policy.Automatic = false
	s.Stage.From = append(s.Stage.From, promotion.Source{Warehouse: "web"})
	old, next := freightNo(s.Pipeline, 0), freightNo(s.Pipeline, 2)
	web := promotion.NewFreight(&promotion.Warehouse{Name: "web"}, 1, "w1", s.Freight[0].Merged)
	same := promotion.NewFreight(&promotion.Warehouse{Name: "web"}, 7, "w7", s.Freight[0].Merged)
	s.Freight = []promotion.Freight{old, s.Freight[0], next, web, same}
	for _, c := range []struct {
		f      promotion.Freight
		place  promotion.Place
		reason string
	}{
		{old, promotion.PlaceSkipped, "came-first api#1 dev"},
		{next, promotion.PlaceAvailable, ""},
		{web, promotion.PlaceAvailable, ""},
		{s.Freight[1], promotion.PlaceEnded, ""},
		{promotion.Freight{ID: "x"}, promotion.PlaceUnavailable, "unknown x"},
	} {
		at := Why(s, c.f.ID, noon)
		require.Equal(t, c.place, at.Place, c.f.Name)
		require.Equal(t, c.reason, at.Reason.String(), c.f.Name)
		require.Equal(t, c.f.Name, at.Name)
		require.Zero(t, at.Until)
	}
	s.Newest = append(s.Newest, promotion.Mark{Warehouse: "web", Merged: same.Merged, Number: same.Number})
	require.Equal(t, "newer web#7", Why(s, web.ID, noon).Reason.String(), "of its own warehouse")
	s.Freight = s.Freight[:4]
	require.Equal(t, promotion.PlaceAvailable, Why(s, web.ID, noon).Place, "nobody knows the newer one")
}

func TestWhatNewerFreightHasBroughtAlong(t *testing.T) {
	s := behindQA(inState(promotion.Succeeded), fresh)
	old := freightNo(s.Pipeline, 0)
	s.Freight = append([]promotion.Freight{old}, s.Freight...)
	s.Records = nil
	for kind, want := range map[promotion.WarehouseKind]string{
		promotion.FromPulls: "carried api#1 dev", promotion.FromPushes: "carried api#1 dev",
		promotion.FromTags: "came-first api#1 dev", promotion.FromReleases: "came-first api#1 dev",
		promotion.FromReports: "came-first api#1 dev",
	} {
		s.Pipeline.Warehouses[0].Kind = kind
		at := Why(s, old.ID, noon)
		require.Equal(t, promotion.PlaceSkipped, at.Place)
		require.Equal(t, want, at.Reason.String(), "though it is verified nowhere before")
		require.Empty(t, at.Next.Verb)
	}
	s.Pipeline.Warehouses[0].Kind = promotion.FromPulls
	later := freightNo(s.Pipeline, 3)
	s.Freight = append(s.Freight, later)
	s.Deployments[0].Left = noon
	s.Deployments = append(s.Deployments, promotion.Deployment{Warehouse: "api", Freight: later.ID, Entered: noon})
	require.Equal(t, "carried api#1 dev", Why(s, old.ID, noon).Reason.String(), "an arrival changes nothing about it")
	s.Deployments = s.Deployments[:1]
	s.Deployments[0].Left = time.Time{}
	s.Rejects = []promotion.Reject{{Freight: old.Ref(), From: old.Mark(), By: ann}}
	require.Equal(t, "rejected api#0 ann", Why(s, old.ID, noon).Reason.String())
	s.Rejects = nil
	s.Deployments[0].Left = noon
	require.Equal(t, promotion.PlaceUnavailable, Why(s, old.ID, noon).Place, "it is there no more")
}

func TestWhenFreightThatSoaksIsLookedAtAgain(t *testing.T) {
	s := behindQA(inState(promotion.Queued), fresh)
	s.Promotions = nil
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, promotion.PlaceUnavailable, at.Place)
	require.Equal(t, "soaking qa", at.Reason.String())
	require.Equal(t, "soaking qa", at.Lacks.String())
	require.Equal(t, noon.Add(40*time.Minute), at.Until)
	s.Records[1][0] = promotion.Record{}
	at = Why(s, s.Freight[0].ID, noon)
	require.Equal(t, "unverified qa", at.Reason.String())
	require.Zero(t, at.Until, "it takes an event")
}

func TestWhatFreightLacksWhateverItsPromotion(t *testing.T) {
	s := behindQA(inState(promotion.Succeeded), bad)
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, promotion.PlaceEnded, at.Place)
	require.Equal(t, "failed qa e2e", at.Lacks.String())
}

func TestTheNewestPromotionOfAFreightCounts(t *testing.T) {
	s := inState(promotion.Failed)
	waiting(s, 1, promotion.Manual)
	require.Equal(t, promotion.Number(2), Why(s, s.Freight[0].ID, noon).Promotion.Number)
	require.Equal(t, promotion.PlaceOpen, Why(s, s.Freight[0].ID, noon).Place)
}

func TestWhatOthersWaitForIsNotWhatItWaitsFor(t *testing.T) {
	s := inState(promotion.Succeeded)
	waiting(s, 2, promotion.Manual)
	waiting(s, 3, promotion.Manual)
	waiting(s, 4, promotion.Automatic)
	behindQA(s, soaked)
	s.Records[1] = append(s.Records[1], soaked, fresh, soaked)
	require.Equal(t, []string{"2: ", "3: soaking qa", "4: behind 2"}, whys(s))
	waits := Waits(s, noon)
	require.Zero(t, waits[0].Until)
	require.Equal(t, noon.Add(40*time.Minute), waits[1].Until)
	require.Zero(t, waits[2].Until)
}

func TestAPromotionOfFreightThatNobodyKnowsHasItsName(t *testing.T) {
	s := inState(promotion.Queued)
	s.Freight = nil
	require.Equal(t, "api#1", Waits(s, noon)[0].Name)
}

func TestWhereAPromotionCanBeSeenAndWhatItsStageShows(t *testing.T) {
	s := inState(promotion.Verifying)
	s.Attempts[0].Made.URL = "https://x"
	at := Why(s, s.Freight[0].ID, noon)
	require.Equal(t, promotion.Link{What: promotion.OnPull, URL: "https://x"}, at.Link)
	require.Equal(t, s.Seen(), at.Seen)
	require.True(t, at.Hosted)
	require.Equal(t, at, WhyPromoted(s, &s.Promotions[0], noon))
	newer := s.Promotions[0]
	newer.Number, newer.State = 2, promotion.Queued
	s.Promotions = append(s.Promotions, newer)
	at = Why(s, s.Freight[0].ID, noon)
	require.EqualValues(t, 2, at.Promotion.Number)
	require.Zero(t, at.Link)
	require.Empty(t, at.Seen, "the stage shows the one that is under way")
	at = WhyPromoted(s, &s.Promotions[0], noon)
	require.EqualValues(t, 1, at.Promotion.Number)
	require.Equal(t, "https://x", at.Link.URL)
	require.Equal(t, s.Seen(), at.Seen)
	s.Promotions, s.Deployments = nil, nil
	at = Why(s, s.Freight[0].ID, noon)
	require.Empty(t, at.Seen)
	require.False(t, at.Hosted)
}

func TestAStatusNamesTheTargetsThatAreNotReady(t *testing.T) {
	s := inState(promotion.Succeeded)
	require.Empty(t, Explain(s, noon).Unready)
	require.Equal(t, s.Pipeline.BranchesOf(s.Stage), Explain(s, noon).Branches)
	here := promotion.Condition{Kind: promotion.KindEnvironment, Name: "dev"}
	s.Stage.Targets[0].Ready = []promotion.Condition{here}
	unready := func(why promotion.Reason) []promotion.UnreadyTarget {
		return []promotion.UnreadyTarget{{Name: s.Stage.Targets[0].Name, Lacks: why}}
	}
	require.Equal(t, unready(promotion.Because(promotion.Waiting)), Explain(s, noon).Unready, "nobody knows")
	answer := s.Stage.Answers(nil, noon)
	s.Readiness = &answer
	require.Equal(t, unready(promotion.Because(promotion.NotReady, "environment dev does not exist")),
		Explain(s, noon).Unready)
	answer = s.Stage.Answers(map[promotion.Condition]string{here: promotion.Met}, noon)
	require.Empty(t, Explain(s, noon).Unready)
}
