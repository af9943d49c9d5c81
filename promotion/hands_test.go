package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

var (
	eve = promotion.Actor{ID: 666, Login: "eve"}
	bob = promotion.Actor{ID: 2, Login: "bob"}
)

// TestWhoHasMadeFreightIsEverybodyWhoHadAHandInItT15 has each part played by eve, under a login of others.
func TestWhoHasMadeFreightIsEverybodyWhoHadAHandInItT15(t *testing.T) {
	for _, part := range []promotion.Part{promotion.AuthorPart, promotion.CommitterPart, promotion.PusherPart,
		promotion.MergerPart, promotion.ReporterPart} {
		f := promotion.Freight{Author: bob, Hands: promotion.Hands{All: []promotion.Hand{
			{Part: promotion.AuthorPart, By: bob}, {Part: part, By: promotion.Actor{ID: eve.ID, Login: "bob"}},
		}}}
		require.True(t, f.MadeBy(eve), part)
		require.True(t, f.MadeBy(bob), part)
		require.False(t, f.MadeBy(promotion.Actor{ID: 3, Login: "eve"}), part)
		require.False(t, f.MadeBy(promotion.Actor{}), part)
		_, unknown := f.Unknown()
		require.False(t, unknown, part)
	}
}

// TestABotActsForSomebodyWhoIsNotKnownT15: a workflow that a person has changed pushes in the name of GitHub Actions.
func TestABotActsForSomebodyWhoIsNotKnownT15(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Repo: "acme/api", Kind: promotion.FromPushes}
	bot := promotion.Actor{ID: 41898282, Login: "github-actions[bot]"}
	for pusher, text := range map[promotion.Hand]string{
		promotion.HandOf(promotion.PusherPart, bot, true): "github-actions[bot] is a bot, and GitHub does not say for " +
			"whom it acts",
		{}: "no webhook has told",
		promotion.HandOf(promotion.PusherPart, promotion.Actor{}, false): "no webhook has told",
	} {
		f := w.Pushed(promotion.Head{SHA: "0123456789abcdef", Author: bob, Pusher: pusher}, fixture.Noon, fixture.Noon)
		f.Hands = f.Hands.With(promotion.Hands{All: []promotion.Hand{{Part: promotion.AuthorPart, By: bob}}})
		h, unknown := f.Unknown()
		require.True(t, unknown)
		require.Equal(t, promotion.Hand{Part: promotion.PusherPart, Text: text}, h)
	}
}

// TestWhatIsKnownOfHandsGrows adds what webhooks and GitHub tell, in any order.
func TestWhatIsKnownOfHandsGrows(t *testing.T) {
	pushed := promotion.Hand{Part: promotion.PusherPart, By: eve}
	wrote := promotion.Hand{Part: promotion.AuthorPart, By: bob}
	other := promotion.Hand{Part: promotion.PusherPart, By: bob}
	found := promotion.Hands{Unread: true, All: []promotion.Hand{{Part: promotion.PusherPart, Text: "not told"}}}
	told := promotion.Hands{Unread: true, All: []promotion.Hand{pushed}}
	read := promotion.Hands{All: []promotion.Hand{wrote}}
	all := promotion.Hands{All: []promotion.Hand{pushed, wrote}}
	require.Equal(t, told, found.With(told))
	require.Equal(t, all, found.With(told).With(read))
	require.Equal(t, all, found.With(read).With(told))
	require.Equal(t, all, all.With(read).With(told).With(found), "nothing is forgotten, or twice there")
	require.Equal(t, told, told.With(promotion.Hands{Unread: true, All: []promotion.Hand{other}}), "who was known stays")
	f := promotion.Freight{Hands: found.With(told)}
	_, unknown := f.Unknown()
	require.True(t, unknown, "GitHub has not been asked")
}

// TestThePusherOfACommitIsThatOfAPushButNotOfATag: of a push a webhook may have told who it was, and that stays.
func TestThePusherOfACommitIsThatOfAPushButNotOfATag(t *testing.T) {
	brought := promotion.Hand{Part: promotion.CommitPusherPart, By: bob}
	commit := func() promotion.Hands { return promotion.Hands{All: []promotion.Hand{brought}} }
	told := promotion.Hand{Part: promotion.PusherPart, By: eve}

	tag := promotion.Freight{Contents: promotion.Contents{Version: "1.0.0"}}
	tag.Hands = promotion.Hands{Unread: true, All: []promotion.Hand{told}}
	require.Equal(t, []promotion.Hand{told, brought}, tag.Hands.With(tag.Behind(commit())).All)

	push := promotion.Freight{Hands: promotion.Hands{Unread: true, All: []promotion.Hand{{Part: promotion.PusherPart}}}}
	require.Equal(t, []promotion.Hand{{Part: promotion.PusherPart, By: bob}}, push.Hands.With(push.Behind(commit())).All)
	push.Hands.All = []promotion.Hand{told}
	require.Equal(t, []promotion.Hand{told}, push.Hands.With(push.Behind(commit())).All)
}
