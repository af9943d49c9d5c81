package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// Merge is the result of merging two commits: a tree, or the paths that conflict.
type Merge struct {
	Tree      string
	Conflicts []string
}

// Clean reports whether there was no conflict.
func (m Merge) Clean() bool { return len(m.Conflicts) == 0 }

// Merge merges two commits with Git's own merge and moves no references. The result is cached: it depends only on the
// commits.
func (r *Repo) Merge(ours, theirs string) (Merge, error) {
	key := [2]string{ours, theirs}
	if m, ok := r.merges[key]; ok {
		return m, nil
	}
	m, err := r.mergeTrees(ours, theirs)
	if err != nil {
		return Merge{}, fmt.Errorf("merge %s into %s: %w", theirs, ours, err)
	}
	r.merges[key] = m
	return m, nil
}

func (r *Repo) mergeTrees(ours, theirs string) (Merge, error) {
	if m, ok := r.trivial(ours, theirs); ok {
		return m, nil
	}
	if m, ok := r.disjoint(ours, theirs); ok {
		return m, nil
	}
	out, code, err := r.git("merge-tree", "--write-tree", "--name-only", "--no-messages", "--allow-unrelated-histories",
		ours, theirs)
	if err != nil {
		return Merge{}, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code == 0 {
		return Merge{Tree: lines[0]}, nil
	}
	return Merge{Tree: lines[0], Conflicts: lines[1:]}, nil
}

// trivial makes merges in which one side changed nothing since the merge base. Git's result is then the other side's
// tree.
func (r *Repo) trivial(ours, theirs string) (Merge, bool) {
	base, ok := r.MergeBase(ours, theirs)
	if !ok {
		return Merge{}, false
	}
	trees := make([]string, 0, 3)
	for _, sha := range []string{base, ours, theirs} {
		c, err := r.Commit(sha)
		if err != nil {
			return Merge{}, false
		}
		trees = append(trees, c.Tree)
	}
	switch trees[0] {
	case trees[1]:
		return Merge{Tree: trees[2]}, true
	case trees[2]:
		return Merge{Tree: trees[1]}, true
	}
	return Merge{}, false
}

// CherryPick applies the changes of one commit, against its first parent, on top of onto.
func (r *Repo) CherryPick(onto, commit string) (Merge, error) {
	picked, err := r.Commit(commit)
	if err != nil {
		return Merge{}, err
	}
	target, err := r.Commit(onto)
	if err != nil {
		return Merge{}, err
	}
	if len(picked.Parents) == 0 {
		return Merge{}, fmt.Errorf("cherry-pick %s: it has no parent", commit)
	}
	// Git 2.39 has no option for the merge base, so the three trees become commits with the wanted base.
	base, err := r.Commit(picked.Parents[0])
	if err != nil {
		return Merge{}, err
	}
	nobody := Person{Name: "x", Email: "x"}
	root, err := r.WriteCommit(Commit{Tree: base.Tree, Author: nobody, Committer: nobody})
	if err != nil {
		return Merge{}, err
	}
	sides := make([]string, 0, 2)
	for _, tree := range []string{target.Tree, picked.Tree} {
		side, err := r.WriteCommit(Commit{Tree: tree, Parents: []string{root}, Author: nobody, Committer: nobody})
		if err != nil {
			return Merge{}, err
		}
		sides = append(sides, side)
	}
	return r.Merge(sides[0], sides[1])
}

// git runs the git command line in the repository. Exit code 1 is a result (conflict, difference); a larger one is an
// error.
func (r *Repo) git(args ...string) (out string, code int, err error) {
	if _, err := r.Save(); err != nil {
		return "", 0, err
	}
	cmd := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...)
	cmd.Env = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=/nonexistent", "LC_ALL=C"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return stdout.String(), 1, nil
	}
	if err != nil {
		return "", 0, fmt.Errorf("run git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), 0, nil
}
