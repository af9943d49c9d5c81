package gh

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func requestFor(number int, head promotion.SHA) MergeRequest {
	return MergeRequest{
		Pull: number, Base: "main", Head: head, Method: "squash", Title: "Promote api#142 to dev (#1)", Message: "why",
	}
}

const mergeRoute = "/repos/{owner}/{repo}/pulls/{pull_number}/merge"

func TestMergeTellsWhatGitHubSaysOfIt(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	k.clock.Advance(time.Minute)
	var outcome MergeOutcome
	require.Equal(t, 1, k.asked(func() {
		var err error
		outcome, err = k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
		require.NoError(t, err)
	}))
	require.Equal(t, Merged, outcome.Result)
	require.Equal(t, promotion.SHA(k.Head(repo, "main")), outcome.Pull.MergeSHA)
	require.Equal(t, noon.Add(time.Minute), outcome.Pull.MergedAt)
	require.True(t, outcome.Pull.NewCommit, "nothing can have run on it before")
	require.True(t, outcome.Pull.By.Bot(), "it was Waybill")
	content, _ := k.File(repo, "main", "deploy/dev.yaml")
	require.Equal(t, "tag: v2\n", content)
}

func TestAMergeWhoseAnswerWasLostIsOursF19(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	k.Faults().FailNext(githubsim.Route{Method: "PUT", Path: mergeRoute}, githubsim.Fault{LoseReply: true})
	outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, Merged, outcome.Result)
	require.True(t, outcome.Pull.By.Bot())
	require.True(t, outcome.Pull.NewCommit)
	require.Equal(t, 1, k.CountRequests(githubsim.Route{Method: "PUT", Path: mergeRoute}), "once")
}

func TestAMergeThatGitHubDidNotHearIsTransient(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	k.Faults().FailNext(githubsim.Route{Method: "PUT", Path: mergeRoute},
		githubsim.Fault{Status: 502, Body: "<html></html>"})
	_, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.ErrorIs(t, err, ErrTransient)
	outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, Merged, outcome.Result)
}

func TestAMergeByAPersonIsTheirsF13(t *testing.T) {
	for _, method := range []string{"merge", "squash", "rebase"} {
		t.Run(method, func(t *testing.T) {
			k := newKit(t)
			opened, head := k.opened()
			sha, err := k.MergePull(repo, opened.Pull, "ann", method)
			require.NoError(t, err)
			outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
			require.NoError(t, err)
			require.Equal(t, Merged, outcome.Result)
			require.Equal(t, promotion.SHA(sha), outcome.Pull.MergeSHA)
			require.Equal(t, promotion.Login("ann"), outcome.Pull.By.Login)
			require.False(t, outcome.Pull.NewCommit, "it may have been a merge queue, that has tested the commit before")
			require.NotZero(t, outcome.Pull.By.ID)
		})
	}
}

