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
	// longestList bounds how many names stand between commas. For more there are groups.
	longestList = 20
)

// Several reports whether a word is a pattern, a group or a list, and so may name more than one stage.
func Several(word string) bool {
	return strings.ContainsAny(word, "*,") || strings.HasPrefix(lowered(word), groupPrefix)
}

// StagesNamed returns the stages that a word names in place of one, in any case of letters and in the order of the
// pipeline: the stage of that name, those whose names a pattern matches, in which * stands for any characters, those of
// a group, or those of a list of these, with commas between them. There are none if one of these names nothing.
func StagesNamed(p *promotion.Pipeline, word string) (all []promotion.StageName) {
	list := listed(word)
	if len(list) > longestList {
		return nil
	}
	meant := map[promotion.StageName]bool{}
	for _, name := range list {
		some := meantBy(p, name)
		if len(some) == 0 {
			return nil
		}
		for _, s := range some {
			meant[s] = true
		}
	}
	for _, s := range p.Stages {
		if meant[s.Name] {
			all = append(all, s.Name)
		}
	}
	return all
}

// listed returns the names in a list, which may have only one.
func listed(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return r == ',' })
}

// unnamed returns the first name in a list that names no stage; the list itself if there is none, or it is too long.
func unnamed(p *promotion.Pipeline, word string) string {
	list := listed(word)
	if len(list) > longestList {
		return word
	}
	for _, name := range list {
		if len(meantBy(p, name)) == 0 {
			return name
		}
	}
	return word
}

// meantBy returns the stages that a name stands for which is no list.
func meantBy(p *promotion.Pipeline, name string) (all []promotion.StageName) {
	if one := named(p, promotion.StageName(name)); one != "" {
		return []promotion.StageName{one}
	}
	if len(name) > longestPattern || !Several(name) {
		return nil
	}
	name = lowered(name)
	group, grouped := strings.CutPrefix(name, groupPrefix)
	for _, s := range p.Stages {
		inGroup := func(g string) bool { return lowered(g) == group }
		if grouped && slices.ContainsFunc(s.Groups, inGroup) || !grouped && promotion.Match(name, lowered(string(s.Name))) {
			all = append(all, s.Name)
		}
	}
	return all
}

// Called returns the stage that is called exactly so, or the stages that a pattern, a group or a list names.
func Called(p *promotion.Pipeline, word promotion.StageName) []*promotion.Stage {
	if s := p.Stage(word); s != nil {
		return []*promotion.Stage{s}
	}
	if !Several(string(word)) {
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

// groupNames lists the groups of a pipeline for people.
func groupNames(p *promotion.Pipeline) string {
	var all []string
	for _, word := range Groups(p) {
		all = append(all, strings.TrimPrefix(word, groupPrefix))
	}
	return strings.Join(promotion.FirstOf(all), ", ")
}

// Groups returns the words that name the groups of a pipeline, such as group:prod, in the order in which its stages
// name them.
func Groups(p *promotion.Pipeline) (all []string) {
	for _, s := range p.Stages {
		for _, g := range s.Groups {
			if word := groupPrefix + g; !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all
}
