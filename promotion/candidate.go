package promotion

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Candidate is a change that people want in the stages' branch: an open pull request of theirs, or a group of GitHub's
// merge queue, in which it is tried out.
type Candidate struct {
	Ref   string   // names it: "#12", or the branch of a group; with its repository, if that is not the home
	Into  Branch   // that it is to be merged into
	Pull  int      // the pull request; of a group the one that it was made for
	Head  SHA      // the commit that its checks are on
	Files []string // of the files of guarded stages, those that it changes
}

// PullRef names a pull request as a candidate.
func PullRef(number int) string { return "#" + strconv.Itoa(number) }

// RefIn returns the name of a candidate, given its name in its repository.
func (p *Pipeline) RefIn(repo Repo, ref string) string {
	if repo == p.Home {
		return ref
	}
	return string(repo) + ref
}

// groups are the branches on which GitHub tries out the pull requests of a merge queue: the base branch, the pull
// request, and the commit that the group was put on.
var groups = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^gh-readonly-queue/(.+)/pr-(\d+)-([0-9a-f]{40,64})$`)
})

// Group is a group of GitHub's merge queue as the name of its branch tells it.
type Group struct {
	Branch string // that it is to be merged into
	Pull   int
	Base   SHA
}

// ParseGroup reads the name of a branch that GitHub has made for a merge queue.
func ParseGroup(branch string) (g Group, is bool) {
	m := groups().FindStringSubmatch(branch)
	if m == nil {
		return Group{}, false
	}
	number, err := strconv.Atoi(m[2])
	return Group{Branch: m[1], Pull: number, Base: SHA(m[3])}, err == nil
}

// Guarded returns the stages that guard their files.
func (p *Pipeline) Guarded() (all []*Stage) {
	for _, s := range p.Stages {
		if s.Guard {
			all = append(all, s)
		}
	}
	return all
}

// Guards reports whether any stage guards its files.
func (p *Pipeline) Guards() bool {
	return slices.ContainsFunc(p.Stages, func(s *Stage) bool { return s.Guard })
}

// GuardedOn returns the stages that guard their files on a branch, each with the part of it that is there.
func (p *Pipeline) GuardedOn(b Branch) (all []*Stage) {
	for _, s := range p.Guarded() {
		if slices.Contains(p.BranchesOf(s), b) {
			all = append(all, p.On(s, b))
		}
	}
	return all
}

// GuardedBranches returns the branches on which stages guard their files, each once.
func (p *Pipeline) GuardedBranches() (all []Branch) {
	for _, s := range p.Guarded() {
		all = union(all, p.BranchesOf(s)...)
	}
	return all
}

// GuardedFiles returns the files that are guarded on a branch and that a change may touch: all of them if the files of
// the change are not known.
func (p *Pipeline) GuardedFiles(b Branch, t Touched) []string {
	var files []string
	for _, s := range p.GuardedOn(b) {
		if t.More {
			files = append(files, s.paths()...)
		}
		for _, path := range t.Paths {
			if s.Touches(path) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// SameGuards reports whether the same stages guard the same files of the same branch in two versions of a pipeline.
func (p *Pipeline) SameGuards(other *Pipeline) bool { return p.guardText() == other.guardText() }

func (p *Pipeline) guardText() string {
	var all []string
	for _, s := range p.Guarded() {
		for _, b := range p.BranchesOf(s) {
			all = append(all, fmt.Sprintf("%q guards %q on %q", s.Name, p.On(s, b).paths(), b))
		}
	}
	return strings.Join(all, "\n")
}

// ChangedBy returns the files of the stage that a candidate changes.
func (s *Stage) ChangedBy(c Candidate) []string {
	return slices.DeleteFunc(slices.Clone(c.Files), func(path string) bool { return !s.Touches(path) })
}
