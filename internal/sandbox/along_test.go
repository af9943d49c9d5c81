package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// offers has somebody open and merge a pull request of their own.
func (s *site) offers(by, path string) {
	s.t.Helper()
	if by != bot {
		require.NoError(s.t, s.meet(promotion.Login(by)))
	}
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: by, Head: "of-" + by + "-" + path,
		Files: map[string]*string{"src/" + path: githubsim.Text(path)}})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(home, number, by, "squash")
	require.NoError(s.t, err)
	s.quiet()
}

// bot is nobody who could sign anything off, so that what it opens and merges has no maker who counts.
const bot = "github-actions[bot]"

// pushes has somebody push to main.
func (s *site) pushes(by, path string) {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(by)))
	_, err := s.github.PushFiles(home, "main", by, "Change "+path,
		map[string]*string{"src/" + path: githubsim.Text(path)})
	require.NoError(s.t, err)
	s.quiet()
}

// waysOfEve bring a change of ann into prod, if it has anything yet, then one of eve, and then one that she has no hand
// in and that contains hers, by kind of warehouse.
var waysOfEve = map[string]struct {
	pipeline           string
	first, hers, later func(*site)
}{
	"pull requests": {signedPulls,
		func(s *site) { s.offers("ann", "a") }, func(s *site) { s.offers("eve", "b") },
		func(s *site) { s.offers(bot, "c") }},
	"pushes": {signedPushes,
		func(s *site) { s.pushes("ann", "a") }, func(s *site) { s.pushes("eve", "b") },
		func(s *site) { s.pushes("ann", "c") }},
	"releases": {signedReleases,
		func(s *site) { s.releasesIt("ann", "v1.0.0") }, func(s *site) { s.releasesIt("eve", "v1.1.0") },
		func(s *site) { s.releasesIt("ann", "v1.2.0") }},
	"tags": {signedTags,
		func(s *site) { s.tagsIt("ann", "v1.0.0") }, func(s *site) { s.tagsIt("eve", "v1.1.0") },
		func(s *site) { s.tagsIt("ann", "v1.2.0") }},
}

func (s *site) releasesIt(by, tag string) {
	s.t.Helper()
	s.pushes(by, tag)
	require.NoError(s.t, s.github.PublishRelease(home, by, tag, false))
	s.quiet()
}

func (s *site) tagsIt(by, tag string) {
	s.t.Helper()
	s.pushes(by, tag)
	require.NoError(s.t, s.github.PushTag(home, by, tag, s.github.Head(home, "main")))
	s.quiet()
}

// drops has somebody end the promotion that waits for a sign-off, so that its freight comes along with what comes next.
func (s *site) drops(by string) {
	s.t.Helper()
	s.do(fmt.Sprintf("comment #%d by %s: /cancel prod", s.waiting(), by))
	all := s.states("prod")
	require.Contains(s.t, all[len(all)-1], "cancelled")
}

// TestWhoHasMadeWhatComesAlongSignsNothingOffT15: the change of somebody else carries that of eve into prod.
func TestWhoHasMadeWhatComesAlongSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	for name, way := range waysOfEve {
		for _, hosts := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " hosts ", hosts), func(t *testing.T) {
				t.Parallel()
				s := newSite(t, way.pipeline)
				if hosts {
					way.first(s)
					require.Contains(t, s.signs("cleo"), "cleo has signed off")
				}
				way.hers(s)
				s.drops("eve")
				way.later(s)
				answer := s.signs("eve")
				require.Contains(t, answer, "whoever had a hand in api")
				require.Contains(t, answer, ", which comes along, may not do that")
				require.Contains(t, s.states("prod")[len(s.states("prod"))-1], "waiting-for-merge")
				require.Contains(t, s.signs("cleo"), "cleo has signed off")
				require.Contains(t, s.states("prod")[len(s.states("prod"))-1], "succeeded")
			})
		}
	}
}

// TestWhatAStageHasComesAlongNoMoreT15: eve signs off what comes after her change.
func TestWhatAStageHasComesAlongNoMoreT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	s.offers("eve", "a")
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	s.offers(bot, "b")
	require.Contains(t, s.signs("eve"), "eve has signed off")
}

// TestWhileWhoHasMadeWhatComesAlongIsUnknownNobodySignsOffT15 has a commit of an unknown address come along.
func TestWhileWhoHasMadeWhatComesAlongIsUnknownNobodySignsOffT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	require.NoError(t, s.meet("ann"))
	s.offers("bob", "a")
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change",
		Files: map[string]*string{"src/x": githubsim.Text("x")}})
	require.NoError(t, err)
	s.forges("change", "More", "nobody@example.com")
	_, err = s.github.MergePull(home, number, "ann", "")
	require.NoError(t, err)
	s.quiet()
	s.drops("ann")
	s.offers(bot, "b")
	answer := s.signs("cleo")
	require.Contains(t, answer, fmt.Sprintf("whoever had a hand in api#%d, which comes along, may not do that, and it is "+
		"not known who its author is, so nobody may", number))
	require.Contains(t, answer, "the mail address of Somebody in commit")
	require.Contains(t, s.states("prod")[2], "waiting-for-merge")
}

// TestWhatComesAlongIsReadOnceT15 has GitHub not answer at first, and counts which freight is read.
func TestWhatComesAlongIsReadOnceT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	for _, path := range []string{"a", "b", "c"} {
		s.offers("ann", path)
		if path != "c" {
			s.drops("ann")
		}
	}
	unread := func() (n int) {
		s.view(func(tx *store.Tx, pipeline int64) error {
			all, err := tx.Freight.Newest(pipeline, "api", 10)
			for _, f := range all {
				if f.Hands.Unread {
					n++
				}
			}
			return err
		})
		return n
	}
	require.Equal(t, 3, unread(), "nobody has signed anything off")
	s.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: "/graphql"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	require.Contains(t, s.signs("bob"), "GitHub could not be asked; try again in a minute")
	s.github.Faults().Clear()
	s.do("wait 10m")
	require.Equal(t, 3, unread())
	require.Contains(t, s.signs("bob"), "bob has signed off")
	require.Zero(t, unread())
}
