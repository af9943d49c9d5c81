package gh

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestReadTellsHeadAndFilesInOneRequest(t *testing.T) {
	k := newKit(t)
	var base Base
	require.Equal(t, 1, k.asked(func() {
		var err error
		base, err = k.client.Files.Read(t.Context(), "",
			[]string{"deploy/dev.yaml", "nothing.yaml", "deploy", "deploy/dev.yaml"})
		require.NoError(t, err)
	}))
	require.Equal(t, "main", base.Branch)
	require.Equal(t, promotion.SHA(k.Head(repo, "main")), base.SHA)
	require.NotEmpty(t, base.Tree)
	require.NotZero(t, base.RepoID)
	require.Equal(t, []string{"squash", "merge", "rebase"}, base.Methods)
	_, folder, _ := k.Entry(repo, "main", "deploy")
	require.Equal(t, map[string]File{
		"deploy/dev.yaml": {Exists: true, Content: "tag: v1\n", Mode: "100644"},
		"nothing.yaml":    {},
		"deploy":          {Exists: true, Mode: "40000", Tree: promotion.SHA(folder), Unfit: "it is a folder"},
	}, base.Files)
}

func TestReadOfABranchThatIsNotThereIsRefused(t *testing.T) {
	k := newKit(t)
	_, err := k.client.Files.Read(t.Context(), "nowhere", nil)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, err, ErrRefused)
	require.Contains(t, Explain(err).Detail, "no branch nowhere")
}

func TestReadOf101FilesIsCompleteF44(t *testing.T) {
	k := newKit(t)
	files, paths := map[string]string{}, []string{}
	for i := range 101 {
		path := fmt.Sprintf("clusters/prod-%03d/values.yaml", i)
		files[path], paths = fmt.Sprintf("n: %d\n", i), append(paths, path)
	}
	head := k.push(files)
	var base Base
	require.Equal(t, 2, k.asked(func() {
		var err error
		base, err = k.client.Files.Read(t.Context(), "main", paths)
		require.NoError(t, err)
	}))
	require.Equal(t, head, base.SHA)
	require.Len(t, base.Files, 101)
	require.Equal(t, "n: 100\n", base.Files[paths[100]].Content)
}

func TestWhatIsNotTextIsNotRewrittenT24(t *testing.T) {
	for name, test := range map[string]struct {
		entry string
		want  string
	}{
		"symbolic link": {`{"mode": 40960, "object": {"text": "../prod.yaml", "byteSize": 12}}`, "it is a symbolic link"},
		"submodule":     {`{"mode": 57344, "object": null}`, "it is a submodule"},
		"folder":        {`{"mode": 16384, "oid": "t1", "object": {}}`, "it is a folder"},
		"binary file":   {`{"mode": 33188, "object": {"text": null, "byteSize": 12, "isBinary": true}}`, "it is not text"},
		"huge file": {`{"mode": 33188, "object": {"text": "abc", "byteSize": 600000, "isTruncated": true}}`,
			"it is larger than 512 KB"},
		"other encoding": {`{"mode": 33188, "object": {"text": "ä", "byteSize": 1}}`, "it is not UTF-8"},
		"executable":     {`{"mode": 33261, "object": {"text": "abc", "byteSize": 3}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var base Base
			answer := fields{"oid": []byte(`"c0"`), "tree": []byte(`{"oid": "t0"}`), "f0": []byte(test.entry)}
			require.NoError(t, answer.read(&base, []string{"x"}))
			require.Equal(t, test.want, base.Files["x"].Unfit)
			_, err := treeEntries(base, Writes{Files: map[string]string{"x": "new"}})
			require.Equal(t, test.want != "", err != nil)
			if err != nil {
				require.ErrorIs(t, err, ErrRefused)
				require.Contains(t, err.Error(), test.want)
			}
		})
	}
}

func TestCommitKeepsEverythingElseAndIsSeenByNobody(t *testing.T) {
	k := newKit(t)
	base, err := k.client.Files.Read(t.Context(), "", []string{"deploy/dev.yaml"})
	require.NoError(t, err)
	before := k.Head(repo, "main")
	var made Made
	require.Equal(t, 2, k.asked(func() {
		made, err = k.client.Commits.Make(t.Context(), base,
			Writes{Files: map[string]string{"deploy/dev.yaml": "tag: v2\n"}}, "Promote")
		require.NoError(t, err)
	}))
	require.Equal(t, before, k.Head(repo, "main"))
	for path, want := range map[string]string{
		"deploy/dev.yaml": "tag: v2\n", "deploy/prod.yaml": "tag: v0\n", "README.md": "app\n",
	} {
		content, found := k.File(repo, string(made.SHA), path)
		require.True(t, found, path)
		require.Equal(t, want, content)
	}
}

func TestCommitKeepsModesT24(t *testing.T) {
	entries, err := treeEntries(Base{Files: map[string]File{"run": {Exists: true, Mode: "100755"}}},
		Writes{Files: map[string]string{"run": "x"}})
	require.NoError(t, err)
	require.Equal(t, "100755", entries[0].GetMode())
}

func TestCommitDoesNotAddFiles(t *testing.T) {
	_, err := treeEntries(Base{Files: map[string]File{"a": {}}}, Writes{Files: map[string]string{"a": "x"}})
	require.ErrorIs(t, err, ErrRefused)
	_, err = treeEntries(Base{}, Writes{Files: map[string]string{"never-read": "x"}})
	require.ErrorIs(t, err, ErrRefused)
}

func TestACommitOnABaseThatMovedIsStillMadeF15(t *testing.T) {
	k := newKit(t)
	base, err := k.client.Files.Read(t.Context(), "", []string{"deploy/dev.yaml"})
	require.NoError(t, err)
	k.push(map[string]string{"README.md": "moved\n"})
	made, err := k.client.Commits.Make(t.Context(), base,
		Writes{Files: map[string]string{"deploy/dev.yaml": "tag: v2\n"}}, "Promote")
	require.NoError(t, err)
	readme, _ := k.File(repo, string(made.SHA), "README.md")
	require.Equal(t, "app\n", readme, "it stands on what was read")
	opened, err := k.client.Pulls.Open(t.Context(), request(made.SHA))
	require.NoError(t, err)
	outcome, err := k.client.Pulls.Merge(t.Context(),
		MergeRequest{Pull: opened.Pull, Base: "main", Head: made.SHA, Method: "squash"})
	require.NoError(t, err)
	require.Equal(t, Merged, outcome.Result)
	readme, _ = k.File(repo, "main", "README.md")
	require.Equal(t, "moved\n", readme, "and nothing of what came between is lost")
}

func TestATextIsCutBetweenCharactersAndKeepsItsMarkerF41(t *testing.T) {
	long := strings.Repeat("ä", 40_000)
	cut := marked(long, "<!-- m -->")
	require.LessOrEqual(t, len(cut), maxBody)
	require.True(t, strings.HasSuffix(cut, "…\n\n<!-- m -->"))
	require.True(t, strings.HasPrefix(cut, "ääää"))
	require.NotContains(t, cut, "\uFFFD")
	require.Equal(t, "short", clip("short", 5))
	require.Len(t, clip("shorter", 6), 6)
}
