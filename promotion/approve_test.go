package promotion

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var cleo = Actor{ID: 11, Login: "cleo"}

// needing is a stage that wants so many sign-offs before it merges what is open.
func needing(need int) *Snapshot {
	s := inState(WaitingForMerge)
	s.Stage.Approvals = need
	return s
}

// signed adds people's sign-offs of what is shown.
func signed(s *Snapshot, by ...Actor) *Snapshot {
	for i, who := range by {
		one := &Snapshot{}
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
		s    *Snapshot
		want string
	}{
		{"nobody is needed", needing(0), "merge p1"},
		{"nobody has", needing(1), ""},
		{"one has", signed(needing(1), bob), "merge p1"},
		{"one of two has", signed(needing(2), bob), ""},
		{"both have", signed(needing(2), bob, cleo), "merge p1"},
		{"one has twice, by another name and another surface", signed(needing(2), bob, Actor{ID: bob.ID, Login: "rob"}), ""},
		{"one has who had the other's name before", signed(needing(2), bob, Actor{ID: 77, Login: bob.Login}), "merge p1"}, // T14
	} {
		require.Equal(t, c.want, told(Decide(c.s, noon)), c.name)
	}
}

func TestASignOffCountsOnlyWhileItStands(t *testing.T) { // T1, T3, T16
	for _, c := range []struct {
		name string
		set  func(*Snapshot)
		want Reason
	}{
		{"as it was given", func(*Snapshot) {}, Reason{}},
		{"when it has expired", func(s *Snapshot) { s.Approvals[0].Expires = noon }, Because(Unapproved, "1")},
		{"when its giver has lost the right", func(s *Snapshot) { s.Approvals[0].Entitled = false }, Because(Unapproved, "1")},
		{"when it was revoked", func(s *Snapshot) { s.Approvals[0].Revoked = noon.Add(-time.Minute) }, Because(Unapproved, "1")},
		{"when it is an admission", func(s *Snapshot) { s.Approvals[0].Kind = Admission }, Because(Unapproved, "1")},
		{"when the contents are others", func(s *Snapshot) { s.Attempts[0].Plan.Hash = "h2" }, Because(Unapproved, "1")},
		{"when the commit is another", func(s *Snapshot) { s.Attempts[0].HeadSHA, s.Pulls[0].HeadSHA = "h9", "h9" }, Because(Unapproved, "1")},
		{"when the freight is another", func(s *Snapshot) { s.Approvals[0].Freight = "another" }, Because(Unapproved, "1")},
		{"when the branch is another", func(s *Snapshot) { s.Pipeline.Branch = "release" }, Because(Unapproved, "1")},
		{"when somebody else has pushed", func(s *Snapshot) { s.Pulls[0].HeadSHA = "x" }, Because(PlanChanged)},
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
	s.Attempts[0].Built, s.Attempts[0].Plan = 2, &Plan{Round: 2, Hash: "h2", Paths: []string{"dev.yaml"}, At: noon}
	d := Decide(s, noon)
	require.Equal(t, "tell void", told(d))
	require.Equal(t, Because(Void, "bob", "cleo"), d.Effects[0].Reason)
	require.Equal(t, EffectKey("tell/1/void/2"), d.Effects[0].Key())
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

func TestASignOffOfOnePromotionDoesNotCountForTheNextOfTheSameFreight(t *testing.T) { // T16
	s := signed(needing(1), bob)
	s.Promotions[0].State, s.Promotions[0].Ended = Cancelled, noon
	p := s.Promotions[0]
	p.Number, p.State, p.Ended = 2, WaitingForMerge, time.Time{}
	a := s.Attempts[0]
	a.Promotion, a.Pull, a.HeadSHA = 2, 8, "head-2"
	pull := s.Pulls[0]
	pull.Number, pull.HeadSHA = 8, "head-2"
	s.Promotions, s.Attempts, s.Pulls = append(s.Promotions, p), append(s.Attempts, a), append(s.Pulls, pull)
	s.Next = 3
	require.Equal(t, Because(Unapproved, strconv.Itoa(1)), Waits(s, noon)[0].Reason)
}

// TestOnlyWhoMaySignOffAndHasNotIsAskedTo: a direct message to anybody else would be noise.
func TestOnlyWhoMaySignOffAndHasNotIsAskedTo(t *testing.T) {
	asked := func(s *Snapshot, who Actor, has Permission) bool {
		return MaySignOff(s, s.Promotions[0].Number, who, has, nil, noon)
	}
	author := func(s *Snapshot) Actor { return s.Freight[0].Author }
	require.True(t, asked(needing(1), bob, Write))
	require.False(t, asked(needing(1), bob, Read), "has not the right")
	require.False(t, asked(needing(1), author(needing(1)), Admin), "wrote it")
	require.False(t, asked(signed(needing(2), bob), bob, Write), "has signed")
	require.True(t, asked(signed(needing(2), bob), cleo, Write))
	require.False(t, asked(signed(needing(1), bob), cleo, Write), "nobody is needed any more")
	require.False(t, MaySignOff(needing(1), 99, bob, Write, nil, noon), "another promotion")
	requested := needing(1)
	requested.Promotions[0].By = bob
	require.False(t, asked(requested, bob, Write), "asked for it")
	merged := needing(1)
	merged.Promotions[0].State = Verifying
	require.False(t, asked(merged, bob, Write), "it is merged")
}
