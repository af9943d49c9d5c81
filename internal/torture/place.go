package torture

import (
	"slices"
	"strconv"
	"strings"
)

// place is a branch of a repository, where files of stages are.
type place struct{ repo, branch string }

// here is where files of stages are that nothing else is said of.
var here = place{home, "main"}

// at is where the files of a stage are.
func (s *stage) at() place {
	if s.elsewhere != (place{}) {
		return s.elsewhere
	}
	return here
}

// atOf is where the files of a target are, or those of a stage without targets.
func (s *stage) atOf(target string) place {
	if n, err := strconv.Atoi(strings.TrimPrefix(target, "t")); err == nil && n%2 == 0 && s.second != (place{}) {
		return s.second
	}
	return s.at()
}

// places are the branches where files of stages are.
func (p *pipeline) places() []place {
	all := []place{here}
	for i := range p.stages {
		s := &p.stages[i]
		for _, target := range s.places() {
			if at := s.atOf(target); !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// fleet returns the stage that consists of targets; nil if there is none.
func (p *pipeline) fleet() *stage {
	for i := range p.stages {
		if p.stages[i].rolls() {
			return &p.stages[i]
		}
	}
	return nil
}
