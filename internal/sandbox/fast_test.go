package sandbox

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// TestWhatIsMissedWhileOurClockIsFastIsFreightF4 merges a source pull request while the App is suspended, so that only
// a resync tells of it, after one that our clock dated an hour later.
func TestWhatIsMissedWhileOurClockIsFastIsFreightF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.clock.hurry(time.Hour)
	s.do("resync")
	require.NoError(t, s.github.SuspendApp("acme", true))
	s.quiet()
	s.do("merge #1 by ann")
	require.Empty(t, s.states("dev"))
	require.NoError(t, s.github.SuspendApp("acme", false))
	s.do("wait 1m")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestWhatIsPublishedAfterAPipelineThatWasReadByAFastClockIsFreight has the clock be fast when a warehouse is new.
func TestWhatIsPublishedAfterAPipelineThatWasReadByAFastClockIsFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.clock.hurry(time.Hour)
	s.push(map[string]*string{"web.yaml": githubsim.Text("tag: none\n")})
	s.pushConfig(strings.Replace(oneStage, "stages:", "  web: {tags: {prefix: web/}}\nstages:\n"+
		"  web: {from: web, set: {web.yaml: {tag: \"${web.version}\"}}, verify: [web]}", 1))
	s.clock.hurry(0)
	s.do("wait 10m")
	s.push(map[string]*string{"src/b": githubsim.Text("b\n")})
	require.NoError(t, s.github.PushTag(home, "ann", "web/v1.0.0", "main"))
	s.do("wait 1m")
	require.Equal(t, []string{"p1 web@web/v1.0.0 web verifying"}, s.states("web"))
}

// TestACopyIsKnownOnceWhateverOurClock restores a snapshot by a wrong clock.
func TestACopyIsKnownOnceWhateverOurClock(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(wrong.String(), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.clock.hurry(wrong)
			s.do("merge #1 by ann", "wait 11m")
			file := s.copied()
			s.do("wait 1m", "merge #2 by ann")
			s.restore(file, time.Minute)
			s.do("wait 1h")
			var last promotion.Number
			s.view(func(tx *store.Tx, pipeline int64) (err error) {
				last, err = tx.Promotions.Newest(pipeline)
				return err
			})
			require.Greater(t, last, promotion.Number(1000), "numbers of the lost time are left out")
			require.Less(t, last, promotion.Number(2000), "once")
		})
	}
}

// TestAFastClockAsksForAnImageOnce has freight be late at once, and decides about its stage again and again.
func TestAFastClockAsksForAnImageOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, imaged)
	s.clock.hurry(time.Hour)
	s.do("merge #1 by ann", "wait 2m")
	asked := s.github.CountRequests(versions)
	for range 5 {
		s.do("comment #1 by ann: /hold dev", "comment #1 by ann: /unhold dev", "wait 1m")
	}
	require.Equal(t, asked, s.github.CountRequests(versions))
}

// TestAFastClockResyncsAtTheUsualIntervals lets half an hour pass.
func TestAFastClockResyncsAtTheUsualIntervals(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "version: 1\n", "version: 1\nresync: 20m\n", 1))
	s.clock.hurry(time.Hour)
	s.do("resync")
	s.github.ForgetRequests()
	s.do("wait 50m")
	require.Equal(t, 2, s.github.CountRequests(githubsim.Route{Method: "GET", Path: "/repos/{owner}/{repo}"}))
}

// TestAMinuteBetweenTheClocksMakesAndHidesNoFreight pushes one tag 20 seconds before Waybill first sees the warehouse
// of tags, and one 20 seconds after.
func TestAMinuteBetweenTheClocksMakesAndHidesNoFreight(t *testing.T) {
	t.Parallel()
	for _, fast := range []time.Duration{-55 * time.Second, 55 * time.Second} {
		t.Run(fast.String(), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage)
			s.clock.hurry(fast)
			s.push(map[string]*string{"web.yaml": githubsim.Text("tag: none\n")})
			require.NoError(t, s.github.PushTag(home, "ann", "web/v1.0.0", "main"))
			s.do("wait 20s")
			s.pushConfig(strings.Replace(oneStage, "stages:", "  web: {tags: {prefix: web/}}\nstages:\n"+
				"  web: {from: web, set: {web.yaml: {tag: \"${web.version}\"}}, verify: [web]}", 1))
			s.do("resync", "wait 20s")
			require.Empty(t, s.states("web"))
			s.push(map[string]*string{"src/b": githubsim.Text("b\n")})
			require.NoError(t, s.github.PushTag(home, "ann", "web/v1.1.0", "main"))
			s.do("wait 1m")
			require.Equal(t, []string{"p1 web@web/v1.1.0 web verifying"}, s.states("web"))
		})
	}
}
