package command

import (
	"fmt"
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

// Each returns the commands that a command stands for: itself, or, if it names several stages and may, one for each of
// them (semantics 4.15). A question about several stays one. Where a person who has this permission and these teams may
// give it to none of them, the first one alone is returned, and refuses it.
func Each(
	p *promotion.Pipeline, c promotion.Command, has promotion.Permission, teams []string,
) []promotion.Command {
	if c.Trouble != "" {
		return []promotion.Command{c}
	}
	of, word := Named(p, string(c.Stage)), string(c.Stage)
	u := UsageOf(c.Verb)
	switch {
	case u == nil || len(of) == 0 || p.Stage(c.Stage) != nil || !several(word):
	case !u.Several:
		c.Trouble = oneStage(u, word, of)
	case c.Target == "" && isHold(c.Verb) && strings.Trim(word, "*") == "":
		c.Stage, c.All = "", true
	case u.Nature == Asks:
		c.Stage, c.Stages = "", word
	default:
		return among(p, c, taking(p, of, c), has, teams)
	}
	return []promotion.Command{c}
}

// among gives a command to each of some stages. If there is only one, that was meant from the beginning.
func among(p *promotion.Pipeline, c promotion.Command, of []promotion.StageName, has promotion.Permission,
	teams []string) (all []promotion.Command) {
	if len(of) > 1 {
		c.Stages = string(c.Stage)
	}
	may := false
	for _, c.Stage = range of {
		may = may || Entitles(p.Policy, c.Verb, c.Stage, has, teams)
		all = append(all, c)
	}
	if !may {
		return all[:1]
	}
	return all
}

// isHold reports whether the command can be about the whole pipeline: a hold, or the end of one.
func isHold(v promotion.CommandVerb) bool { return v == promotion.CmdHold || v == promotion.CmdUnhold }

// several reports whether a word is a pattern or a group.
func several(word string) bool {
	return strings.Contains(word, "*") || strings.HasPrefix(lowered(word), groupPrefix)
}

// Named returns the stages that a word names in place of one, in any case of letters and in the order of the pipeline:
// the stage of that name, those whose names a pattern matches, in which * stands for any characters, or those of a
// group. There are none if it names nothing.
func Named(p *promotion.Pipeline, word string) (all []promotion.StageName) {
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
	return stages(p, Named(p, string(word)))
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
	return stages(p, Named(p, name))
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

// taking leaves, of the stages that a hold or the end of one names, those that take freight of the warehouse that it
// names; all, if it names none that any of them takes from.
func taking(p *promotion.Pipeline, of []promotion.StageName, c promotion.Command) []promotion.StageName {
	take := slices.DeleteFunc(slices.Clone(of), func(name promotion.StageName) bool {
		l, ok := limitsOf(c.Rest, p.Stage(name).From)
		return !ok || l.warehouse == ""
	})
	if len(take) == 0 || !isHold(c.Verb) {
		return of
	}
	return take
}

// oneStage says why a command takes no pattern and no group, and what to type.
func oneStage(u *Usage, word string, of []promotion.StageName) string {
	text := fmt.Sprintf("/%s is about one stage, and %s names %d: name one of %s", u.Verb, word, len(of),
		strings.Join(promotion.FirstOf(promotion.Texts(of)), ", "))
	if u.Nature == Stops {
		text += "; or stop all of them with /hold " + word
	}
	return text
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
