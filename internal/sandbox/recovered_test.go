package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recoveries returns the answers in the threads of Slack that say that a stage is good again.
func (o *office) recoveries() (texts []string) {
	for _, m := range o.slack.Messages("deploys") {
		for _, reply := range m.Replies {
			if reply.Broadcast && strings.Contains(reply.Text, "is good again") {
				texts = append(texts, asSeen(reply.Text))
			}
		}
	}
	return texts
}

// TestRecoveryIsToldWhereFailureWasTold fails freight and verifies later freight, goes back, and mends freight: each
// failure gets one answer.
func TestRecoveryIsToldWhereFailureWasTold(t *testing.T) { // semantics 4.16
	t.Parallel()
	o := newOffice(t, told)
	again := func(n int) string {
		for _, c := range o.told(n) {
			if strings.Contains(c.Body, "is good again") {
				return asSeen(c.Body)
			}
		}
		return ""
	}
	o.do("merge #1 by ann", "check smoke success on dev", "wait 1m", "merge #2 by ann", "check smoke failure on dev")
	require.Empty(t, again(2))
	o.do("comment #2 by ann: /rollback dev", "check smoke success on dev", "wait 1m")
	const back = "`dev` is good again: `api#1` is verified there (promotion 3). Promotion 2 of `api#2` had failed there"
	require.Contains(t, strings.ReplaceAll(again(2), "**", ""), back)
	require.Contains(t, again(2), "([details](")
	require.Contains(t, strings.ReplaceAll(asSeen(o.run(2, "dev").Summary), "**", ""), "`dev` is good again: `api#1`")

	o.do("comment #2 by ann: /unhold dev", "merge #3 by ann", "check smoke failure on dev", "wait 1m",
		"check smoke success on dev", "wait 1m", "check smoke failure on dev", "check smoke success on dev", "wait 1m")
	require.Contains(t, again(3), "is good again: `api#3` is verified there (promotion 4)")
	o.do("merge #4 by ann", "check smoke success on dev", "wait 1m")
	require.Empty(t, again(4))
	require.Len(t, o.recoveries(), 2, "each failure is answered once")
	require.Contains(t, o.recoveries()[0], strings.ReplaceAll(back, "`", ""))
}
