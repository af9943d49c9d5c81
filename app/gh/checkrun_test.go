package gh

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func (k *kit) view(status, conclusion string) CheckRun {
	return CheckRun{
		SHA: promotion.SHA(k.Head(repo, "main")), Pipeline: 4711, Name: "waybill / dev", Subject: "api#1/dev", Present: "p7",
		Status:     status,
		Conclusion: conclusion, Title: "t", Summary: "s",
	}
}

// saveRun saves one check run and returns its number.
func saveRun(t *testing.T, c *Client, run CheckRun) (int64, error) {
	t.Helper()
	saved := c.Surfaces.Save(t.Context(), &run)
	require.Len(t, saved, 1)
	return saved[0].ID, saved[0].Err
}

func TestACheckRunIsMadeOnceAndThenKept(t *testing.T) {
	k := newKit(t)
	first := k.view("in_progress", "")
	made := k.client.Surfaces.Save(t.Context(), &first)[0]
	require.NoError(t, made.Err)
	found, err := saveRun(t, k.client, k.view("in_progress", "")) // by a client that does not have the id
	require.NoError(t, err)
	require.Equal(t, made.ID, found)
	run := k.view("completed", "failure")
	run.Known, run.Was = made.Known, RunState{"in_progress", ""}
	require.Equal(t, 1, k.asked(func() { require.Equal(t, []Saved{made}, k.client.Surfaces.Save(t.Context(), &run)) }))
	runs := k.CheckRuns(repo, string(run.SHA))
	require.Len(t, runs, 1)
	require.Equal(t, "failure", runs[0].Conclusion)
	require.Equal(t, "4711/api#1/dev p7", runs[0].ExternalID)
}

// TestACheckRunOfOtherFreightIsNotTaken has a pull request that is freight of two warehouses, with a check run of the
// same name for each on the same commit.
func TestACheckRunOfOtherFreightIsNotTaken(t *testing.T) {
	k := newKit(t)
	api, web := k.view("in_progress", ""), k.view("completed", "neutral")
	web.Subject, web.Present = "web#1/dev", "p8"
	for _, saved := range k.client.Surfaces.Save(t.Context(), &api, &web) {
		require.NoError(t, saved.Err)
	}
	for _, run := range []CheckRun{api, web, api} { // the answer was lost
		run.Known, run.Was = Known{}, RunState{}
		_, err := saveRun(t, k.client, run)
		require.NoError(t, err)
	}
	var ids []string
	for _, run := range k.CheckRuns(repo, string(api.SHA)) {
		ids = append(ids, run.ExternalID)
	}
	require.ElementsMatch(t, []string{"4711/api#1/dev p7", "4711/web#1/dev p8"}, ids)
}

// TestACheckRunOfAnotherPipelineIsNotTaken has two pipelines with a stage of the same name and a check run on the same
// commit.
func TestACheckRunOfAnotherPipelineIsNotTaken(t *testing.T) {
	k := newKit(t)
	other := k.view("in_progress", "")
	other.Pipeline = 4712
	theirs, err := saveRun(t, k.client, other)
	require.NoError(t, err)
	ours, err := saveRun(t, k.client, k.view("in_progress", ""))
	require.NoError(t, err)
	require.NotEqual(t, theirs, ours)
	other.Title = "news"
	again, err := saveRun(t, k.client, other)
	require.NoError(t, err)
	require.Equal(t, theirs, again, "the newer run of the name is that of the other pipeline")
}

func TestACheckRunWhoseAnswerWasLostIsFoundF20(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(githubsim.Route{Field: "createCheckRun"}, githubsim.Fault{LoseReply: true})
	_, err := saveRun(t, k.client, k.view("in_progress", ""))
	require.ErrorIs(t, err, ErrTransient)
	_, err = saveRun(t, k.client, k.view("in_progress", ""))
	require.NoError(t, err)
	require.Len(t, k.CheckRuns(repo, k.Head(repo, "main")), 1)
}

func TestAnnotationsAreToldOnceF20(t *testing.T) {
	k := newKit(t)
	run := k.view("completed", "failure")
	for line := range 60 {
		run.Annotations = append(run.Annotations,
			Annotation{Path: "a.yml", Line: line + 1, Col: 3, Level: "failure", Message: "wrong"})
	}
	for range 2 {
		_, err := saveRun(t, k.client, run)
		require.NoError(t, err)
	}
	runs := k.CheckRuns(repo, string(run.SHA))
	require.Len(t, runs, 1)
	require.Len(t, runs[0].Annotations, 50, "GitHub takes no more at once, and would add those of the second time")
}

// TestACompletedCheckRunIsFollowedByAnotherF33: GitHub would keep it as it was, and answer as if it did not.
func TestACompletedCheckRunIsFollowedByAnotherF33(t *testing.T) {
	for _, next := range []RunState{{"in_progress", ""}, {"queued", ""}, {"completed", "failure"}} {
		for _, known := range []bool{true, false} {
			k := newKit(t)
			was := k.view("completed", "success")
			first := k.client.Surfaces.Save(t.Context(), &was)[0]
			require.NoError(t, first.Err)
			run := k.view(next.Status, next.Conclusion)
			if known {
				run.Known, run.Was, run.Fresh = first.Known, RunState{"completed", "success"}, true
			}
			requests := k.asked(func() {
				second := k.client.Surfaces.Save(t.Context(), &run)[0]
				require.NoError(t, second.Err)
				require.Greater(t, second.ID, first.ID)
			})
			require.Equal(t, map[bool]int{true: 1, false: 2}[known], requests)
			runs := k.CheckRuns(repo, k.Head(repo, "main"))
			require.Len(t, runs, 2)
			for _, seen := range runs {
				want := RunState{"completed", "success"}
				if seen.ID > first.ID {
					want = next
				}
				require.Equal(t, want, RunState{seen.Status, seen.Conclusion})
			}
		}
	}
}

