package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACommandInACommentBeginsWithASlashOrOurName(t *testing.T) {
	for _, text := range []string{"/promote prod", "@waybill promote prod", "\n  /promote prod\nsince it is time", "/promote prod\r\n"} {
		c, is := ParseComment(text)
		require.True(t, is, "%q", text)
		require.Equal(t, Command{Verb: CmdPromote, Stage: "prod"}, c, "%q", text)
	}
}

// T6: what stands in a comment without being said is no command.
func TestWhatACommentQuotesIsNoCommand(t *testing.T) {
	for _, text := range []string{
		"hold on, promote prod later", "promote prod", "cancel that", "please /promote prod",
		"`/promote prod`", "```\n/promote prod\n```", "~~~\r\n/promote prod\r\n~~~", "    /promote prod", "\t/promote prod", "\n\n    /promote prod",
		"> /promote prod", "- /promote prod", "* /promote prod", "1. /promote prod", "# /promote prod", "[/promote prod](x)",
		"![/promote prod](x)", "<!-- /promote prod -->", "<details>\n\n/promote prod\n</details>", "| /promote prod |", "\"/promote prod\"",
		"//promote prod", "／promote prod", "\u200b/promote prod", "/prom\u200bote prod", "/рromote prod", "@waybill-x promote prod", "", "/", "@waybill",
	} {
		_, is := ParseComment(text)
		require.False(t, is, "%q", text)
	}
}
