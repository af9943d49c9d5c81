package gh

import (
	"testing"

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
		pulls, full, err = k.client.Pulls.NewestOpen(t.Context(), "main")
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
	none, _, err := k.client.Pulls.NewestOpen(t.Context(), "release")
	require.NoError(t, err)
	require.Empty(t, none)
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
