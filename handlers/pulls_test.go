package handlers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// feature is an open pull request of a person.
var feature = obj{
	"number": 142, "title": "Faster", "html_url": "https://github.com/acme/deploy/pull/142", "state": "open",
	"merged": false, "user": mona, "labels": []obj{{"name": "api"}, {"name": "urgent"}},
	"head": obj{"ref": "faster", "sha": "h1", "repo": fork},
	"base": obj{"ref": "main", "sha": "b1", "repo": deploy}, "merge_commit_sha": "trial", "merged_at": nil,
	"merged_by": nil, "mergeable_state": "clean", "updated_at": "2026-03-01T12:00:00Z",
}

// promoting is an open pull request of Waybill.
var promoting = feature.with(obj{
	"number": 7, "user": waybill, "head": obj{"ref": "waybill/dev/api-142/12", "sha": "h1", "repo": deploy},
})

var (
	merge = obj{"state": "closed", "merged": true, "merge_commit_sha": "m1", "merged_at": "2026-03-01T12:05:00Z",
		"merged_by": hubot, "updated_at": "2026-03-01T12:05:00Z"}
	closed = obj{"state": "closed", "updated_at": "2026-03-01T12:05:00Z"}
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func TestAMergedPullRequestOfSomebodyIsMerged(t *testing.T) {
	got := decode(t, "pull_request", obj{"action": "closed", "pull_request": feature.with(merge)})
	require.Equal(t, told(
		&handlers.CandidatePull{Number: 142, Head: "h1", Base: "main", Merged: true, Updated: noon.Add(5 * time.Minute),
			Fork: true, By: byMona},
		&handlers.MergedPull{
			Number: 142, Title: "Faster", Author: byMona, MergedAt: noon.Add(5 * time.Minute), MergeSHA: "m1", Base: "main",
			Labels: []string{"api", "urgent"},
		},
	), got)
}

// TestAPullRequestOfPeoplesIsACandidateAsItIsNow checks each action on the pull request.
func TestAPullRequestOfPeoplesIsACandidateAsItIsNow(t *testing.T) {
	candidates := func(action string, pull obj) []handlers.CandidatePull {
		return handlers.All[handlers.CandidatePull](decode(t, "pull_request", obj{"action": action, "pull_request": pull}))
	}
	want := handlers.CandidatePull{
		Number: 142, Head: "h1", Base: "main", Open: true, Updated: noon, Fork: true, By: byMona,
	}
	for action, change := range map[string]handlers.PullChange{
		"opened": handlers.PullOpened, "edited": "", "reopened": handlers.PullReopened, "labeled": "", "enqueued": "",
	} {
		changed := want
		changed.Change = change
		require.Equal(t, []handlers.CandidatePull{changed}, candidates(action, feature))
	}
	pushed := want
	pushed.Change, pushed.Before = handlers.PullPushed, "h0"
	require.Equal(t, []handlers.CandidatePull{pushed}, handlers.All[handlers.CandidatePull](decode(t, "pull_request",
		obj{"action": "synchronize", "before": "h0", "after": "h1", "pull_request": feature})))
	turned := want
	turned.Change, turned.Was = handlers.PullTurned, "next"
	require.Equal(t, []handlers.CandidatePull{turned}, handlers.All[handlers.CandidatePull](decode(t, "pull_request",
		obj{"action": "edited", "changes": obj{"base": obj{"ref": obj{"from": "next"}}}, "pull_request": feature})))
	ended := want
	ended.Open, ended.Updated = false, noon.Add(5*time.Minute)
	require.Equal(t, []handlers.CandidatePull{ended}, candidates("closed", feature.with(closed)))
	require.Empty(t, candidates("opened", promoting), "it is one of ours")
}

func TestAGroupOfTheMergeQueueIsToBeCheckedOrGoneT38(t *testing.T) {
	const base = "0123456789012345678901234567890123456789"
	const ref = "gh-readonly-queue/main/pr-12-0123456789012345678901234567890123456789"
	group := obj{"head_sha": "h1", "head_ref": "refs/heads/" + ref, "base_sha": base, "base_ref": "refs/heads/main"}
	want := handlers.MergeGroup{Group: promotion.Group{Branch: "main", Pull: 12, Base: base}, Ref: ref, Head: "h1"}
	require.Equal(t, told(&want), decode(t, "merge_group", obj{"action": "checks_requested", "merge_group": group}))
	want.Gone = true
	require.Equal(t, told(&want), decode(t, "merge_group", obj{"action": "destroyed", "merge_group": group}))
	unnamed := decode(t, "merge_group",
		obj{"action": "checks_requested", "merge_group": group.with(obj{"head_ref": "refs/heads/queue/12"})})
	require.Equal(t,
		told(&handlers.MergeGroup{Group: promotion.Group{Branch: "main", Base: base}, Ref: "queue/12", Head: "h1"}),
		unnamed, "whose it is, nobody knows")
	_, err := handlers.Decode(self, "merge_group",
		payload(obj{"action": "checks_requested", "merge_group": group.with(obj{"head_sha": ""})}))
	require.ErrorIs(t, err, handlers.ErrIgnored)
}

func TestTheMergeQueueTellsWhoIsInAndWhyNotAnyMoreT38(t *testing.T) {
	said := func(action, reason string) handlers.OurPull {
		got := decode(t, "pull_request", obj{"action": action, "reason": reason, "pull_request": promoting})
		require.Len(t, handlers.All[handlers.OurPull](got), 1)
		return *handlers.First[handlers.OurPull](got)
	}
	require.Equal(t, promotion.InQueue, said("enqueued", "").Queue)
	thrown := said("dequeued", "CI_FAILURE")
	require.Equal(t, promotion.OutOfQueue, thrown.Queue)
	require.Equal(t, "CI_FAILURE", thrown.Dequeued)
	merged := said("dequeued", "MERGE")
	require.Empty(t, merged.Queue, "its merge is told by another delivery")
	require.Empty(t, merged.Dequeued)
}

func TestAMergeOfWhichItIsNotSaidAsWhatIsAskedFor(t *testing.T) {
	for name, pull := range map[string]obj{"somebody's": feature, "ours": promoting} {
		got := decode(t, "pull_request",
			obj{"action": "closed", "pull_request": pull.with(merge).with(obj{"merge_commit_sha": nil})})
		require.NotNil(t, handlers.First[handlers.Unfinished](got), name)
		require.Nil(t, handlers.First[handlers.MergedPull](got), name)
		require.Nil(t, handlers.First[handlers.OurPull](got), name)
	}
}

func TestOnlyTheMergeOfAPullRequestOfSomebodyIsAFact(t *testing.T) {
	for _, row := range []struct {
		name, action string
		pull         obj
	}{
		{"opened into another branch than the default one", "opened",
			feature.with(obj{"base": obj{"ref": "next", "sha": "b1", "repo": deploy}})},
		{"pushed to, and closed by now", "synchronize", feature.with(closed)},
		{"edited", "edited", feature},
		{"closed", "closed", feature.with(closed)},
		{"labelled after the merge", "labeled", feature.with(merge)},
		{"labelled after a merge of which it is not said as what", "labeled",
			feature.with(merge).with(obj{"merge_commit_sha": nil})},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := decode(t, "pull_request", obj{"action": row.action, "pull_request": row.pull})
			candidate := handlers.First[handlers.CandidatePull](got) // always set
			require.Equal(t, told(candidate), got)
		})
	}
}

