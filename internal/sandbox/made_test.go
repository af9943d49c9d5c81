package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

const signedReleases = `version: 1
warehouses:
  api: {releases: {}}
stages:
  prod: {from: api, approvals: 1, set: {dev.yaml: {tag: "${api.tag}"}}}
`

const signedTags = `version: 1
warehouses:
  api: {tags: {}}
stages:
  prod: {from: api, approvals: 1, set: {dev.yaml: {tag: "${api.tag}"}}}
`

// madeOf is what makes freight of the head of main, by kind of warehouse: nobody who has made the head does that.
func (s *site) madeOf(kind string) {
	s.t.Helper()
	head := s.github.Head(home, "main")
	switch kind {
	case signedReleases:
		require.NoError(s.t, s.github.PublishRelease(home, "gina", "v1.0.0", false))
	case signedTags:
		require.NoError(s.t, s.github.PushTag(home, "gina", "v1.0.0", head))
	}
	s.quiet()
}

var kindsOfCommits = map[string]string{"pushes": signedPushes, "releases": signedReleases, "tags": signedTags}

// TestAMergedCommitIsThatOfItsPullRequestT15: eve writes a pull request, and somebody else merges it. What is merged is
// freight as a push, or as the commit of a tag or release: neither a merge commit nor a squashed one names her.
func TestAMergedCommitIsThatOfItsPullRequestT15(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfCommits {
		for _, method := range []string{"merge", "squash", "rebase"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				s := newSite(t, kind)
				bob := s.address("bob")
				for _, who := range []promotion.Login{"ann", "fred", "gina"} {
					require.NoError(t, s.meet(who))
				}
				number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change",
					Files: map[string]*string{"src/a": githubsim.Text("a")}})
				require.NoError(t, err)
				s.forges("change", "More", bob)
				_, err = s.github.MergePull(home, number, "fred", method)
				require.NoError(t, err)
				s.madeOf(kind)
				for _, who := range []string{"eve", "ann", "fred"} {
					require.Contains(t, s.signs(who), "the author may not do that", who)
				}
				require.NotContains(t, s.states("prod")[0], "succeeded")
				require.Contains(t, s.signs("cleo"), "cleo has signed off")
				require.Contains(t, s.states("prod")[0], "succeeded")
			})
		}
	}
}

// TestWhoPushesTheCommitOfATagSignsNothingOffT15: eve pushes a commit under the name of bob, and somebody else tags or
// releases it.
func TestWhoPushesTheCommitOfATagSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfCommits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, kind)
			require.NoError(t, s.meet("gina"))
			s.forges("main", "Better", s.address("bob"))
			s.madeOf(kind)
			require.Contains(t, s.signs("eve"), "the author may not do that")
			require.Contains(t, s.signs("bob"), "the author may not do that")
			require.NotContains(t, s.states("prod")[0], "succeeded")
			require.Contains(t, s.signs("cleo"), "cleo has signed off")
			require.Contains(t, s.states("prod")[0], "succeeded")
		})
	}
}

// TestAReleaseThatABotPublishesIsSignedOffByNobodyT15: GitHub does not say who has started the workflow.
func TestAReleaseThatABotPublishesIsSignedOffByNobodyT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedReleases)
	require.NoError(t, s.github.PublishRelease(home, "github-actions[bot]", "v1.0.0", false))
	s.quiet()
	answer := s.signs("cleo")
	require.Contains(t, answer, "it is not known who its publisher is, so nobody may")
	require.Contains(t, answer, "GitHub names no person")
	require.NotContains(t, s.states("prod")[0], "succeeded")
}

// TestATagOfACommitOfWhichNoPushIsKnownIsSignedOffByNobodyT15 tags the first of two commits that came in one push.
func TestATagOfACommitOfWhichNoPushIsKnownIsSignedOffByNobodyT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedTags)
	bob := s.address("bob")
	for _, who := range []promotion.Login{"eve", "gina"} {
		require.NoError(t, s.meet(who))
	}
	commit := func(parent, message string) string {
		tree := s.v3("eve", http.MethodGet, "/git/commits/"+parent, "")["tree"].(map[string]any)["sha"]
		return s.v3("eve", http.MethodPost, "/git/commits", fmt.Sprintf(
			`{"message":%q,"tree":%q,"parents":[%q],"author":{"name":"Bob","email":%q,"date":"2026-01-05T09:00:00Z"}}`,
			message, tree, parent, bob))["sha"].(string)
	}
	first := commit(s.github.Head(home, "main"), "First")
	s.v3("eve", http.MethodPatch, "/git/refs/heads/main", fmt.Sprintf(`{"sha":%q}`, commit(first, "Second")))
	require.NoError(t, s.github.PushTag(home, "gina", "v1.0.0", first))
	s.quiet()
	for _, who := range []string{"eve", "cleo"} {
		answer := s.signs(who)
		require.Contains(t, answer, "it is not known who its commit's pusher is, so nobody may")
		require.Contains(t, answer, "GitHub does not show who pushed commit "+first[:7])
	}
	require.NotContains(t, s.states("prod")[0], "succeeded")
}

// TestWhoMakesAPullRequestIntoAPullRequestSignsNothingOffT15: eve pushes under the name of bob to a branch of which
// dora opens a pull request into that of ann, which ann merges.
func TestWhoMakesAPullRequestIntoAPullRequestSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash"} {
		s := newSite(t, signedPulls)
		bob := s.address("bob")
		require.NoError(t, s.meet("dora"))
		s.offered("ann", "fred", func() {
			require.NoError(t, s.github.CreateBranch(home, "part", "dora", s.github.Head(home, "change")))
			s.forges("part", "More", bob)
			part, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "dora", Head: "part", Base: "change"})
			require.NoError(t, err)
			_, err = s.github.MergePull(home, part, "ann", method)
			require.NoError(t, err)
		})
		for _, who := range []string{"eve", "dora"} {
			require.Contains(t, s.signs(who), "the author may not do that", "%s %s", method, who)
		}
		require.NotContains(t, s.states("prod")[0], "succeeded")
		require.Contains(t, s.signs("cleo"), "cleo has signed off")
		require.Contains(t, s.states("prod")[0], "succeeded")
	}
}
