package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// twoWarehouses is a pipeline whose only stage takes freight from two warehouses.
const twoWarehouses = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
  web: {pull-requests: {repo: acme/web, branch: main}}
stages:
  dev: {from: {api: {}, web: {}}, set: {dev.yaml: {api: "${api.short}", web: "${web.short}"}}}
`

func TestEachHoldOfAWarehouseIsAnsweredByItself(t *testing.T) { // semantics 4.10
	t.Parallel()
	s := newSite(t, twoWarehouses)
	s.do("grant ann write", "merge #1 by ann")
	s.below(1, "ann", "/hold dev api\n/hold dev web")
	for _, warehouse := range []string{"api", "web"} {
		require.True(t, slices.ContainsFunc(s.told(1), func(c githubsim.Comment) bool {
			return strings.Contains(asSeen(c.Body), "Freight of "+warehouse+" in dev is held")
		}), warehouse)
	}
}

func TestWhoLiftsTheirHoldIsToldWhoElseHolds(t *testing.T) { // semantics 4.2
	t.Parallel()
	s := newSite(t, twoWarehouses)
	s.do("grant ann write", "grant bob write", "merge #1 by ann", "comment #1 by ann: /hold dev",
		"comment #1 by bob: /hold dev for 2h because of the fair")
	says := func(by, command string) string { return asSeen(s.below(1, by, command)) }
	lifted := says("ann", "/unhold dev")
	require.Contains(t, lifted, "dev stays held, though not by you any more.")
	require.Contains(t, lifted, "dev is held by bob")
	require.Contains(t, says("ann", "/unhold dev"), "`bob` holds it")
	require.Contains(t, says("bob", "/unhold dev"), "dev is let go.")
}

func TestAHoldOfOneWarehouseIsToldEverywhere(t *testing.T) { // semantics 4.1, 4.2, 4.10
	t.Parallel()
	s := newSite(t, twoWarehouses)
	s.do("grant ann write", "grant bob write", "comment #1 by ann: /hold dev api")
	_, answer := s.answered(1)
	require.Contains(t, answer, "Freight of api in dev is held, without end.")
	require.Contains(t, answer, "To undo it:\n```\n/unhold dev api\n```")
	s.do("merge #1 by ann", "merge acme/web#7 by bob")
	require.Equal(t, []string{"p1 api#1 dev queued", "p2 web#7 dev succeeded"}, s.states("dev"))
	says := func(by, command string) string { return asSeen(s.below(1, by, command)) }
	require.Contains(t, says("bob", "/why dev api#1"), "ann holds freight of api")
	require.Contains(t, says("bob", "/status dev"), "held for freight of api by ann")
	require.Contains(t, says("bob", "/unhold dev api"), "`ann` holds freight of `api`")
	require.Contains(t, says("bob", "/hold dev api burns"), "dev is held, without end.")
	require.Contains(t, says("ann", "/unhold dev"), "`bob` holds it")
	s.do("grant ann maintain")
	answer = says("ann", "/unhold dev")
	require.Contains(t, answer, "dev is let go.")
	require.Contains(t, answer, "Also let go with the stage: freight of api, which was held by itself")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 web#7 dev succeeded"}, s.states("dev"))
}

func TestAHoldUntilATimeOnTheClockSaysWhenThatIs(t *testing.T) { // semantics 4.1
	t.Parallel()
	s := newSite(t, twoWarehouses)
	day := s.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	s.do("comment #1 by ann: /hold dev api until " + day + " 14:00")
	_, answer := s.answered(1)
	require.Contains(t, asSeen(answer), "Freight of api in dev is held, until "+day+" 14:00 UTC (for ")
	require.Contains(t, asSeen(answer), "read as UTC, because the pipeline file has no `timezone`")
	s.pushConfig("timezone: Asia/Tokyo\n" + twoWarehouses)
	s.quiet()
	answer = asSeen(s.below(1, "ann", "/hold dev web until "+day+" 14:00"))
	require.Contains(t, answer, "Freight of web in dev is held, until "+day+" 05:00 UTC (for ")
	require.Contains(t, answer, "read as that of Asia/Tokyo, the pipeline's `timezone`")
	require.Contains(t, s.below(1, "ann", "/hold dev until the weekend"), "dev is held, without end.")
}
