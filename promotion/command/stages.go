package command

import (
	"slices"
	"strings"

	"waybill/promotion"
)

const (
	// groupPrefix stands in front of the name of a group: /hold group:prod.
	groupPrefix = "group:"
	// longestPattern bounds the words that are compared with the names of stages, which are shorter.
	longestPattern = 100
)

// several reports whether a word is a pattern or a group.
func several(word string) bool {
	return strings.Contains(word, "*") || strings.HasPrefix(lowered(word), groupPrefix)
}

// StagesNamed returns the stages that a word names in place of one, in any case of letters and in the order of the
// pipeline: the stage of that name, those whose names a pattern matches, in which * stands for any characters, or those
// of a group. There are none if it names nothing.
func StagesNamed(p *promotion.Pipeline, word string) (all []promotion.StageName) {
	if one := named(p, promotion.StageName(word)); one != "" {
		return []promotion.StageName{one}
	}
	if len(word) > longestPattern || !several(word) {
		return nil
	}
	word = lowered(word)
	group, grouped := strings.CutPrefix(word, groupPrefix)
	for _, s := range p.Stages {
		inGroup := func(g string) bool { return lowered(g) == group }
		if grouped && slices.ContainsFunc(s.Groups, inGroup) || !grouped && promotion.Match(word, lowered(string(s.Name))) {
			all = append(all, s.Name)
		}
	}
	return all
}

// Called returns the stage that is called exactly so, or the stages that a pattern or a group names.
func Called(p *promotion.Pipeline, word promotion.StageName) []*promotion.Stage {
	if s := p.Stage(word); s != nil {
		return []*promotion.Stage{s}
	}
	if !several(string(word)) {
		return nil
	}
	return stages(p, StagesNamed(p, string(word)))
}

// About returns the stages that a command is about: one, several, or all of the pipeline.
func About(p *promotion.Pipeline, c promotion.Command) []*promotion.Stage {
	name := string(c.Stage)
	if name == "" {
		name = c.Stages
	}
	if name == "" {
		return p.Stages
	}
	return stages(p, StagesNamed(p, name))
}

func stages(p *promotion.Pipeline, names []promotion.StageName) (all []*promotion.Stage) {
	for _, name := range names {
		all = append(all, p.Stage(name))
	}
	return all
}

// lowered makes the letters small that names may have. Others that turn into these stay what they are (T8).
func lowered(word string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, word)
}

// groupNames lists the groups of a pipeline in the order in which its stages name them.
func groupNames(p *promotion.Pipeline) string {
	var all []string
	for _, s := range p.Stages {
		for _, g := range s.Groups {
			if !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	return strings.Join(promotion.FirstOf(all), ", ")
}
