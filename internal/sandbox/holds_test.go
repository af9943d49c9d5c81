package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
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
	require.Contains(t, lifted, "dev stays held; one hold is lifted.")
	require.Contains(t, lifted, "dev is held by bob")
	require.Contains(t, says("ann", "/unhold dev"), "`bob` holds the stage")
	require.Contains(t, says("bob", "/unhold dev"), "The hold of dev is lifted.")
	s.do("comment #1 by bob: /hold dev the fair", "grant ann maintain")
	lifted = says("ann", "/unhold dev")
	require.Contains(t, lifted, "The hold of dev is lifted.")
	require.Contains(t, lifted, "dev was held by bob since ", "whose hold it was")
	require.Contains(t, lifted, ": the fair")
	s.do("wait 1s", "comment #1 by ann: /hold dev")
	require.NotContains(t, says("ann", "/unhold dev"), "was held by", "it was their own")
}

func TestAHoldOfOneWarehouseIsToldEverywhere(t *testing.T) { // semantics 4.1, 4.2, 4.10
	t.Parallel()
	s := newSite(t, twoWarehouses)
	s.do("grant ann write", "grant bob write", "comment #1 by ann: /hold dev api")
	_, answer := s.answered(1)
	require.Contains(t, answer, "Freight of api in dev is held until somebody lifts the hold.")
	require.Contains(t, answer, "To undo it:\n```\n/unhold dev api\n```")
	s.do("merge #1 by ann", "merge acme/web#7 by bob")
	require.Equal(t, []string{"p1 api#1 dev queued", "p2 web#7 dev succeeded"}, s.states("dev"))
	says := func(by, command string) string { return asSeen(s.below(1, by, command)) }
	require.Contains(t, says("bob", "/why dev api#1"), "ann holds freight of api")
	require.Contains(t, says("bob", "/status dev"), "held for freight of api by ann")
	require.Contains(t, says("bob", "/unhold dev api"), "`ann` holds freight of `api`")
	require.Contains(t, says("bob", "/hold dev api burns"), "dev is held until somebody lifts the hold.")
	require.Contains(t, says("ann", "/unhold dev"), "`bob` holds the stage")
	s.do("grant ann maintain")
	answer = says("ann", "/unhold dev")
	require.Contains(t, answer, "The hold of dev is lifted.")
	require.Contains(t, answer, "The hold of freight of api is lifted, too")
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
	require.Contains(t, s.below(1, "ann", "/hold dev until the weekend"), "dev is held until somebody lifts the hold.")
}

// TestAHoldThatComesWhileAMergeIsPreparedStopsItT31 has somebody hold a stage while GitHub is asked for what a merge,
// or a direct commit, has to know: neither happens until the hold is lifted.
func TestAHoldThatComesWhileAMergeIsPreparedStopsItT31(t *testing.T) {
	t.Parallel()
	permission := githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"}
	const lunch = "comment #1 by ann: /hold dev lunch --for 1h"
	for name, c := range map[string]struct {
		pipeline string
		asks     githubsim.Route
		first    []string
	}{
		"merge":  {signedByOne, permission, []string{"merge #1 by ann", lunch, "comment #1 by bob: /approve dev"}},
		"commit": {directly, makeCommit, []string{lunch, "merge #1 by ann"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.pipeline)
			s.do(c.first...)
			s.github.Faults().FailNext(c.asks, githubsim.Fault{Before: func() {
				_, err := s.github.Comment(home, 1, "ann", "/hold dev")
				require.NoError(t, err)
				require.NoError(t, s.github.Settle(s.ctx))
				require.Eventually(t, s.holdsForGood, time.Minute, time.Millisecond)
			}})
			s.do("wait 2h")
			require.True(t, s.holdsForGood())
			require.Equal(t, "none", s.hosts("dev.yaml"))
			s.do("comment #1 by ann: /unhold dev")
			require.Equal(t, s.source(1), s.hosts("dev.yaml"))
		})
	}
}

// holdsForGood reports whether there is a hold without an end.
func (s *site) holdsForGood() (is bool) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		is = slices.ContainsFunc(all, func(h promotion.Hold) bool { return h.Until.IsZero() })
		return err
	})
	return is
}