func TestRefusalsToMergeAreToldApartF18(t *testing.T) {
	for name, test := range map[string]struct {
		before func(k *kit, number int) error
		want   MergeResult
		text   string
	}{
		"check missing": {
			before: func(k *kit, _ int) error {
				return k.Protect(repo, "main", githubsim.Protection{RequiredChecks: []string{"ci"}})
			},
			want: NotAllowed, text: `Required status check "ci" is expected.`,
		},
		"review missing": {
			before: func(k *kit, _ int) error {
				return k.Protect(repo, "main", githubsim.Protection{RequiredReviews: 1})
			},
			want: NotAllowed, text: "At least 1 approving review is required by reviewers with write access.",
		},
		"merge queue that does not want it yet": {
			before: func(k *kit, _ int) error {
				return k.Protect(repo, "main", githubsim.Protection{MergeQueue: true, RequiredReviews: 1})
			},
			want: NotAllowed, text: "At least 1 approving review is required by reviewers with write access.",
		},
		"method": {
			before: func(k *kit, _ int) error {
				return k.SetSettings(repo, githubsim.RepoSettings{NoSquash: true})
			},
			want: NotAllowed, text: "Squash merges are not allowed on this repository.",
		},
		"behind": {
			before: func(k *kit, _ int) error {
				k.push(map[string]string{"README.md": "moved\n"})
				return k.Protect(repo, "main", githubsim.Protection{UpToDate: true})
			},
			want: Behind, text: "Head branch is out of date. Review and try the merge again.",
		},
		"head moved": {
			before: func(k *kit, _ int) error {
				_, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
				return err
			},
			want: HeadMoved,
		},
		"conflict F16": {
			before: func(k *kit, _ int) error {
				k.push(map[string]string{"deploy/dev.yaml": "tag: other\n"})
				return nil
			},
			want: Conflicts,
		},
		"closed F12": {
			before: func(k *kit, number int) error { return k.ClosePull(repo, number, "ann") },
			want:   Closed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			opened, head := k.opened()
			require.NoError(t, test.before(k, opened.Pull))
			main := k.Head(repo, "main")
			outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
			require.NoError(t, err)
			require.Equal(t, test.want, outcome.Result)
			require.Equal(t, test.text, outcome.Text)
			require.Equal(t, main, k.Head(repo, "main"), "nothing was merged")
			require.LessOrEqual(t, k.CountRequests(githubsim.Route{Method: "PUT", Path: mergeRoute}), 2, "no polling")
		})
	}
}

// TestWhereThereIsAMergeQueueItMergesT38 enqueues the pull request twice, as after a crash, and dequeues it again.
func TestWhereThereIsAMergeQueueItMergesT38(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	require.NoError(t, k.Protect(repo, "main", githubsim.Protection{MergeQueue: true, RequiredChecks: []string{"ci"}}))
	_, err := k.CreateCheckRun(repo,
		githubsim.CheckSpec{Name: "ci", SHA: string(head), Suite: "ci", Conclusion: "success"})
	require.NoError(t, err)
	for range 2 {
		outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
		require.NoError(t, err)
		require.Equal(t, Enqueued, outcome.Result)
		require.Equal(t, promotion.InQueue, outcome.Pull.Queue)
	}
	for range 2 {
		pull, err := k.client.MergeQueue.Remove(t.Context(), opened.Pull)
		require.NoError(t, err)
		require.Equal(t, promotion.OutOfQueue, pull.Queue)
		require.Equal(t, promotion.PullOpen, pull.State)
		there, err := k.client.MergeQueue.has(t.Context(), opened.Pull)
		require.NoError(t, err)
		require.False(t, there)
	}
}

func TestWhoClosedAPullRequestIsKnownF12(t *testing.T) {
	k := newKit(t)
	opened, _ := k.opened()
	require.NoError(t, k.ClosePull(repo, opened.Pull, "ann"))
	pull, err := k.client.Pulls.Read(t.Context(), opened.Pull)
	require.NoError(t, err)
	require.Equal(t, promotion.PullClosed, pull.State)
	require.Equal(t, promotion.Login("ann"), pull.By.Login)
}

func TestABaseThatWasJustModifiedIsTriedAgainT3(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	fault := k.Faults().BaseModified()
	fault.Times = 2
	k.Faults().FailNext(githubsim.Route{Method: "PUT", Path: mergeRoute}, fault)
	outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, Merged, outcome.Result)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, k.naps)
}

func TestABaseThatIsModifiedAllTheTimeIsTransientT3(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	fault := k.Faults().BaseModified()
	fault.Times = -1
	k.Faults().FailNext(githubsim.Route{Method: "PUT", Path: mergeRoute}, fault)
	_, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.ErrorIs(t, err, ErrTransient)
	require.NotErrorIs(t, err, ErrRefused)
	require.NotZero(t, RetryAfter(err))
	require.Len(t, k.naps, mergeTries-1)
}

