package promotion

import (
	"slices"
)

// Branch is a branch of a repository.
type Branch struct {
	Repo Repo
	Name string
}

// String returns the branch as people write it down: acme/deploy@main.
func (b Branch) String() string { return string(b.Repo) + "@" + b.Name }

// At is the branch that the pipeline lives on.
func (p *Pipeline) At() Branch { return Branch{p.Home, p.Branch} }

// FilesOf returns the branch that holds the files of a stage, but for those of targets that have their own.
func (p *Pipeline) FilesOf(s *Stage) Branch {
	if s == nil || s.Files == (Branch{}) {
		return p.At()
	}
	return s.Files
}

// FilesOn returns the branch that a target, or one of its changes, names: the stage's, if it names none.
func (p *Pipeline) FilesOn(s *Stage, named Branch) Branch {
	if named == (Branch{}) {
		return p.FilesOf(s)
	}
	return named
}

// BranchesOf returns the branches that hold files of a stage, each once.
func (p *Pipeline) BranchesOf(s *Stage) []Branch {
	if s == nil {
		return []Branch{p.FilesOf(nil)}
	}
	var all []Branch
	for i := range s.Targets {
		all = union(all, p.FilesOn(s, s.Targets[i].Files))
	}
	return all
}

// union returns branches and more of them, each once.
func union(all []Branch, more ...Branch) []Branch {
	for _, b := range more {
		if !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}

// WritesTo reports whether a stage has files in a repository.
func (p *Pipeline) WritesTo(s *Stage, repo Repo) bool {
	return slices.ContainsFunc(p.BranchesOf(s), func(b Branch) bool { return b.Repo == repo })
}

// FilesOfStep returns the branch that a promotion writes to at its present step. All targets of a step have their files
// on that branch. Before the first step, and where the stage has none of its targets any more, it is the stage's own.
func (p *Pipeline) FilesOfStep(s *Stage, of *Promotion) Branch {
	if of != nil && of.Rollout != nil {
		for _, name := range of.Rollout.Targets {
			if t := s.Target(name); t != nil {
				return p.FilesOn(s, t.Files)
			}
		}
	}
	return p.FilesOf(s)
}

// On returns the part of a stage that is on one of its branches: the stage with those of its targets that have their
// files there.
func (p *Pipeline) On(s *Stage, b Branch) *Stage {
	if !s.Spread() {
		return s
	}
	var there []TargetName
	for i := range s.Targets {
		if p.FilesOn(s, s.Targets[i].Files) == b {
			there = append(there, s.Targets[i].Name)
		}
	}
	return s.Only(there)
}

// Everywhere returns the branches that hold files of stages, each once; the one that the pipeline lives on is the
// first, whether it holds any or not.
func (p *Pipeline) Everywhere() []Branch {
	all := []Branch{p.At()}
	for _, s := range p.Stages {
		all = union(all, p.BranchesOf(s)...)
	}
	return all
}

// Foreign is another repository that a pipeline names.
type Foreign struct {
	Repo Repo
	By   string // the warehouse or stage that names it first: "warehouse api", "stage prod"
}

// Elsewhere returns the other repositories that a pipeline names, each once.
func (p *Pipeline) Elsewhere() (all []Foreign) {
	add := func(repo Repo, by string) {
		if repo != p.Home && !slices.ContainsFunc(all, func(f Foreign) bool { return f.Repo == repo }) {
			all = append(all, Foreign{repo, by})
		}
	}
	for _, w := range p.Warehouses {
		add(w.Repo, "warehouse "+string(w.Name))
	}
	for _, s := range p.Stages {
		for _, b := range p.BranchesOf(s) {
			add(b.Repo, "stage "+string(s.Name))
		}
	}
	return all
}

// Names reports whether a pipeline lives in a repository or names it.
func (p *Pipeline) Names(repo Repo) bool {
	return p.Home == repo || slices.ContainsFunc(p.Elsewhere(), func(f Foreign) bool { return f.Repo == repo })
}

// File names a file of the branch for people: with repository and branch, which the zero value, a stage's own branch,
// does not have.
func (b Branch) File(path string) string {
	if b == (Branch{}) {
		return path
	}
	return b.String() + " " + path
}
