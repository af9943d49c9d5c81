package gitstore

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func newRepo(t *testing.T) *Repo {
	t.Helper()
	return New(filepath.Join(t.TempDir(), "r.git"), "main")
}

// commit writes files on top of parents; an empty content deletes a file.
func commit(t *testing.T, r *Repo, message string, parents []string, files map[string]string) string {
	t.Helper()
	base := ""
	if len(parents) > 0 {
		c, err := r.Commit(parents[0])
		require.NoError(t, err)
		base = c.Tree
	}
	var changes []Entry
	for path, content := range files {
		e := Entry{Mode: ModeFile, Name: path}
		if content != "" {
			e.SHA = r.WriteBlob([]byte(content))
		}
		changes = append(changes, e)
	}
	tree, err := r.Edit(base, changes)
	require.NoError(t, err)
	who := Person{Name: "Ann", Email: "ann@example.com", When: time.Unix(1700000000, 0)}
	sha, err := r.WriteCommit(Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: message})
	require.NoError(t, err)
	return sha
}

func git(t *testing.T, r *Repo, args ...string) string {
	t.Helper()
	dir, err := r.Save()
	require.NoError(t, err)
	out, err := exec.Command("git", append([]string{"--git-dir", dir}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func TestGitItselfReadsWhatWasWritten(t *testing.T) {
	r := newRepo(t)
	first := commit(t, r, "first", nil, map[string]string{"a/b/c.txt": "c\n", "a.txt": "a\n", "a-b": "x\n"})
	second := commit(t, r, "second", []string{first}, map[string]string{"a/b/c.txt": "", "d/e": "e\n"})
	require.NoError(t, r.SetRef("refs/heads/main", second))

	require.Equal(t, "", git(t, r, "fsck", "--strict", "--no-dangling"))
	require.Equal(t, second, git(t, r, "rev-parse", "HEAD"))
	require.Equal(t, "a-b\na.txt\nd/e", git(t, r, "ls-tree", "-r", "--name-only", "HEAD"))
	require.Equal(t, "second\nfirst", git(t, r, "log", "--format=%s"))
	require.Equal(t, "e", git(t, r, "show", "HEAD:d/e"))
}

func TestMergeTakesBothSidesAndNamesConflicts(t *testing.T) {
	r := newRepo(t)
	base := commit(t, r, "base", nil, map[string]string{"one": "1\n2\n3\n4\n5\n", "two": "2\n"})
	ours := commit(t, r, "ours", []string{base}, map[string]string{"one": "1!\n2\n3\n4\n5\n"})
	theirs := commit(t, r, "theirs", []string{base}, map[string]string{"one": "1\n2\n3\n4\n5!\n"})
	clash := commit(t, r, "clash", []string{base}, map[string]string{"one": "1?\n2\n3\n4\n5\n"})

	m, err := r.Merge(ours, theirs)
	require.NoError(t, err)
	require.True(t, m.Clean())
	e, err := r.Lookup(m.Tree, "one")
	require.NoError(t, err)
	content, err := r.Blob(e.SHA)
	require.NoError(t, err)
	require.Equal(t, "1!\n2\n3\n4\n5!\n", string(content))

	m, err = r.Merge(ours, clash)
	require.NoError(t, err)
	require.Equal(t, []string{"one"}, m.Conflicts)

	m, err = r.CherryPick(ours, theirs)
	require.NoError(t, err)
	require.True(t, m.Clean())
}

func TestMergeBaseAndBetweenFollowHistory(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, "a", nil, map[string]string{"f": "a"})
	b := commit(t, r, "b", []string{a}, map[string]string{"f": "b"})
	c := commit(t, r, "c", []string{b}, map[string]string{"f": "c"})
	x := commit(t, r, "x", []string{b}, map[string]string{"g": "x"})
	merged := commit(t, r, "merged", []string{c, x}, nil)

	base, ok := r.MergeBase(c, x)
	require.True(t, ok)
	require.Equal(t, b, base)
	require.Equal(t, git(t, r, "merge-base", merged, x), x)
	base, ok = r.MergeBase(merged, x)
	require.True(t, ok)
	require.Equal(t, x, base)
	require.True(t, r.IsAncestor(a, merged))
	require.False(t, r.IsAncestor(x, c))

	var titles []string
	for _, one := range r.Between(b, merged) {
		titles = append(titles, one.Message)
	}
	require.ElementsMatch(t, []string{"c", "x", "merged"}, titles)
	require.Equal(t, "merged", titles[2])
}

func TestDiffSaysWhatChanged(t *testing.T) {
	r := newRepo(t)
	long := strings.Repeat("line\n", 20)
	from := commit(t, r, "from", nil, map[string]string{"keep": "k\n", "old": long, "gone": "g\n", "edit": "1\n2\n"})
	to := commit(t, r, "to", []string{from}, map[string]string{
		"old": "", "new": long, "gone": "", "edit": "1\n3\n4\n", "added": "a\n",
	})
	changes, err := r.Diff(from, to)
	require.NoError(t, err)

	byPath := map[string]FileChange{}
	for _, c := range changes {
		byPath[c.Path] = c
	}
	require.Len(t, byPath, 4)
	require.Equal(t, "renamed", byPath["new"].Status)
	require.Equal(t, "old", byPath["new"].Previous)
	require.Equal(t, "removed", byPath["gone"].Status)
	require.Equal(t, "added", byPath["added"].Status)
	require.Equal(t, 2, byPath["edit"].Additions)
	require.Equal(t, 1, byPath["edit"].Deletions)
	require.Equal(t, "@@ -1,2 +1,3 @@\n 1\n-2\n+3\n+4", byPath["edit"].Patch)
}

func TestReferencesCannotNestAndMustPointSomewhere(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, "a", nil, map[string]string{"f": "a"})
	require.NoError(t, r.SetRef("refs/heads/x/y", a))
	require.Error(t, r.SetRef("refs/heads/x", a))
	require.Error(t, r.SetRef("refs/heads/x/y/z", a))
	require.ErrorIs(t, r.SetRef("refs/heads/b", Zero), ErrNotFound)
	require.NoError(t, r.DeleteRef("refs/heads/x/y"))
	require.NoError(t, r.SetRef("refs/heads/x", a))
	require.ErrorIs(t, r.DeleteRef("refs/heads/none"), ErrNotFound)

	require.True(t, ValidRefName("refs/heads/waybill/dev/api-1/2"))
	for _, bad := range []string{
		"heads/x", "refs/heads/", "refs/heads/a..b", "refs/heads/a b", "refs/heads/.a", "refs/heads/a.lock", "refs/x",
	} {
		require.False(t, ValidRefName(bad), bad)
	}
}

func TestStatCountsAsGitDoes(t *testing.T) {
	r := newRepo(t)
	from := commit(t, r, "from", nil, map[string]string{"a": "1\n2\n3\n4\n", "d/b": "x\n", "d/c": "y", "bin": "a\x00b"})
	for name, files := range map[string]map[string]string{
		"edit":    {"a": "1\n3\n3b\n4\n5\n"},
		"add":     {"d/new": "1\n2\n", "a": "0\n1\n2\n3\n4\n"},
		"remove":  {"d/b": "", "d/c": ""},
		"rename":  {"a": "", "e/a": "1\n2\n3\n4\n"},
		"newline": {"d/c": "y\n"},
		"binary":  {"bin": "a\x00c"},
		"folder":  {"d/b": "", "d/c": "", "d": "file now\n"},
	} {
		t.Run(name, func(t *testing.T) {
			to := commit(t, r, name, []string{from}, files)
			stat, err := r.Stat(from, to)
			require.NoError(t, err)
			require.NotZero(t, stat.Files)
			byGit, err := r.statByGit(from, to)
			require.NoError(t, err)
			require.Equal(t, byGit, stat)
		})
	}
}

func TestAForkSharesObjectsButNotBranches(t *testing.T) {
	r := newRepo(t)
	base := commit(t, r, "base", nil, map[string]string{"f": "1\n"})
	require.NoError(t, r.SetRef("refs/heads/main", base))
	fork := r.Fork(filepath.Join(t.TempDir(), "fork.git"))
	change := commit(t, fork, "change", []string{base}, map[string]string{"f": "2\n"})
	require.NoError(t, fork.SetRef("refs/heads/topic", change))

	_, exists := r.Branch("topic")
	require.False(t, exists)
	head, _ := fork.Branch("main")
	require.Equal(t, base, head)
	require.True(t, r.IsAncestor(base, change))
	require.Equal(t, "change", git(t, fork, "log", "-1", "--format=%s", "topic"))
	require.Equal(t, "2", git(t, fork, "show", "topic:f"))
}

func TestMergesOfDifferentFilesAreWhatGitMakes(t *testing.T) {
	base := map[string]string{"a": "1\n2\n3\n", "d/b": "x\n", "d/c": "y\n", "e/f": "z\n"}
	for name, sides := range map[string][2]map[string]string{
		"other files":         {{"a": "2\n"}, {"d/b": "3\n"}},
		"in one folder":       {{"d/b": "2\n", "e/f": "4\n"}, {"d/c": "3\n", "d/new": "5\n"}},
		"the same on both":    {{"a": "2\n", "d/b": "1\n"}, {"a": "2\n", "d/c": "1\n"}},
		"both add":            {{"new/a": "2\n"}, {"new/b": "2\n"}},
		"one renames":         {{"d/b": "2\n"}, {"d/b": "", "moved": "x\n"}},
		"one takes away":      {{"d/b": "2\n"}, {"e/f": ""}},
		"a file and a folder": {{"x": "2\n"}, {"x/y": "2\n"}},
		"the same file":       {{"a": "0\n1\n2\n3\n"}, {"a": "1\n2\n4\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			from := commit(t, r, "base", nil, base)
			ours := commit(t, r, "ours", []string{from}, sides[0])
			theirs := commit(t, r, "theirs", []string{from}, sides[1])
			m, err := r.Merge(ours, theirs)
			require.NoError(t, err)
			_, err = r.Save()
			require.NoError(t, err)
			out, _, err := r.git("merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs)
			require.NoError(t, err)
			require.Equal(t, strings.Split(strings.TrimSpace(out), "\n"), append([]string{m.Tree}, m.Conflicts...))
		})
	}
}

func TestDiffsWithoutPatchesSayTheSameOtherwise(t *testing.T) {
	r := newRepo(t)
	from := commit(t, r, "from", nil, map[string]string{"a": "1\n2\n", "d/b": "x\n", "c": "y\n"})
	for _, files := range []map[string]string{
		{"a": "1\n3\n4\n", "new": "x\n"}, {"d/b": "", "c": "z\n"}, {"d/b": "", "moved": "x\n"},
	} {
		to := commit(t, r, "to", []string{from}, files)
		byGit, err := r.Diff(from, to)
		require.NoError(t, err)
		plain, ok := r.plainDiff(from, to)
		require.Equal(t, byGit[len(byGit)-1].Status != "renamed", ok)
		for i := range plain {
			byGit[i].Patch = ""
		}
		if ok {
			require.Equal(t, byGit, plain)
		}
	}
}
