package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
)

func together(lines ...string) []string {
	var all []promotion.Command
	for _, line := range lines {
		if c, is := command.ParseLine(line); is {
			all = append(all, c)
		}
	}
	var kept []string
	for _, c := range command.Together(all) {
		if c.Trouble != "" {
			kept = append(kept, "wrong: "+string(c.Verb))
			continue
		}
		kept = append(kept, written(c))
	}
	return kept
}

func TestCommandsThatAreGivenTogetherAreOneWish(t *testing.T) {
	require.Equal(t, []string{"promote dev", "hold prod"}, together("/promote dev", "please", "/hold prod"))
	require.Equal(t, []string{"hold prod", "wrong: promot"},
		together("/promote dev", "/promot prod", "/hold prod", "/retry qa"))
	require.Equal(t, []string{"wrong: rollback"}, together("/promote dev", `/rollback prod "`))
	require.Nil(t, together("please"))
}

func TestACommentHasAtMostFiveCommandsAndGetsOneAnswerMoreT9(t *testing.T) {
	five := strings.Split(strings.Repeat("/promote dev,", 5), ",")
	require.Len(t, together(five...), 5)
	require.Equal(t, []string{"wrong: promote"}, together(append(five, "/promote dev")...))
	require.Equal(t, []string{"hold dev", "wrong: promote"}, together(append(five, "/promote dev", "/hold dev")...))
	require.Len(t, together(strings.Split(strings.Repeat("/hold dev,", 1000), ",")...), 6)
}
