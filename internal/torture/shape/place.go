package shape

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a branch of a repository that has files of stages.
type Place struct{ Repo, Branch string }

// Here is the default place of the files of stages.
var Here = Place{Home, "main"}

// At returns the place of the files of a stage.
func (s *Stage) At() Place {
	if s.elsewhere != (Place{}) {
		return s.elsewhere
	}
	return Here
}

// AtOf returns the place of the files of a target, or of a stage without targets.
func (s *Stage) AtOf(target string) Place {
	if n, err := strconv.Atoi(strings.TrimPrefix(target, "t")); err == nil && n%2 == 0 && s.Second != (Place{}) {
		return s.Second
	}
	return s.At()
}

// branches returns the places of the files of all stages.
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

// Fleet returns the first stage that has targets; nil if no stage has any.
func (p *Pipeline) Fleet() *Stage {
	for i := range p.Stages {
		if p.Stages[i].Rolls() {
			return &p.Stages[i]
		}
	}
	return nil
}

// PlaceOf returns the place of the file of a stage.
func (p *Pipeline) PlaceOf(path string) Place {
	if s := p.Stage(StageOf(path)); s != nil && s.Rolls() {
		return s.AtOf(TargetOf(path))
	} else if s != nil {
		return s.At()
	}
	return Here
}

// Belonging returns the files that belong to a place.
func Belonging[T any](p *Pipeline, at Place, files map[string]T) map[string]T {
	some := map[string]T{}
	for path, text := range files {
		if p.PlaceOf(path) == at {
			some[path] = text
		}
	}
	return some
}
