package gh

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestTheOpenPullRequestsIntoABranchAreListedInOneRequest(t *testing.T) {
	k := newKit(t)
	mine, err := k.OpenPull(repo,
		githubsim.PullSpec{Author: "ann", Head: "mine", Files: map[string]*string{"a.md": githubsim.Text("a")}})
	require.NoError(t, err)
	forked, err := k.OpenPull(repo,
		githubsim.PullSpec{Author: "ann", Head: "theirs", Fork: true, Files: map[string]*string{"b.md": githubsim.Text("b")}})
	require.NoError(t, err)
	closed, err := k.OpenPull(repo,
		githubsim.PullSpec{Author: "ann", Head: "closed", Files: map[string]*string{"c.md": githubsim.Text("c")}})
	require.NoError(t, err)
	require.NoError(t, k.ClosePull(repo, closed, "ann"))
	var pulls []OpenPull
	asked := k.asked(func() {
		var full bool
		pulls, full, err = k.client.Pulls.NewestOpen(t.Context(), "main", 100)
		require.NoError(t, err)
		require.False(t, full)
	})
	require.Equal(t, 1, asked)
	here := map[int]bool{}
	for _, p := range pulls {
		seen, _ := k.Pull(repo, p.Number)
		require.Equal(t, promotion.SHA(seen.HeadSHA), p.Head)
		require.Equal(t, seen.HeadBranch, p.Branch)
		require.False(t, p.Updated.IsZero())
		here[p.Number] = p.Here
	}
	require.Equal(t, map[int]bool{mine: true, forked: false}, here)
	none, _, err := k.client.Pulls.NewestOpen(t.Context(), "release", 100)
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestOpenPullRequestsOfForksPushNoOthersOffTheList lists as many of either as are wanted.
func TestOpenPullRequestsOfForksPushNoOthersOffTheList(t *testing.T) {
	k := newKit(t)
	open := func(head string, fork bool) int {
		n, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Head: head, Fork: fork,
			Files: map[string]*string{head: githubsim.Text("a")}})
		require.NoError(t, err)
		return n
	}
	var mine []int
	for _, head := range []string{"a", "b", "c"} {
		mine = append(mine, open(head, false))
		k.clock.Advance(time.Second)
	}
	for i := range 2 * perPage {
		open(fmt.Sprint("theirs-", i), true)
	}
	listed := func(most, requests int) (here []int, forks int, full bool) {
		require.Equal(t, requests, k.asked(func() {
			all, more, err := k.client.Pulls.NewestOpen(t.Context(), "main", most)
			require.NoError(t, err)
			full = more
			for _, p := range all {
				if p.Here {
					here = append(here, p.Number)
				} else {
					forks++
				}
			}
		}))
		return here, forks, full
	}
	here, forks, full := listed(100, 3)
	require.Equal(t, []int{mine[2], mine[1], mine[0]}, here)
	require.Equal(t, 100, forks)
	require.True(t, full)
	here, _, full = listed(2, 3)
	require.Equal(t, []int{mine[2], mine[1]}, here)
	require.True(t, full)
	_, forks, full = listed(300, 3)
	require.Equal(t, 200, forks)
	require.False(t, full)
}

func TestTheGroupsOfAMergeQueueAreItsBranchesT38(t *testing.T) {
	k := newKit(t)
	none, err := k.client.MergeQueue.Groups(t.Context(), "main")
	require.NoError(t, err)
	require.Empty(t, none)
	base := k.Head(repo, "main")
	require.NoError(t, k.Protect(repo, "main", githubsim.Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
	n, err := k.OpenPull(repo,
		githubsim.PullSpec{Author: "ann", Head: "mine", Files: map[string]*string{"a.md": githubsim.Text("a")}})
	require.NoError(t, err)
	p, _ := k.Pull(repo, n)
	_, err = k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "ci", SHA: p.HeadSHA, Suite: "ci", Conclusion: "success"})
	require.NoError(t, err)
	require.NoError(t, k.Enqueue(repo, n, "ann"))
	all, err := k.client.MergeQueue.Groups(t.Context(), "main")
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, promotion.Group{Branch: "main", Pull: n, Base: promotion.SHA(base)}, all[0].Group)
	require.Equal(t, k.Head(repo, all[0].Ref), string(all[0].Head))
}