func TestAPullRequestWithNewCommitsIsProposed(t *testing.T) {
	for action, change := range map[string]handlers.PullChange{
		"opened": handlers.PullOpened, "synchronize": handlers.PullPushed, "reopened": handlers.PullReopened,
	} {
		require.Equal(t, told(
			&handlers.CandidatePull{
				Number: 142, Head: "h1", Base: "main", Open: true, Updated: noon, Change: change, Fork: true, By: byMona,
			},
			&handlers.ProposedPull{Number: 142, Head: "h1", Fork: true, By: promotion.Actor{ID: 11, Login: "mona"}},
		), decode(t, "pull_request", obj{"action": action, "pull_request": feature}))
	}
}

func TestWhatBecomesOfAPullRequestOfOurs(t *testing.T) {
	open := promotion.Pull{
		Repo: "acme/deploy", Number: 7, Head: "waybill/dev/api-142/12", HeadSHA: "h1", Base: "main",
		State: promotion.PullOpen, URL: "https://github.com/acme/deploy/pull/142", Updated: noon,
	}
	ended := open
	ended.Updated = noon.Add(5 * time.Minute)
	mergedBy := func(who promotion.Actor) promotion.Pull {
		p := ended
		p.State, p.MergeSHA, p.MergedAt, p.By = promotion.PullMerged, "m1", p.Updated, who
		return p
	}
	closedBy := func(who promotion.Actor) promotion.Pull {
		p := ended
		p.State, p.By = promotion.PullClosed, who
		return p
	}
	pushed := open
	pushed.Pusher = byMona
	conflicting := open
	conflicting.Conflicts = true
	unsure := open
	unsure.FitUnknown = true
	byUs := mergedBy(promotion.Actor{})
	byUs.NewCommit = true
	for _, row := range []struct {
		name, action string
		pull, sender obj
		want         promotion.Pull
	}{
		{"opened: the trial merge is none", "opened", promoting, waybill, open},
		{"pushed to by a person", "synchronize", promoting, mona, pushed},
		{"pushed to by us", "synchronize", promoting, waybill, open},
		{"reopened", "reopened", promoting, mona, open},
		{"in conflict", "edited", promoting.with(obj{"mergeable_state": "dirty"}), mona, conflicting},
		{"merged by a person (F13)", "closed", promoting.with(merge), hubot, mergedBy(byHubot)},
		{"it is not known whether it fits", "edited", promoting.with(obj{"mergeable_state": "unknown"}), mona, unsure},
		{"merged by us", "closed", promoting.with(merge).with(obj{"merged_by": waybill}), waybill, byUs},
		{"merged by the author, told by who labelled it", "labeled", promoting.with(merge), mona, mergedBy(byHubot)},
		{"closed by a person (F12)", "closed", promoting.with(closed), mona, closedBy(byMona)},
		{"closed by us", "closed", promoting.with(closed), waybill, closedBy(promotion.Actor{})},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := decode(t, "pull_request", obj{"action": row.action, "pull_request": row.pull, "sender": row.sender})
			require.Equal(t, []handlers.OurPull{{Pull: row.want}}, handlers.All[handlers.OurPull](got))
			require.Nil(t, handlers.First[handlers.MergedPull](got), "ours is never freight")
			require.Equal(t, row.sender["type"] == "Bot", got.SenderIsBot)
			require.Equal(t, row.sender["type"] == "Bot", got.Ours)
		})
	}
}

