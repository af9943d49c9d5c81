package gh

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestPullsTakeOneQueryForAHundred reads 120 open pull requests, of which GitHub works out first whether they fit their
// base, beside one that was merged, one that was closed and one that conflicts.
func TestPullsTakeOneQueryForAHundred(t *testing.T) {
	k := newKit(t)
	n := 0
	open := func(file string) int {
		number, err := k.OpenPull(repo,
			githubsim.PullSpec{Author: "ann", Title: file, Files: map[string]*string{file: githubsim.Text(fmt.Sprint(n))}})
		n++
		require.NoError(t, err)
		return number
	}
	var numbers []int
	for i := range 120 {
		numbers = append(numbers, open(fmt.Sprint("file", i)))
	}
	overtaken, merged, closed := open("same"), open("same"), open("other")
	_, err := k.MergePull(repo, merged, "ann", "squash")
	require.NoError(t, err)
	require.NoError(t, k.ClosePull(repo, closed, "ann"))
	k.ForgetRequests()

	pulls, err := k.client.Pulls.ReadAll(t.Context(), append(numbers, overtaken, merged, closed))
	require.NoError(t, err)
	require.Len(t, pulls, 123)
	for _, read := range pulls[118:] {
		alone, err := k.client.Pulls.Read(t.Context(), read.Number)
		require.NoError(t, err)
		require.Equal(t, alone, read)
		require.Equal(t, read.Number == overtaken, read.Conflicts)
	}
	require.Equal(t, 4, k.CountRequests(githubsim.Route{Field: "repository"}), "two looks at two hundreds")
}

// TestPullsThatAreReadAreReturnedBesideOneThatIsNotThere as with a repository that was made anew under its name.
func TestPullsThatAreReadAreReturnedBesideOneThatIsNotThere(t *testing.T) {
	k := newKit(t)
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(t, err)
	pulls, err := k.client.Pulls.ReadAll(t.Context(), []int{number, 4711})
	require.ErrorIs(t, err, ErrNotFound)
	require.Len(t, pulls, 1)
	require.Equal(t, promotion.PullOpen, pulls[0].State)
}
