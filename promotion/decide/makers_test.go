package decide

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
)

// TestWhoHasMadeFreightIsAskedForEachCommandThatLeavesOutItsAuthor checks of which freight it must be known who has
// made it before a command can be carried out.
func TestWhoHasMadeFreightIsAskedForEachCommandThatLeavesOutItsAuthor(t *testing.T) { // semantics 4.5, T15
	not := []promotion.Rule{{Permission: promotion.Write, Not: []string{"author"}}}
	s := inState(promotion.Failed)
	pipeline := *s.Pipeline
	s.Pipeline = &pipeline
	pipeline.Policy.May = map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdPromote: not, promotion.CmdRetry: not, promotion.CmdAdmit: not, promotion.CmdVerdict: not,
	}
	asks := func(text string, pull int) string {
		c, _ := command.ParseCommand(text)
		_, c = command.Address(s.Pipeline, c)
		r := promotion.Request{Command: c, By: ann, PullRepo: s.Freight[0].Repo, Pull: pull}
		var names []string
		for _, f := range AskMakers(s, r, noon) {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	}
	require.Empty(t, asks("/promote dev api#1", 0), "it is known")

	s.Freight[0].Hands.Unread = true
	for _, text := range []string{
		"/promote dev api#1", "/promote dev", "/retry dev", "/admit api#1 dev --because x", "/reject api#1 --because x",
		"/reject api#1 dev --because x",
	} {
		require.Equal(t, "api#1", asks(text, 0), text)
	}
	require.Equal(t, "api#1", asks("/promote dev", s.Freight[0].Pull))
	require.Empty(t, asks("/promote dev", 99), "it stands on other freight")
	require.Empty(t, asks("/promote dev api#7", 0), "there is no such freight")
	require.Empty(t, asks("/hold dev", 0), "the rule leaves nobody out")
	require.Equal(t, "/retry dev", say.Next(Why(s, s.Freight[0].ID, noon)), "it would be asked")
}
