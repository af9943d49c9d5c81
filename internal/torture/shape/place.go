package shape

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a branch of a repository, where files of stages are.
type Place struct{ Repo, Branch string }

// Here is where files of stages are that nothing else is said of.
var Here = Place{Home, "main"}

// At is where the files of a stage are.
func (s *Stage) At() Place {
	if s.elsewhere != (Place{}) {
		return s.elsewhere
	}
	return Here
}

// AtOf is where the files of a target are, or those of a stage without targets.
func (s *Stage) AtOf(target string) Place {
	if n, err := strconv.Atoi(strings.TrimPrefix(target, "t")); err == nil && n%2 == 0 && s.Second != (Place{}) {
		return s.Second
	}
	return s.At()
}

// branches are those where files of stages are.
func (p *Pipeline) branches() []Place {
	all := []Place{Here}
	for i := range p.Stages {
		s := &p.Stages[i]
		for _, target := range s.Places() {
			if at := s.AtOf(target); !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// Fleet returns the stage that consists of targets; nil if there is none.
func (p *Pipeline) Fleet() *Stage {
	for i := range p.Stages {
		if p.Stages[i].Rolls() {
			return &p.Stages[i]
		}
	}
	return nil
}

// PlaceOf is where the file of a stage is.
func (p *Pipeline) PlaceOf(path string) Place {
	if s := p.Stage(StageOf(path)); s != nil && s.Rolls() {
		return s.AtOf(TargetOf(path))
	} else if s != nil {
		return s.At()
	}
	return Here
}

// Belonging are those of some files that belong to a place.
func Belonging[T any](p *Pipeline, at Place, files map[string]T) map[string]T {
	some := map[string]T{}
	for path, text := range files {
		if p.PlaceOf(path) == at {
			some[path] = text
		}
	}
	return some
}
