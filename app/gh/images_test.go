package gh

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

func TestImagesAreListedByTheirTagsTheOldestFirst(t *testing.T) {
	k := newKit(t)
	for i := range 101 {
		require.NoError(t, k.PushImage(repo, "ann", githubsim.ImageSpec{
			Name: "team/app", Tags: []string{fmt.Sprint("v", i), "main"}, Digest: fmt.Sprint("sha256:", i), Parts: nil,
		}))
	}
	require.Equal(t, 2, k.asked(func() {
		all, err := k.hub.Images(t.Context(), repo, "ghcr.io/acme/team/app")
		require.NoError(t, err)
		require.Len(t, all, 102)
		require.Equal(t, []string{"ghcr.io/acme/team/app", "v0", "sha256:0"},
			[]string{all[0].Image, all[0].Tag, all[0].Digest})
		require.Equal(t, "main", all[100].Tag, "it has moved to the last")
	}))
}

func TestImagesOfAPersonAreListedToo(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateRepo("ann/own", nil))
	require.NoError(t,
		k.PushImage("ann/own", "ann", githubsim.ImageSpec{Name: "own", Tags: []string{"v1"}, Digest: "sha256:ab"}))
	all, err := k.hub.Images(t.Context(), repo, "ghcr.io/ann/own")
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func TestAnImageThatAnAppIsNotShownIsRefusedAndSaysNothing(t *testing.T) {
	k := newKit(t)
	require.NoError(t,
		k.PushImage(repo, "ann", githubsim.ImageSpec{Name: "app", Tags: []string{"v1"}, Digest: "sha256:ab", Private: true}))
	_, err := k.hub.Images(t.Context(), repo, "ghcr.io/acme/app")
	require.ErrorIs(t, err, ErrRefused)
}
