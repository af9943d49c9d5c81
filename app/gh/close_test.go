package gh

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func unwanted(number int, head promotion.SHA) CloseRequest {
	return CloseRequest{
		Pull: number, Branch: branch, Head: head, Comment: "Newer freight took its place.",
		Marker: "<!-- waybill:close/7 -->",
	}
}

func TestCloseClosesSaysWhyAndDeletesTheBranch(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	for range 2 { // the second time nothing is left to do
		pull, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, head))
		require.NoError(t, err)
		require.Equal(t, promotion.PullClosed, pull.State)
		require.True(t, pull.By.Bot())
		require.Empty(t, k.Head(repo, branch))
		require.Len(t, k.Comments(repo, opened.Pull), 1)
	}
}

func TestCloseIsFinishedWhicheverAnswerWasLostF20(t *testing.T) {
	for name, route := range map[string]githubsim.Route{
		"comment": {Method: "POST", Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
		"close":   {Method: "PATCH", Path: "/repos/{owner}/{repo}/pulls/{pull_number}"},
		"branch":  {Field: "updateRefs"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			opened, head := k.opened()
			k.Faults().FailNext(route, githubsim.Fault{LoseReply: true})
			if _, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, head)); err != nil {
				require.ErrorIs(t, err, ErrTransient)
				_, err = k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, head))
				require.NoError(t, err)
			}
			require.Zero(t, k.Faults().Pending())
			require.Empty(t, k.Head(repo, branch))
			require.Len(t, k.Comments(repo, opened.Pull), 1)
		})
	}
}

// TestCloseClosesWithoutAWordWherePeopleHaveLockedTheConversation: an open pull request might be merged.
func TestCloseClosesWithoutAWordWherePeopleHaveLockedTheConversation(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	require.NoError(t, k.LockPull(repo, opened.Pull, "ann"))
	pull, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, promotion.PullClosed, pull.State)
	require.Empty(t, k.Head(repo, branch))
	require.Empty(t, k.Comments(repo, opened.Pull))
}

// TestCloseSaysWhyThoughGitHubRefusesThatForAMoment: the words come as soon as GitHub takes them.
func TestCloseSaysWhyThoughGitHubRefusesThatForAMoment(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	k.Faults().FailNext(githubsim.Route{Method: "POST", Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
		githubsim.Fault{Status: 422, Times: 2, Body: `{
			"message": "Could not resolve to a node with the global id of 'I_k'.",
			"documentation_url": "https://docs.github.com/rest"}`})
	pull, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, promotion.PullClosed, pull.State)
	require.Len(t, k.Comments(repo, opened.Pull), 1)
}

func TestCloseOfWhatIsMergedTellsSo(t *testing.T) {
	k := newKit(t)
	opened, _ := k.opened()
	sha, err := k.MergePull(repo, opened.Pull, "ann", "squash")
	require.NoError(t, err)
	pull, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, ""))
	require.NoError(t, err)
	require.Equal(t, promotion.PullMerged, pull.State)
	require.Equal(t, promotion.SHA(sha), pull.MergeSHA)
	require.Empty(t, k.Comments(repo, opened.Pull))
}

func TestCloseFindsThePullRequestByItsBranch(t *testing.T) {
	k := newKit(t)
	opened, _ := k.opened()
	pull, err := k.client.Pulls.Close(t.Context(), unwanted(0, ""))
	require.NoError(t, err)
	require.Equal(t, opened.Pull, pull.Number)
	require.Equal(t, promotion.PullClosed, pull.State)
}

func TestCloseDeletesABranchThatNeverGotAPullRequest(t *testing.T) {
	k := newKit(t)
	ours := k.commit()
	require.NoError(t, k.CreateBranch(repo, branch, "waybill[bot]", string(ours)))
	want := unwanted(0, "")
	pull, err := k.client.Pulls.Close(t.Context(), want)
	require.NoError(t, err)
	require.Zero(t, pull.Number)
	require.Equal(t, string(ours), k.Head(repo, branch), "without a commit of ours nothing says that it is our branch")

	want.Head = ours
	_, err = k.client.Pulls.Close(t.Context(), want)
	require.NoError(t, err)
	require.Empty(t, k.Head(repo, branch))
}

