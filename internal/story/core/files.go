package core

import (
	"slices"

	"waybill/internal/change"
	"waybill/promotion"
)

// filesFact reads the files of the stages that paths belong to, as they are when it is heard; without paths of all stages.
func (g *github) filesFact(paths ...string) fact {
	return func(m *memory) {
		for _, stage := range m.pipeline.Stages {
			if len(paths) > 0 && !slices.ContainsFunc(paths, stage.Touches) {
				continue
			}
			m.readings[stage.Name] = &promotion.Reading{Commit: g.head(g.home, g.branch), Values: change.Values(stage, g.read)}
		}
	}
}

// read returns a file of the stages' branch.
func (g *github) read(path string) (content []byte, trouble string) {
	contents, exists := g.files[path]
	if !exists {
		return nil, "it is not there"
	}
	return []byte(contents), ""
}

// outdate forgets what the files of a stage said before a commit brought something there.
func (m *memory) outdate(stage promotion.StageName, commit promotion.SHA) {
	r := m.readings[stage]
	if r == nil {
		return
	}
	head := commit
	for _, p := range m.pushes {
		if p.Before == head {
			head = p.After
		}
		if head == r.Commit {
			return
		}
	}
	if commit != r.Commit {
		delete(m.readings, stage)
	}
}