func TestAMergeOfOursWithoutItsCommitIsNotTold(t *testing.T) {
	for _, lacking := range []obj{{"merge_commit_sha": nil}, {"merged_at": nil}} {
		got := decode(t, "pull_request", obj{"action": "closed", "pull_request": promoting.with(merge).with(lacking)})
		require.Empty(t, handlers.All[handlers.OurPull](got))
	}
}

func TestWhoLabelsAClosedPullRequestOfOursHasNotClosedIt(t *testing.T) {
	got := decode(t, "pull_request", obj{"action": "labeled", "pull_request": promoting.with(closed)})
	require.Empty(t, handlers.All[handlers.OurPull](got))
}

// T4: the owner of a fork may give a branch a name like those of Waybill.
func TestABranchOfAForkIsNeverOurs(t *testing.T) {
	for name, repo := range map[string]any{"a fork": fork, "a fork that is gone": nil} {
		t.Run(name, func(t *testing.T) {
			foreign := promoting.with(merge).with(obj{"head": obj{"ref": "waybill/dev/api-142/12", "sha": "h1", "repo": repo}})
			got := decode(t, "pull_request", obj{"action": "closed", "pull_request": foreign})
			require.Empty(t, handlers.All[handlers.OurPull](got))
			require.Equal(t, 7, handlers.First[handlers.MergedPull](got).Number)
		})
	}
}

