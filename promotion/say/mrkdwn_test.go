package say

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestT11TextOfOthersIsInertInSlack(t *testing.T) {
	for typed, want := range map[string]string{
		"<!channel> <@U1> <!subteam^S1>": "&lt;!channel&gt; &lt;@\u200bU1&gt; &lt;!subteam^S1&gt;",
		"@here @everyone #general":       "@\u200bhere @\u200beveryone #\u200bgeneral",
		"*bold* _x_ ~y~ `code` ```": "*\u200bbold*\u200b _\u200bx_\u200b ~\u200by~\u200b `\u200bcode`\u200b " +
			"`\u200b`\u200b`\u200b",
		"<https://evil.test|click> & more":   "&lt;https:\u200b//evil.test|click&gt; &amp; more",
		"two\nlines\u202e turned\u0007 bell": "two lines turned bell",
		"javascript:alert(1)":                "javascript:\u200balert(1)",
	} {
		require.Equal(t, want, Mrkdwn(typed))
	}
	require.Equal(t, "a&lt;b", mrkdwnLink("javascript:x", "a<b"))
	require.Equal(t, "<https://github.com/a?b&amp;c|a/b>", mrkdwnLink("https://github.com/a?b&c", "a|b"))
	require.Equal(t, "x", mrkdwnLink("https://a|<!channel>", "x"))
}
