package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"

	"github.com/stretchr/testify/require"
)

var cleo = promotion.Actor{ID: 11, Login: "cleo"}

// needing is a stage with an open pull request that requires this many sign-offs before the merge.
func needing(need int) *promotion.Snapshot {
	s := inState(promotion.WaitingForMerge)
	s.Stage.Policy.Approvals = need
	return s
}

// signed adds people's sign-offs of the visible plan.
func signed(s *promotion.Snapshot, by ...promotion.Actor) *promotion.Snapshot {
	for i, who := range by {
		one := &promotion.Snapshot{}
		*one = *s
		signOff(one, "h1")
		a := one.Approvals[0]
		a.ID, a.By = int64(i+1), who
		s.Approvals = append(s.Approvals, a)
	}
	return s
}

func TestAPromotionIsMergedWhenEnoughPeopleHaveSignedItOff(t *testing.T) { // T15, T16
	for _, c := range []struct {
		name string
		s    *promotion.Snapshot
		want string
	}{
		{"nobody is needed", needing(0), "merge p1"},
		{"nobody has", needing(1), ""},
		{"one has", signed(needing(1), bob), "merge p1"},
		{"one of two has", signed(needing(2), bob), ""},
		{"both have", signed(needing(2), bob, cleo), "merge p1"},
		{"one has twice, by another name and another surface",
			signed(needing(2), bob, promotion.Actor{ID: bob.ID, Login: "rob"}), ""},
		// T14
		{"one has who had the other's name before", signed(needing(2), bob, promotion.Actor{ID: 77, Login: bob.Login}),
			"merge p1"},
	} {
		require.Equal(t, c.want, told(Decide(c.s, noon)), c.name)
	}
}

func TestASignOffCountsOnlyWhileItStands(t *testing.T) { // T1, T3, T16
	for _, c := range []struct {
		name string
		set  func(*promotion.Snapshot)
		want promotion.Reason
	}{
		{"as it was given", func(*promotion.Snapshot) {}, promotion.Reason{}},
		{"when it has expired", func(s *promotion.Snapshot) { s.Approvals[0].Expires = noon },
			promotion.Because(promotion.Unapproved, "1")},
		{"when its giver has lost the right", func(s *promotion.Snapshot) { s.Approvals[0].Entitled = false },
			promotion.Because(promotion.Unapproved, "1")},
		{"when it was revoked", func(s *promotion.Snapshot) { s.Approvals[0].Revoked = noon.Add(-time.Minute) },
			promotion.Because(promotion.Unapproved, "1")},
		{"when it is an admission", func(s *promotion.Snapshot) { s.Approvals[0].Kind = promotion.Admission },
			promotion.Because(promotion.Unapproved, "1")},
		{"when the contents are others", func(s *promotion.Snapshot) { s.Attempts[0].Plan.Hash = "h2" },
			promotion.Because(promotion.Unapproved, "1")},
		{"when the notes say something else", func(s *promotion.Snapshot) {
			s.Attempts[0].Plan.Notes = &promotion.Notes{From: promotion.Landmark{Name: "api#0"}}
		}, promotion.Because(promotion.Unapproved, "1")},
		{"when the commit is another",
			func(s *promotion.Snapshot) { s.Attempts[0].Made.Head, s.Pulls[0].HeadSHA = "h9", "h9" },
			promotion.Because(promotion.Unapproved, "1")},
		{"when the freight is another", func(s *promotion.Snapshot) { s.Approvals[0].Freight = "another" },
			promotion.Because(promotion.Unapproved, "1")},
		{"when the branch is another", func(s *promotion.Snapshot) { s.Pipeline.Branch = "release" },
			promotion.Because(promotion.Unapproved, "1")},
		{"when somebody else has pushed", func(s *promotion.Snapshot) { s.Pulls[0].HeadSHA = "x" },
			promotion.Because(promotion.PlanChanged, "pushed")},
	} {
		s := signed(needing(1), bob)
		c.set(s)
		require.Equal(t, c.want, Waits(s, noon)[0].Reason, c.name)
	}
}

func TestSomebodyLooksAgainWhenASignOffExpires(t *testing.T) {
	d := Decide(signed(needing(2), bob), noon)
	require.Equal(t, noon.Add(time.Hour), d.Wake)
}

func TestASignOffOfWhatIsMadeAnewIsVoidAndThatIsSaidOnce(t *testing.T) { // T1, T3
	s := signed(needing(2), bob, cleo)
	s.Attempts[0].Made.Round, s.Attempts[0].Plan = 2,
		&promotion.Plan{Round: 2, Hash: "h2", Paths: []string{"dev.yaml"}, At: noon}
	d := Decide(s, noon)
	require.Equal(t, "tell void", told(d))
	require.Equal(t, promotion.Because(promotion.Void, "bob", "cleo"), d.Effects[0].Reason)
	require.Equal(t, promotion.EffectKey("tell/1/void/2"), d.Effects[0].Key())
	require.Len(t, d.Approvals, 2)
	require.Equal(t, noon, d.Approvals[0].Revoked)
	require.True(t, Decide(apply(s, d), noon).Nothing())
}

func TestAPushThatIsUndoneLeavesASignOffAsItWas(t *testing.T) { // T2
	s := signed(needing(1), bob)
	ours := s.Pulls[0].HeadSHA
	s.Pulls[0].HeadSHA = "x"
	d := Decide(s, noon)
	require.Empty(t, told(d), "it is not merged, and nothing is void")
	s.Pulls[0].HeadSHA = ours
	require.Equal(t, "merge p1", told(Decide(s, noon)))
}

// TestOnlyWhoMaySignOffAndHasNotIsAskedTo: other people get no direct message.
func TestOnlyWhoMaySignOffAndHasNotIsAskedTo(t *testing.T) {
	asked := func(s *promotion.Snapshot, who promotion.Actor, has promotion.Permission) bool {
		lacks := gate.KeeperOf(s, noon).LacksSignOff
		return command.MaySignOff(s, s.Promotions[0].Number, who, has, nil, lacks)
	}
	author := func(s *promotion.Snapshot) promotion.Actor { return s.Freight[0].Author }
	require.True(t, asked(needing(1), bob, promotion.Write))
	require.False(t, asked(needing(1), bob, promotion.Read), "has not the right")
	require.False(t, asked(needing(1), author(needing(1)), promotion.Admin), "wrote it")
	require.False(t, asked(signed(needing(2), bob), bob, promotion.Write), "has signed")
	require.True(t, asked(signed(needing(2), bob), cleo, promotion.Write))
	require.False(t, asked(signed(needing(1), bob), cleo, promotion.Write), "nobody is needed any more")
	require.False(t, command.MaySignOff(needing(1), 99, bob, promotion.Write, nil,
		gate.KeeperOf(needing(1), noon).LacksSignOff), "another promotion")
	requested := needing(1)
	requested.Promotions[0].By = bob
	require.False(t, asked(requested, bob, promotion.Write), "asked for it")
	merged := needing(1)
	merged.Promotions[0].State = promotion.Verifying
	require.False(t, asked(merged, bob, promotion.Write), "it is merged")
}
