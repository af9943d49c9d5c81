package gh

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestWhatIsPresentIsAskedOnce(t *testing.T) {
	k := newKit(t)
	head := k.Head(repo, "main")
	saved := k.client.Surfaces.Save(t.Context(), &CheckRun{SHA: promotion.SHA(head), Name: "a", Status: "queued"},
		&CheckRun{SHA: promotion.SHA(head), Name: "b", Status: "queued"})
	n, err := k.OpenPull(repo,
		githubsim.PullSpec{Title: "x", Head: "x", Author: "ann", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(t, err)
	require.NoError(t, k.AddLabel(repo, n, "ann", "stage/dev:ok"))
	require.NoError(t, k.DeleteCheckRun(repo, saved[1].ID))
	require.Equal(t, 1, k.asked(func() {
		there, labels, err := k.client.Surfaces.Present(t.Context(), []string{saved[0].Node, saved[1].Node}, []int{n})
		require.NoError(t, err)
		require.Equal(t, map[string]bool{saved[0].Node: true, saved[1].Node: false}, there)
		require.Equal(t, map[int][]string{n: {"stage/dev:ok"}}, labels)
	}))
	require.Zero(t, k.asked(func() {
		_, _, err := k.client.Surfaces.Present(t.Context(), nil, nil)
		require.NoError(t, err)
	}))
	k.Faults().FailNext(githubsim.Route{Field: "node"}, githubsim.Fault{Status: http.StatusBadGateway})
	_, _, err = k.client.Surfaces.Present(t.Context(), []string{saved[0].Node}, nil)
	require.ErrorIs(t, err, ErrTransient, "nothing is gone because nobody answered")
	_, _, err = k.client.Surfaces.Present(t.Context(), nil, []int{n + 1})
	require.ErrorIs(t, err, ErrRefused)
}
