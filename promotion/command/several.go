package command

import (
	"fmt"
	"slices"
	"strings"

	"waybill/promotion"
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
	of, word := StagesNamed(p, string(c.Stage)), string(c.Stage)
	u := UsageOf(c.Verb)
	switch {
	case u == nil || len(of) == 0 || p.Stage(c.Stage) != nil || !Several(word):
	case !u.Several:
		c.Trouble = oneStage(u, word, of)
	case c.Target == "" && isHold(c.Verb) && strings.Trim(word, "*") == "":
		c.Stage, c.All = "", true
	case u.Nature == Asks && len(of) > 1:
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