func TestCloseLeavesOtherPullRequestsAlone(t *testing.T) {
	k := newKit(t)
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(t, err)
	_, err = k.client.Pulls.Close(t.Context(), unwanted(number, ""))
	require.ErrorIs(t, err, ErrRefused)
	pull, _ := k.Pull(repo, number)
	require.Equal(t, "open", pull.State)
}

func TestCloseLeavesWhatSomebodyPushedToTheBranchF14(t *testing.T) {
	k := newKit(t)
	opened, _ := k.opened()
	require.NoError(t, k.ClosePull(repo, opened.Pull, "ann"))
	theirs, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	require.NoError(t, err)
	_, err = k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, ""))
	require.NoError(t, err)
	require.Equal(t, theirs, k.Head(repo, branch))
}

func TestCloseLeavesWhatSomebodyPushedBeforeF14(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	theirs, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	require.NoError(t, err)
	for _, left := range []promotion.SHA{head, ""} { // "": the database is a copy from before the promotion
		pull, err := k.client.Pulls.Close(t.Context(), unwanted(opened.Pull, left))
		require.NoError(t, err)
		require.Equal(t, promotion.PullClosed, pull.State)
		require.Equal(t, theirs, k.Head(repo, branch))
	}
}

func TestABranchIsNotMovedFromWhereSomebodyHasJustMovedItF14(t *testing.T) {
	k := newKit(t)
	_, head := k.opened()
	k.push(map[string]string{"deploy/dev.yaml": "tag: other\n"})
	anew, theirs := k.commit(), ""
	k.Faults().FailNext(githubsim.Route{Field: "updateRefs"}, githubsim.Fault{Before: func() {
		theirs, _ = k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	}})
	require.ErrorIs(t, k.client.Branches.Move(t.Context(), branch, head, anew), ErrRefused)
	require.Zero(t, k.Faults().Pending())
	require.Equal(t, theirs, k.Head(repo, branch))
}

func TestAConflictIsOverWhenTheBranchHasMovedF16(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	k.push(map[string]string{"deploy/dev.yaml": "tag: other\n", "README.md": "theirs\n"})
	outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, Conflicts, outcome.Result)
	require.True(t, outcome.Pull.Conflicts)

	anew := k.commit()
	require.NoError(t, k.client.Branches.Move(t.Context(), branch, head, anew))
	outcome, err = k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, anew))
	require.NoError(t, err)
	require.Equal(t, Merged, outcome.Result)
	readme, _ := k.File(repo, "main", "README.md")
	require.Equal(t, "theirs\n", readme, "nobody's work is lost")
}

func TestMoveBranchMovesOnlyWhatIsWhereItWasF14F16(t *testing.T) {
	k := newKit(t)
	_, head := k.opened()
	k.push(map[string]string{"deploy/dev.yaml": "tag: other\n"})
	anew := k.commit()
	for range 2 { // the second time it exists already
		require.NoError(t, k.client.Branches.Move(t.Context(), branch, head, anew))
		require.Equal(t, string(anew), k.Head(repo, branch))
	}
	theirs, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	require.NoError(t, err)
	err = k.client.Branches.Move(t.Context(), branch, anew, head)
	require.ErrorIs(t, err, ErrRefused)
	require.Contains(t, Explain(err).Detail, theirs)
	require.Equal(t, theirs, k.Head(repo, branch))

	err = k.client.Branches.delete(t.Context(), branch, anew)
	require.ErrorIs(t, err, ErrRefused)
	require.Equal(t, theirs, k.Head(repo, branch), "and nobody's work is deleted")

	require.ErrorIs(t, k.client.Branches.Move(t.Context(), "waybill/gone/1", head, anew), ErrNotFound)
}