func TestA405IsClassifiedByLookingAgainAndNotByItsWords(t *testing.T) {
	k := newKit(t)
	opened, head := k.opened()
	_, err := k.PushFiles(repo, branch, "ann", "foreign", map[string]*string{"x": githubsim.Text("x")})
	require.NoError(t, err)
	k.Faults().FailNext(githubsim.Route{Method: "PUT", Path: mergeRoute}, k.Faults().BaseModified())
	outcome, err := k.client.Pulls.Merge(t.Context(), requestFor(opened.Pull, head))
	require.NoError(t, err)
	require.Equal(t, HeadMoved, outcome.Result)
	require.Empty(t, k.naps)
}

// TestWhatIsShownOfTheSecondOfOurPushIsOlder: GitHub tells times in whole seconds, so that the state before a push and
// the one after it may have the same.
func TestWhatIsShownOfTheSecondOfOurPushIsOlder(t *testing.T) {
	const before, ours, theirs promotion.SHA = "before", "ours", "theirs"
	second := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		known promotion.Pull
		shown promotion.SHA
		at    time.Time
		late  bool
	}{
		"our push is known, and a head of its second": {promotion.Pull{HeadSHA: ours, Updated: second}, before, second, true},
		"our push is known, and a later head": {
			promotion.Pull{HeadSHA: ours, Updated: second}, theirs, second.Add(time.Second), false,
		},
		"our push is not known, and what is known": {
			promotion.Pull{HeadSHA: before, Updated: second}, before, second, true,
		},
		"the push of a person is known": {promotion.Pull{HeadSHA: "another", Updated: second}, theirs, second, false},
	} {
		shown := &github.PullRequest{
			Head: &github.PullRequestBranch{SHA: github.String(string(c.shown))}, UpdatedAt: &github.Timestamp{Time: c.at},
		}
		require.Equal(t, c.late, MergeRequest{Head: ours, Known: c.known}.late(shown, false), name)
	}
	shown := &github.PullRequest{
		Head: &github.PullRequestBranch{SHA: github.String(string(theirs))}, UpdatedAt: &github.Timestamp{Time: second},
	}
	known := promotion.Pull{HeadSHA: ours, Updated: second}
	require.False(t, MergeRequest{Head: ours, Known: known}.late(shown, true), "what the last try shows counts")
}

func TestMergesIntoOneBranchGoOneByOne(t *testing.T) {
	for base, want := range map[string]int{"main": 1, "": 3} { // without a base they go into three branches
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			under, most := 0, 0
			count := func(d int) {
				mu.Lock()
				defer mu.Unlock()
				under += d
				most = max(most, under)
			}
			hub := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					count(1)
					time.Sleep(time.Second) // the bubble's time, which passes when all goroutines are blocked
					count(-1)
				}
				fmt.Fprint(w,
					`{"number": 1, "merged": true, "merged_at": "2026-03-02T12:00:00Z", "merge_commit_sha": "c1", "state": "closed"}`)
			})
			c := must(t, hub, 1, repo)
			var wait sync.WaitGroup
			for i := range 3 {
				wait.Go(func() {
					r := requestFor(i+1, "c0")
					if r.Base = base; base == "" {
						r.Base = fmt.Sprint("release-", i)
					}
					outcome, err := c.Pulls.Merge(t.Context(), r)
					if err != nil || outcome.Result != Merged {
						t.Errorf("merge: %v %v", outcome.Result, err)
					}
				})
			}
			wait.Wait()
			require.Equal(t, want, most)
		})
	}
}

func TestALaneIsForgottenWhenNobodyIsInIt(t *testing.T) {
	var l lanes
	leave, err := l.enter(t.Context(), "a")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.enter(ctx, "a")
	require.ErrorIs(t, err, ctx.Err())
	other, err := l.enter(t.Context(), "b")
	require.NoError(t, err)
	other()
	leave()
	require.Empty(t, l.busy)
}
