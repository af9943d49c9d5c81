package resync

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// filesOf is the request for the files of a pull request.
var filesOf = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/files"}

// resyncUntil resyncs the pipeline, whose time is over at one of the requests for the files of a pull request. It
// records what the resync returns, as the worker does.
func (k *kit) resyncUntil(request int) error {
	k.Helper()
	limited, cancel := context.WithCancel(k.Context())
	defer cancel()
	k.github.Faults().FailNext(filesOf, githubsim.Fault{Nth: request, Before: cancel, Status: http.StatusBadGateway})
	defer k.github.Faults().Clear()
	row := k.pipeline()
	rec, failed := k.readAll(limited, row, &store.Clock{Pipeline: row.ID})
	if rec != nil {
		require.NoError(k, k.Store.Update(k.Context(), rec))
	}
	return failed
}

// TestAResyncWithoutEnoughTimeGoesOnWhereTheLastOneEnded has more merges than GitHub tells of in the time of a resync.
// Most are of no warehouse, as in a repository with many.
func TestAResyncWithoutEnoughTimeGoesOnWhereTheLastOneEnded(t *testing.T) {
	k := newKit(t)
	k.with(mono)
	for _, path := range []string{"src/1", "docs/2", "docs/3", "src/4", "docs/5", "docs/6", "src/7"} {
		k.wait(2 * overlap)
		k.merge(path)
	}
	k.wait(time.Hour)
	require.Error(t, k.resyncUntil(4))
	require.Equal(t, []int{1}, k.freight(), "what it has found is kept")
	require.Error(t, k.resyncUntil(4))
	require.Equal(t, []int{4, 1}, k.freight())
	k.github.ForgetRequests()
	require.NoError(t, k.Pipeline(t.Context(), k.pipeline().ID))
	require.Equal(t, []int{7, 4, 1}, k.freight())
	require.LessOrEqual(t, k.github.CountRequests(filesOf), 3, "it asks for few merges once more")
}

// TestAResyncThatFailsKeepsTheCandidatesThatItHasRead has GitHub fail to tell the files of one of two.
func TestAResyncThatFailsKeepsTheCandidatesThatItHasRead(t *testing.T) {
	k := newKit(t)
	k.with(strings.Replace(mono, "set:", "guard: true, set:", 1))
	for _, name := range []string{"one", "two"} {
		k.wait(time.Minute)
		_, err := k.github.OpenPull(home, githubsim.PullSpec{
			Title: name, Head: name, Author: "ann", Files: map[string]*string{"dev.yaml": githubsim.Text(name + "\n")},
		})
		require.NoError(t, err)
	}
	require.Error(t, k.resyncUntil(2))
	require.NoError(t, k.Store.View(t.Context(), func(tx *store.Tx) error {
		known, err := tx.Candidates.Of(k.pipeline().ID)
		require.Len(t, known, 1)
		return err
	}))
}
