package gh

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// deployment returns a deployment by Waybill of the head of main.
func (k *kit) deployment(n promotion.Number, state string) *Deployment {
	return &Deployment{Promotion: n, SHA: promotion.SHA(k.Head(repo, "main")), Environment: "dev", State: state,
		Description: "d", LogURL: "https://example.com/1"}
}

// states lists the states of the deployments at GitHub.
func (k *kit) states() (all [][]string) {
	for _, d := range k.Deployments(repo) {
		all = append(all, d.States)
	}
	return all
}

func TestWhatIsKnownIsSavedInOneRequest(t *testing.T) {
	k := newKit(t)
	run := k.view("in_progress", "")
	addresses := []Surface{&run, k.deployment(1, "in_progress"), k.deployment(2, "in_progress")}
	for _, saved := range k.client.Surfaces.Save(t.Context(), addresses...) {
		require.NoError(t, saved.Err)
	}
	first, second := addresses[1].(*Deployment), addresses[2].(*Deployment)
	first.State, second.State, run.Status, run.Conclusion = "inactive", "success", "completed", "success"
	run.Known = k.client.Surfaces.Save(t.Context(), &run)[0].Known
	require.Equal(t, 1, k.asked(func() {
		for _, saved := range k.client.Surfaces.Save(t.Context(), addresses...) {
			require.NoError(t, saved.Err)
		}
	}))
	require.Equal(t, [][]string{{"in_progress", "inactive"}, {"in_progress", "success"}}, k.states())
}

// TestWhatGoesWrongWithOneSurfaceKeepsNoOther makes GitHub refuse one of three, which are saved one by one.
func TestWhatGoesWrongWithOneSurfaceKeepsNoOther(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(githubsim.Route{Field: "createCheckRun"},
		githubsim.Fault{FieldError: &githubsim.FieldError{Field: "createCheckRun", Message: "no"}})
	k.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: path("/deployments")},
		githubsim.Fault{Status: http.StatusBadGateway})
	run := k.view("in_progress", "")
	saved := k.client.Surfaces.Save(t.Context(), &run, k.deployment(1, "in_progress"), k.deployment(2, "in_progress"))
	require.ErrorIs(t, saved[0].Err, ErrPassing)
	require.ErrorContains(t, saved[0].Err, "waybill / dev")
	require.ErrorIs(t, saved[1].Err, ErrTransient)
	require.ErrorContains(t, saved[1].Err, "promotion 1 in dev")
	require.NoError(t, saved[2].Err)
	require.Equal(t, [][]string{{"in_progress"}}, k.states())
}

func TestADeploymentWhoseAnswerWasLostIsFoundF2(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: path("/deployments")},
		githubsim.Fault{LoseReply: true})
	require.ErrorIs(t, k.client.Surfaces.Save(t.Context(), k.deployment(1, "in_progress"))[0].Err, ErrTransient)
	require.NoError(t, k.client.Surfaces.Save(t.Context(), k.deployment(1, "in_progress"))[0].Err)
	require.Equal(t, [][]string{{"in_progress"}}, k.states())
}

// TestADeploymentThatIsGoneIsMadeAnewUnlessItIsOver has a person delete the deployment (semantics 5.9).
func TestADeploymentThatIsGoneIsMadeAnewUnlessItIsOver(t *testing.T) {
	k := newKit(t)
	gone := func(state string) *Deployment {
		d := k.deployment(1, state)
		d.Known = Known{ID: 1, Node: "DE_MQ"}
		return d
	}
	require.NoError(t, k.client.Surfaces.Save(t.Context(), gone("inactive"))[0].Err)
	require.Empty(t, k.states())
	k.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: path("/deployments")},
		githubsim.Fault{LoseReply: true})
	require.ErrorIs(t, k.client.Surfaces.Save(t.Context(), gone("success"))[0].Err, ErrTransient)
	require.NoError(t, k.client.Surfaces.Save(t.Context(), gone("success"))[0].Err)
	require.Equal(t, [][]string{{"success"}}, k.states(), "once, though the answer was lost")
}

// TestADeploymentOfAnotherPipelineIsNotTaken has a deployment of the same commit and environment, for a promotion with
// the same number.
func TestADeploymentOfAnotherPipelineIsNotTaken(t *testing.T) {
	k := newKit(t)
	theirs, ours := k.deployment(7, "in_progress"), k.deployment(7, "success")
	theirs.Pipeline, ours.Pipeline = 4711, 4712
	for _, d := range []*Deployment{theirs, ours} {
		require.NoError(t, k.client.Surfaces.Save(t.Context(), d)[0].Err)
	}
	require.Equal(t, [][]string{{"in_progress"}, {"success"}}, k.states())
	again := k.deployment(7, "failure")
	again.Pipeline = 4711
	require.NoError(t, k.client.Surfaces.Save(t.Context(), again)[0].Err)
	require.Equal(t, [][]string{{"in_progress", "failure"}, {"success"}}, k.states())
}

// TestADeploymentOfSomebodyElseIsNotBelieved has a person create a deployment that looks like one of Waybill.
func TestADeploymentOfSomebodyElseIsNotBelieved(t *testing.T) {
	for creator, id := range map[string]int64{"ann": 2, "waybill[bot]": 1} {
		c := over(hubOfNobody(t), &says{header: okHeader(), status: http.StatusOK, texts: []string{
			`[{"id":1,"node_id":"DE_1","payload":{"waybill_pipeline":0,"waybill_promotion":7},"creator":{"login":"` + creator +
				`"}}]`,
			// answers the next request, of any kind
			`{"id":2,"node_id":"DE_2","data":{"s0":{"deploymentStatus":{"id":"DES_1"}}}}`,
		}})
		saved := c.Surfaces.Save(t.Context(), &Deployment{Promotion: 7, SHA: aSHA, Environment: "dev", State: "success"})[0]
		require.NoError(t, saved.Err)
		require.Equal(t, id, saved.ID, creator)
	}
}
