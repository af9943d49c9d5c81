package torture

import (
	"encoding/json"
	"slices"
	"strings"

	"waybill/internal/torture/shape"
)

// withFound returns a pipeline with the targets that the program has found for it.
func (w *World) withFound(p *shape.Pipeline) *shape.Pipeline {
	if p == nil || !slices.ContainsFunc(p.Stages, func(s shape.Stage) bool { return s.Glob }) {
		return p
	}
	found, full := w.found(), p.Clone()
	for i := range full.Stages {
		if s := &full.Stages[i]; s.Glob {
			s.Targets = nil
			for _, path := range found[s.File("*")] {
				s.Targets = append(s.Targets, shape.TargetOf(path))
			}
		}
	}
	return &full
}

// found is what the program has found, by glob.
func (w *World) found() (found map[string][]string) {
	_ = json.Unmarshal([]byte(w.text(`SELECT found FROM pipelines`)), &found) // nothing: there is no glob
	return found
}

// checkFound: what a glob has found is what there was in the commit in which it was looked for. Heard says that the
// program knows of everything that has happened: then it is what is there now.
func (w *World) checkFound(heard bool) {
	s := w.pipeline.Fleet()
	if s == nil || !s.Glob || w.unread() {
		return
	}
	looked := w.text(`SELECT config_sha FROM pipelines WHERE config_error = ''`)
	if looked == "" {
		return
	}
	found := w.found()[s.File("*")]
	if there := w.matching(s, looked); !slices.Equal(found, there) {
		w.broken("what a glob finds is what is there", "%v in %.7s, and there was %v", found, looked, there)
	}
	if there := w.matching(s, "main"); heard && !slices.Equal(found, there) {
		w.broken("what a glob finds is what is there", "%v, and there is %v", found, there)
	}
}

// matching are the files of a stage's targets in a commit, whatever anybody calls them.
func (w *World) matching(s *shape.Stage, ref string) []string {
	before, behind, _ := strings.Cut(s.File("*"), "*")
	return slices.DeleteFunc(w.github.Files(shape.Home, ref), func(path string) bool {
		name, ends := strings.CutSuffix(strings.TrimPrefix(path, before), behind)
		return !strings.HasPrefix(path, before) || !ends || name == "" || strings.Contains(name, "/")
	})
}
