package promotion

import "slices"

// Branch is a branch of a repository.
type Branch struct {
	Repo Repo
	Name string
}

// String returns the branch as people write it down: acme/deploy@main.
func (b Branch) String() string { return string(b.Repo) + "@" + b.Name }

// At is the branch that the pipeline lives on.
func (p *Pipeline) At() Branch { return Branch{p.Home, p.Branch} }

// FilesOf returns the branch that holds the files of a stage.
func (p *Pipeline) FilesOf(s *Stage) Branch {
	if s == nil || s.Files == (Branch{}) {
		return p.At()
	}
	return s.Files
}

// Files returns the branch that holds the files of the snapshot's stage.
func (s *Snapshot) Files() Branch { return s.Pipeline.FilesOf(s.Stage) }

// Everywhere returns the branches that hold files of stages, each once; the one that the pipeline lives on is the first,
// whether it holds any or not.
func (p *Pipeline) Everywhere() []Branch {
	all := []Branch{p.At()}
	for _, s := range p.Stages {
		if b := p.FilesOf(s); !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	return all
}

// Foreign is another repository that a pipeline names.
type Foreign struct {
	Repo Repo
	By   string // what names it first: "warehouse api", "stage prod"
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
		add(p.FilesOf(s).Repo, "stage "+string(s.Name))
	}
	return all
}

// Names reports whether a pipeline lives in a repository or names it.
func (p *Pipeline) Names(repo Repo) bool {
	return p.Home == repo || slices.ContainsFunc(p.Elsewhere(), func(f Foreign) bool { return f.Repo == repo })
}
