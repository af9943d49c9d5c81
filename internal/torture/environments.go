package torture

import (
	"fmt"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// pushWhole has a person push to an environment branch.
func (w *World) pushWhole(s *shape.Stage, n int) {
	path := []string{"by-hand", "README.md"}[n%2]
	w.touched[s.Name]++
	err := w.pushAt(s.At(), "ann", "By hand", map[string]*string{path: githubsim.Text(fmt.Sprintf("by hand %d\n", n))})
	w.note("  ann pushes %s to %s: %v", path, s.At().Branch, err)
	w.told.prose("(ann pushes %s to %s)", path, s.At().Branch)
}

// whole reports whether a pull request is to an environment branch.
func whole(p githubsim.Pull) bool { return strings.HasPrefix(p.BaseBranch, "env/") }

// checkWhole: a merge of ours into an environment branch makes everything there what it is in the freight's commit, but
// for what others have pushed since the pull request was made: that is not lost.
func (w *World) checkWhole(p githubsim.Pull) {
	head, _ := w.github.Commit(p.Repo, p.HeadSHA)
	promoted, known := w.sourceOf(w.seen.promotions[numberOf(p.HeadBranch)])
	if !known || len(head.Parents) != 2 || head.Parents[1] != promoted.sha {
		w.broken("an environment follows from its freight", "#%d comes from %v", p.Number, head.Parents)
		return
	}
	is, want := w.contents(p.Repo, p.MergeSHA), w.contents(p.Repo, promoted.sha)
	was, base := w.contents(p.Repo, head.Parents[0]), w.contents(p.Repo, p.BaseSHA)
	for path := range union(is, want, was, base) {
		if was[path] != base[path] && is[path] != base[path] {
			w.broken("nothing that others have pushed is lost", "#%d: %s", p.Number, path)
		}
		if was[path] == base[path] && is[path] != want[path] {
			w.broken("an environment becomes what its freight is", "#%d: %s is %q, and not %q", p.Number, path, is[path], want[path])
		}
	}
}

// contents are the files of a commit, with mode and hash.
func (w *World) contents(repo, ref string) map[string]string {
	all := map[string]string{}
	for _, path := range w.github.Files(repo, ref) {
		mode, sha, _ := w.github.Entry(repo, ref, path)
		all[path] = mode + " " + sha
	}
	return all
}

func union(all ...map[string]string) map[string]bool {
	paths := map[string]bool{}
	for _, some := range all {
		for path := range some {
			paths[path] = true
		}
	}
	return paths
}

// checkEnvironment: an environment branch is what the last freight is.
func (w *World) checkEnvironment(s shape.Stage, last source) {
	is, want := w.contents(s.At().Repo, s.At().Branch), w.contents(last.repo, last.sha)
	for path := range union(is, want) {
		if is[path] != want[path] {
			w.broken("the last freight is everywhere", "%s: %s is %q, and not %q", s.At().Branch, path, is[path], want[path])
		}
	}
}

// workflowFiles are the workflows that stages start.
func (w *World) workflowFiles() map[string]string {
	files := map[string]string{}
	for _, s := range w.pipeline.Starters() {
		path, text := s.Workflow()
		files[path] = text
	}
	return files
}

// mendWorkflows has a person put the workflows back.
func (w *World) repairWorkflows() {
	lost := map[string]*string{}
	for path, text := range w.workflowFiles() {
		if is, _ := w.github.File(shape.Home, "main", path); is != text {
			lost[path] = &text
		}
	}
	_ = w.pushAt(shape.Here, "ann", "Mend", lost)
}
