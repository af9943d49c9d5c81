package gh

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestAFolderIsListedInOneRequest(t *testing.T) {
	k := newKit(t)
	k.push(map[string]string{"k8s/a.yaml": "a\n", "k8s/x/b.yaml": "b\n", "k8s.txt": "beside\n"})
	base, err := k.client.Files.Read(t.Context(), "", []string{"k8s", "nothing", "README.md"})
	require.NoError(t, err)
	require.Empty(t, base.Files["nothing"].Tree)
	require.Empty(t, base.Files["README.md"].Tree)
	require.Equal(t, 1, k.asked(func() {
		files, err := k.client.Files.In(t.Context(), base.Files["k8s"].Tree, true)
		require.NoError(t, err)
		require.Len(t, files, 2)
		require.Equal(t, Blob{SHA: "78981922613b2afb6025042ff6bd878ac1994e85", Mode: "100644", Size: 2}, files["a.yaml"])
		require.Equal(t, "100644", files["x/b.yaml"].Mode)
	}))
	_, err = k.client.Files.In(t.Context(), promotion.SHA(strings.Repeat("0", 40)), true)
	require.ErrorIs(t, err, ErrNotFound)
}

func TestPathsOfAFolderAreListedInOneRequest(t *testing.T) {
	k := newKit(t)
	k.push(map[string]string{"k8s/eu/a.yaml": "a\n", "k8s/us/b/c.yaml": "c\n", "k8s.txt": "beside\n"})
	base, err := k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	trees, err := k.client.Files.Folders(t.Context(), base.SHA, []string{"", "k8s", "k8s.txt", "nothing"})
	require.NoError(t, err)
	require.Len(t, trees, 2, "the others are no folders")
	require.Equal(t, base.Tree, trees[""])
	require.Equal(t, 1, k.asked(func() {
		files, folders, err := k.client.Files.Paths(t.Context(), trees["k8s"], true)
		require.NoError(t, err)
		require.Equal(t, []string{"eu/a.yaml", "us/b/c.yaml"}, files)
		require.Equal(t, []string{"eu", "us", "us/b"}, folders)
	}))
	files, folders, err := k.client.Files.Paths(t.Context(), trees[""], false)
	require.NoError(t, err)
	require.Contains(t, files, "k8s.txt")
	require.Equal(t, []string{"deploy", "k8s"}, folders)
}

func TestAFolderThatGitHubDoesNotListWholeIsNotListed(t *testing.T) {
	k := newKit(t)
	k.push(map[string]string{"k8s/a.yaml": "a\n", "k8s/b.yaml": "b\n"})
	base, err := k.client.Files.Read(t.Context(), "", []string{"k8s"})
	require.NoError(t, err)
	k.ListAtMost(1)
	_, err = k.client.Files.In(t.Context(), base.Files["k8s"].Tree, true)
	require.ErrorIs(t, err, ErrTooMany)
	require.ErrorIs(t, err, ErrRefused)
	files, _, err := k.client.Files.Paths(t.Context(), base.Files["k8s"].Tree, false)
	require.NoError(t, err)
	require.Len(t, files, 2)
}

func TestAHundredTextsAreReadInOneRequest(t *testing.T) {
	k := newKit(t)
	files := map[string]string{"many/binary": "\x00\xff"}
	for i := range 100 {
		files[fmt.Sprintf("many/%03d", i)] = fmt.Sprintf("n: %d\n", i)
	}
	k.push(files)
	base, err := k.client.Files.Read(t.Context(), "", []string{"many"})
	require.NoError(t, err)
	listed, err := k.client.Files.In(t.Context(), base.Files["many"].Tree, true)
	require.NoError(t, err)
	var blobs []promotion.SHA
	for path, b := range listed {
		if path != "binary" {
			blobs = append(blobs, b.SHA)
		}
	}
	require.Equal(t, 1, k.asked(func() {
		texts, err := k.client.Files.Texts(t.Context(), blobs)
		require.NoError(t, err)
		require.Equal(t, "n: 42\n", texts[listed["042"].SHA].Content)
	}))
	const nowhere = "0000000000000000000000000000000000000001"
	texts, err := k.client.Files.Texts(t.Context(), []promotion.SHA{listed["binary"].SHA, nowhere})
	require.NoError(t, err)
	require.Equal(t, File{Exists: true, Unfit: "it is not text"}, texts[listed["binary"].SHA])
	require.Equal(t, File{Unfit: "GitHub does not show it"}, texts[nowhere])
}

// TestATextIsTakenOnlyIfItIsWhatGitKeeps checks that a text is copied only if it has the blob's hash.
func TestATextIsTakenOnlyIfItIsWhatGitKeeps(t *testing.T) {
	const sha = "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f"
	for text, fits := range map[string]bool{"abc": true, "abd": false} {
		f := (&blobNode{Text: &text, ByteSize: 3}).under(sha)
		require.Equal(t, fits, f.Unfit == "", f.Unfit)
	}
}

func TestACommitPutsFilesInPlaceAndRemovesThem(t *testing.T) {
	k := newKit(t)
	k.push(map[string]string{"from/a": "a\n", "to/gone/x": "x\n", "to/kept": "kept\n"})
	base, err := k.client.Files.Read(t.Context(), "", []string{"from"})
	require.NoError(t, err)
	files, err := k.client.Files.In(t.Context(), base.Files["from"].Tree, true)
	require.NoError(t, err)
	new := "new\n"
	var made Made
	require.Equal(t, 2, k.asked(func() {
		made, err = k.client.Commits.Make(t.Context(), base, Writes{Copied: map[string]Blob{
			"to/a": files["a"], "to/gone/x": {}, "to/new": {SHA: "elsewhere", Mode: "100644", Content: &new},
		}}, "Copy")
		require.NoError(t, err)
	}))
	for path, want := range map[string]string{
		"to/a": "a\n", "to/new": "new\n", "to/kept": "kept\n", "deploy/dev.yaml": "tag: v1\n",
	} {
		is, _ := k.File(repo, string(made.SHA), path)
		require.Equal(t, want, is, path)
	}
	_, found := k.File(repo, string(made.SHA), "to/gone/x")
	require.False(t, found)
}
