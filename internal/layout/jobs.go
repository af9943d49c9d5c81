package layout

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// workflows is the folder of the workflows of GitHub Actions.
const workflows = ".github/workflows"

// jobsOf returns the names of the jobs that run when something is pushed, and so on the merge of a promotion. They are
// those of their check runs. A job whose check run has another name is left out.
func jobsOf(repository fs.FS) (all []string, err error) {
	entries, err := fs.ReadDir(repository, workflows)
	if err != nil {
		return nil, nil // there is none, or it leads elsewhere
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !isYAML(entry.Name()) {
			continue
		}
		text, err := fs.ReadFile(repository, path.Join(workflows, entry.Name()))
		if err != nil {
			return nil, err
		}
		docs, _ := documents(text)
		for _, workflow := range docs {
			if runsOnPush(child(workflow, "on")) {
				all = append(all, jobsIn(child(workflow, "jobs"))...)
			}
		}
	}
	return all, nil
}

// runsOnPush reports whether a workflow is started by pushes to the branch that people merge into.
func runsOnPush(on *yaml.Node) bool {
	if text(on) == "push" || slices.ContainsFunc(elements(on), func(n *yaml.Node) bool { return text(n) == "push" }) {
		return true
	}
	push := child(on, "push")
	branches := child(push, "branches")
	switch {
	case push == nil, branches == nil && child(push, "tags") != nil:
		return false
	case branches == nil:
		return true
	}
	return slices.ContainsFunc(append(elements(branches), branches), func(n *yaml.Node) bool {
		return slices.Contains([]string{"main", "master", "trunk"}, text(n)) || strings.Contains(text(n), "*")
	})
}

// jobsIn returns the names of the jobs of a workflow. It leaves out those of a matrix and of workflows that are called:
// GitHub makes their names longer.
func jobsIn(jobs *yaml.Node) (all []string) {
	if jobs == nil || jobs.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(jobs.Content); i += 2 {
		one := jobs.Content[i+1]
		name := cmp.Or(text(child(one, "name")), jobs.Content[i].Value)
		if at(one, "strategy", "matrix") == nil && child(one, "uses") == nil && !strings.Contains(name, "${{") {
			all = append(all, name)
		}
	}
	return all
}

// Jobs returns the names of all jobs that run on a merge.
func (f Found) Jobs() []string { return f.jobs }
