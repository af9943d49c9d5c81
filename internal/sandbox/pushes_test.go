package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

const pushes = `version: 1
warehouses:
  api: {pushes: {repo: acme/api, branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {at: "${api.commit}"}}, queue: fifo}
`

// pushSource pushes a commit that changes one file of the source repository.
func (s *site) pushSource(path string) (sha string) {
	s.t.Helper()
	sha, err := s.github.PushFiles(apiRepo, "main", "ann", "Change "+path,
		map[string]*string{path: githubsim.Text(fmt.Sprintln(s.github.Head(apiRepo, "main")))})
	require.NoError(s.t, err)
	return sha
}

// TestEachPushIsFreightOnceAndInOrderWhetherOrNotItIsToldF4 loses the webhooks of some pushes, pushes several commits
// at a time, and resyncs. Every commit of the branch that changes the source becomes freight.
func TestEachPushIsFreightOnceAndInOrderWhetherOrNotItIsToldF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, pushes)
	var want []string
	freight := func(sha string) {
		want = append(want, fmt.Sprintf("p%d api@%.10s dev succeeded", len(want)+1, sha))
	}
	freight(s.pushSource("src/a"))
	s.pushSource("README.md")
	freight(s.pushSource("src/b"))
	s.quiet()
	require.Equal(t, want, s.states("dev"))

	s.deaf(func() error {
		freight(s.pushSource("src/c"))
		s.pushSource("docs/c")
		freight(s.pushSource("src/d"))
		return nil
	})
	s.do("resync", "resync")
	require.Equal(t, want, s.states("dev"), "in the order of the branch, though all are of the same second")
	freight(s.pushSource("src/e"))
	s.quiet()
	s.do("wait 1m", "resync")
	require.Equal(t, want, s.states("dev"))
	text, _ := s.github.File(home, "main", "dev.yaml")
	require.Contains(t, text, s.github.Head(apiRepo, "main"))
	require.Contains(t, s.pull(1).Body, "| acme/api@")
}

// TestAPushThatIsHeardOfLateComesBeforeThoseBehindItF4: two later ones are known when a resync finds it.
func TestAPushThatIsHeardOfLateComesBeforeThoseBehindItF4(t *testing.T) {
	t.Parallel()
	s := newSite(t, pushes)
	order := []string{s.pushSource("src/a")}
	s.quiet()
	s.deaf(func() error {
		order = append(order, s.pushSource("src/b"))
		return nil
	})
	for _, path := range []string{"src/c", "src/d"} {
		s.do("wait 10s")
		order = append(order, s.pushSource(path))
		s.quiet()
	}
	s.do("resync")
	require.Equal(t, order, s.heads())
}

// TestAPushThatIsToldLateComesBeforeThoseBehindItF4 by its own webhook, when later ones are freight already.
func TestAPushThatIsToldLateComesBeforeThoseBehindItF4(t *testing.T) {
	t.Parallel()
	for _, between := range [][]string{nil, {"wait 10s"}} {
		s := newSite(t, pushes)
		order := []string{s.pushSource("src/a")}
		s.quiet()
		s.github.LoseWebhooks(true)
		s.do(between...)
		order = append(order, s.pushSource("src/b"))
		require.NoError(t, s.github.Settle(s.ctx))
		s.github.LoseWebhooks(false)
		for _, path := range []string{"src/c", "src/d"} {
			s.do(between...)
			order = append(order, s.pushSource(path))
			s.quiet()
		}
		s.github.DeliverLost()
		s.quiet()
		require.Equal(t, order, s.heads(), between)
	}
}

// heads are the pushes that are freight, the oldest first.
func (s *site) heads() (shas []string) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Freight.Newest(pipeline, "api", 10)
		for _, f := range slices.Backward(all) {
			shas = append(shas, string(f.SHA))
		}
		return err
	})
	return shas
}

// TestAMergedPullRequestIsOnePushHoweverItIsMerged takes the commit on the branch, not those behind a merge.
func TestAMergedPullRequestIsOnePushHoweverItIsMerged(t *testing.T) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint(told), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, pushes)
			merge := func() error {
				n, err := s.github.OpenPull(apiRepo,
					githubsim.PullSpec{Author: "ann", Head: "topic", Files: map[string]*string{"src/a": githubsim.Text("a\n")}})
				require.NoError(t, err)
				_, err = s.github.PushFiles(apiRepo, "topic", "ann", "more", map[string]*string{"src/b": githubsim.Text("b\n")})
				require.NoError(t, err)
				_, err = s.github.MergePull(apiRepo, n, "bob", "merge")
				return err
			}
			if told {
				require.NoError(t, merge())
				s.quiet()
			} else {
				s.deaf(merge)
				s.do("resync")
			}
			require.Equal(t, []string{fmt.Sprintf("p1 api@%.10s dev succeeded", s.github.Head(apiRepo, "main"))},
				s.states("dev"))
		})
	}
}

// TestABranchThatIsForcedOrNewIsFreightByItsHead: there is no previous head to compare it with.
func TestABranchThatIsForcedOrNewIsFreightByItsHead(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(pushes, "branch: main", "branch: next", 1))
	require.NoError(t, s.github.CreateBranch(apiRepo, "next", "ann", "main"))
	s.quiet()
	head := s.github.Head(apiRepo, "next")
	require.Equal(t, []string{fmt.Sprintf("p1 api@%.10s dev succeeded", head)}, s.states("dev"),
		"nobody knows what it changes")
	s.deaf(func() error {
		for _, path := range []string{"src/a", "src/b"} {
			_, err := s.github.PushFiles(apiRepo, "next", "ann", path, map[string]*string{path: githubsim.Text("a\n")})
			require.NoError(t, err)
		}
		return nil
	})
	s.do("wait 1m", "resync")
	require.Len(t, s.states("dev"), 3, "from where it began each commit is known")
	s.deaf(func() error {
		_, err := s.github.ForcePush(apiRepo, "next", "ann", "anew", map[string]*string{"src/c": githubsim.Text("c\n")})
		return err
	})
	s.do("wait 1m", "resync")
	require.Len(t, s.states("dev"), 4)
	require.Equal(t, fmt.Sprintf("p4 api@%.10s dev succeeded", s.github.Head(apiRepo, "next")), s.states("dev")[3])
}

// TestAPushThatGitHubDoesNotListKeepsNoCheckBack loses the webhooks of a push with more files than a comparison lists,
// in a repository with more than a tree lists, and then of a check.
func TestAPushThatGitHubDoesNotListKeepsNoCheckBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "lose webhooks")
	files := map[string]*string{}
	for i := range 301 {
		files[fmt.Sprintf("docs/%d", i)] = githubsim.Text("x\n")
	}
	_, err := s.github.PushFiles(home, "main", "admin", "Many files", files)
	require.NoError(t, err)
	s.do("check smoke success at m1")
	s.github.LoseWebhooks(false)
	s.github.Faults().FailNext(trees, githubsim.Fault{
		Status: http.StatusOK, Times: -1, Body: `{"sha":"0","url":"https://github.invalid","tree":[],"truncated":true}`,
	})
	s.do("resync")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}