func TestACompletedCheckRunGetsNewTextsInItsPlace(t *testing.T) {
	k := newKit(t)
	was := k.view("completed", "neutral")
	first := k.client.Surfaces.Save(t.Context(), &was)[0]
	require.NoError(t, first.Err)
	run := k.view("completed", "neutral")
	run.Known, run.Was, run.Summary = first.Known, RunState{"completed", "neutral"}, "news"
	require.Equal(t, []Saved{first}, k.client.Surfaces.Save(t.Context(), &run))
	runs := k.CheckRuns(repo, k.Head(repo, "main"))
	require.Len(t, runs, 1)
	require.Equal(t, "news", runs[0].Summary)
}

// TestAnOutdatedCheckRunIsFollowedByAnotherOnce: also when the first answer is lost.
func TestAnOutdatedCheckRunIsFollowedByAnotherOnce(t *testing.T) {
	for _, lost := range []bool{false, true} {
		k := newKit(t)
		was := k.view("completed", "success")
		first := k.client.Surfaces.Save(t.Context(), &was)[0]
		require.NoError(t, first.Err)
		again := func(fresh bool) Saved {
			run := k.view("completed", "success")
			run.Known, run.Outdated, run.Fresh = first.Known, first.ID, fresh
			return k.client.Surfaces.Save(t.Context(), &run)[0]
		}
		if lost {
			k.Faults().FailNext(githubsim.Route{Field: "createCheckRun"}, githubsim.Fault{LoseReply: true})
			require.ErrorIs(t, again(true).Err, ErrTransient)
		}
		second := again(!lost)
		require.NoError(t, second.Err)
		require.Greater(t, second.ID, first.ID)
		require.Len(t, k.CheckRuns(repo, k.Head(repo, "main")), 2)
	}
}

func TestARunThatGitHubKeepsCompletedIsFollowedByAnotherF33(t *testing.T) {
	var said []string
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		field, id, status := "createCheckRun", 2, "IN_PROGRESS"
		if strings.Contains(string(body), "updateCheckRun") {
			field, id, status = "updateCheckRun", 1, "COMPLETED"
		}
		said = append(said, field)
		fmt.Fprintf(w, `{"data": {"s0": {"checkRun": {"id": "CR_%d", "databaseId": %d, "status": %q}}}}`, id, id, status)
	})
	repository := "R_1"
	c.node.Store(&repository)
	id, err := saveRun(t, c,
		CheckRun{Known: Known{ID: 1, Node: "CR_1"}, Was: RunState{Status: "in_progress"}, SHA: "c0", Name: "waybill / dev",
			Status: "in_progress"})
	require.NoError(t, err)
	require.Equal(t, int64(2), id)
	require.Equal(t, []string{"updateCheckRun", "createCheckRun"}, said)
}

func TestACheckRunThatIsGoneIsMadeAnew(t *testing.T) {
	k := newKit(t)
	run := k.view("completed", "success")
	run.Known, run.Was = Known{ID: 1, Node: "CR_MQ"}, RunState{Status: "in_progress"}
	id, err := saveRun(t, k.client, run)
	require.NoError(t, err)
	require.NotEqual(t, int64(1), id)
}

func TestCheckRunsOfOthersAreNotTouched(t *testing.T) {
	k := newKit(t)
	theirs, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "waybill / dev", SHA: "main", Status: "in_progress"})
	require.NoError(t, err)
	ours, err := saveRun(t, k.client, k.view("completed", "success"))
	require.NoError(t, err)
	require.NotEqual(t, theirs, ours)
}

// TestACheckRunOfAnotherAppIsNoneOfOurs: any App may give its runs our names and ids, before ours are made and after.
func TestACheckRunOfAnotherAppIsNoneOfOurs(t *testing.T) {
	k := newKit(t)
	wanted := k.view("in_progress", "")
	forged := githubsim.CheckSpec{
		Name: wanted.Name, SHA: "main", Conclusion: "success", ExternalID: wanted.ExternalID(), App: "github-actions",
	}
	before, err := k.CreateCheckRun(repo, forged)
	require.NoError(t, err)
	ours, err := saveRun(t, k.client, wanted)
	require.NoError(t, err)
	require.NotEqual(t, before, ours)
	after, err := k.CreateCheckRun(repo, forged)
	require.NoError(t, err)
	found, err := saveRun(t, k.client, k.view("in_progress", ""))
	require.NoError(t, err)
	require.Equal(t, ours, found)
	require.NotEqual(t, after, found)
}

func TestACheckRunStaysWithinGitHubsLimitsF41(t *testing.T) {
	k := newKit(t)
	run := k.view("completed", "action_required")
	run.Summary, run.Title = strings.Repeat("ä", 40_000), strings.Repeat("t", 400)
	for _, name := range []string{"approve", "deny", "hold", "refresh"} {
		run.Actions = append(run.Actions,
			Action{Label: strings.Repeat("l", 30), Description: strings.Repeat("d", 60), Identifier: name})
	}
	_, err := saveRun(t, k.client, run)
	require.NoError(t, err)
	seen := k.CheckRuns(repo, string(run.SHA))[0]
	require.Equal(t, []string{"approve", "deny", "hold"}, seen.Buttons)
	require.LessOrEqual(t, len(seen.Summary), 65_535)
}