// T21: in any order of arrival, the states of a pull request show which one is newer.
func TestPullRequestEventsOutOfOrderTellTheirOrder(t *testing.T) {
	ours := func(action string, pull obj) *handlers.OurPull {
		return handlers.First[handlers.OurPull](decode(t, "pull_request", obj{"action": action, "pull_request": pull}))
	}
	closing, late := ours("closed", promoting.with(closed)), ours("synchronize", promoting)
	require.True(t, late.Updated.Before(closing.Updated))

	label := obj{"action": "labeled", "label": obj{"name": "promote/prod"}, "pull_request": promoting}
	require.Equal(t, decode(t, "pull_request", label), decode(t, "pull_request", label),
		"a doubled event tells nothing new")
}

// T22: a delivery of one repository is not evidence for pull requests of another.
func TestAPullRequestOfAnotherRepositoryIsNotBelieved(t *testing.T) {
	foreign := feature.with(merge).with(obj{"base": obj{"ref": "main", "sha": "b1", "repo": fork}})
	for _, event := range []string{"pull_request", "pull_request_review"} {
		got, err := handlers.Decode(self, event, payload(obj{"action": "closed", "pull_request": foreign}))
		require.ErrorIs(t, err, handlers.ErrIgnored)
		require.ErrorContains(t, err, "its pull request is one of mona/deploy")
		require.Zero(t, got)
	}
}

func TestAReviewMayChangeGitHubsMind(t *testing.T) {
	got := decode(t, "pull_request_review",
		obj{"action": "submitted", "review": obj{"state": "approved"}, "pull_request": promoting})
	require.Equal(t, told(&handlers.Bump{SHA: "h1"}), got)
}

func TestAReviewThatApprovesAPullRequestOfOursIsASignOff(t *testing.T) {
	review := obj{"state": "approved", "commit_id": "h1", "user": mona, "submitted_at": noon.Format(time.RFC3339)}
	for _, c := range []struct {
		name   string
		action string
		review obj
		pull   obj
		want   *handlers.Approval
	}{
		{"submitted", "submitted", review, promoting, &handlers.Approval{Number: 7, SHA: "h1", By: byMona, At: noon}},
		{"of an older commit", "submitted", review.with(obj{"commit_id": "h0"}), promoting,
			&handlers.Approval{Number: 7, SHA: "h0", By: byMona, At: noon}},
		{"edited later", "edited", review, promoting, nil},
		{"dismissed", "dismissed", review, promoting, nil},
		{"asking for changes", "submitted", review.with(obj{"state": "changes_requested"}), promoting,
			&handlers.Approval{Number: 7, SHA: "h1", By: byMona, At: noon, Against: true}},
		{"a comment", "submitted", review.with(obj{"state": "commented"}), promoting, nil},
		{"of a bot", "submitted", review.with(obj{"user": waybill}), promoting, nil},
		{"of somebody's pull request", "submitted", review, feature, nil},
	} {
		got := decode(t, "pull_request_review", obj{"action": c.action, "review": c.review, "pull_request": c.pull})
		require.Equal(t, c.want, handlers.First[handlers.Approval](got), c.name)
	}
}

// T13: after any webhook about people, the known rights are dropped.
func TestEveryChangeOfPeopleAndTeamsIsHeardT13(t *testing.T) {
	org := obj{"id": 8, "login": "acme"}
	for event, body := range map[string]obj{
		"member": {"action": "removed"}, "membership": {"action": "removed", "organization": org},
		"team": {"action": "edited", "organization": org}, "organization": {"action": "member_removed", "organization": org},
	} {
		require.Equal(t, handlers.Told{
			From:   handlers.From{Installation: 3, Account: acme, Sender: byMona},
			Events: []handlers.Event{&handlers.PeopleChanged{}},
		}, decode(t, event, body), event)
	}
}
