package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"waybill/promotion"
)

// ParseCommand reads a command as people type it: "/promote prod api#142", "@waybill promote prod", or, from Slack,
// "promote prod". It returns false for prose, that is, for text that does not begin with a command of ours, or nearly.
// The table in verbs.go has the arguments of the commands.
//
// A command with too few or too many words is returned as far as it goes: the stage that is addressed answers with the
// mistake.
func ParseCommand(text string) (promotion.Command, bool) {
	return parse(firstLine(text))
}

// ParseLine reads a command in a line of a comment. There a verb alone is prose: a command begins with a slash or with
// our name.
func ParseLine(line string) (promotion.Command, bool) {
	line = normal(firstLine(line))
	first, _, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(first, "/") && !callsUs(first) {
		return promotion.Command{}, false
	}
	return parse(line)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func parse(line string) (promotion.Command, bool) {
	line = normal(line)
	if strings.HasPrefix(line, `"`) {
		return promotion.Command{}, false // a quote of another person
	}
	words, closed := fields(line)
	if len(words) > 0 && callsUs(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return promotion.Command{}, false
	}
	name := strings.TrimPrefix(words[0], "/")
	u := Find(name)
	if u == nil {
		return slip(name)
	}
	c := promotion.Command{Verb: u.Verb}
	arguments(&c, u, options(&c, u, words[1:]))
	if !closed && u.Nature == Goes {
		c.Trouble = `a quotation mark (") has no second one`
	}
	return c, true
}

// callsUs reports whether a word is a mention of Waybill.
func callsUs(word string) bool { return strings.EqualFold(word, "@waybill") }

// slip takes a word that is nearly one of ours for a command that cannot be carried out, so that it is answered. All
// other words are prose, or belong to other bots.
func slip(name string) (promotion.Command, bool) {
	if strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return promotion.Command{}, false
	}
	for i := range Commands {
		verb := string(Commands[i].Verb)
		most := 1
		if len(verb) > 4 && verb != string(promotion.CmdReject) { // /retest is the command of other bots
			most = 2
		}
		if levenshtein.ComputeDistance(name, verb) <= most {
			return promotion.Command{Verb: promotion.CommandVerb(name),
				Trouble: fmt.Sprintf("there is no command /%s; did you mean /%s?", name, verb)}, true
		}
	}
	return promotion.Command{}, false
}

// normal undoes the changes that keyboards and editors make to a command: invisible characters, quotation marks that
// turn, dashes that were two hyphens (T8). A character that turns the direction of writing stays, so that a word with
// one names nothing.
func normal(line string) string {
	line = strings.Map(func(r rune) rune {
		switch r {
		case '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad':
			return -1
		case '“', '”', '„', '«', '»':
			return '"'
		}
		return r
	}, line)
	for _, dash := range []string{"—", "–"} {
		line = strings.ReplaceAll(line, " "+dash, " --")
	}
	return strings.TrimSpace(line)
}

// options takes the flags of a command out of the words and returns the others. A flag that the command does not have
// is left. One that is repeated is refused, unless the command only stops something: then the last one counts.
func options(c *promotion.Command, u *Usage, words []string) []string {
	var rest []string
	given := map[string]bool{}
	for i := 0; i < len(words); i++ {
		flag := words[i]
		switch {
		case !u.knows(flag):
			rest = append(rest, flag)
			continue
		case given[flag] && !OnlyStops(u.Verb):
			c.Trouble = flag + " is given twice"
			continue
		}
		given[flag] = true
		switch flag {
		case "--all":
			c.All = true
			continue
		case "--when-available":
			c.Early = true
			continue
		case "--withdraw":
			c.Withdraw = true
			continue
		}
		i++
		if i < len(words) {
			option(c, flag, words[i])
		}
	}
	return rest
}

// knows reports whether a word is a flag of the command. Every command takes a reason.
func (u *Usage) knows(word string) bool { return word == "--because" || slices.Contains(u.flags, word) }

func option(c *promotion.Command, flag, value string) {
	switch flag {
	case "--because":
		c.Text = value
	case "--for":
		if d, ok := span(value); ok {
			c.For = d
			return
		}
		c.Text = strings.TrimSpace(c.Text + " (without end: " + value + " is no time up to 720h)")
	}
}

// arguments reads the words that are no flags.
func arguments(c *promotion.Command, u *Usage, words []string) {
	if u.onlyStages() && len(words) > 1 {
		words = []string{strings.Join(words, ",")}
	}
	for _, s := range u.slots {
		words = fill(c, s, words)
	}
	leftover(c, strings.Join(words, " "))
}

// fill takes one argument from the words and returns the others.
func fill(c *promotion.Command, s slot, words []string) []string {
	switch {
	case s == stageSlot && c.All:
		return words
	case len(words) == 0:
		if s == verdictSlot {
			judgement(c, "")
		}
		return nil
	}
	switch s {
	case stageSlot:
		c.Stage, c.Target = PlaceNamed(words[0])
	case toFreightSlot:
		if words[0] == "to" && len(words) > 1 {
			words = words[1:]
		}
		c.Freight = words[0]
	case freightSlot:
		c.Freight = words[0]
	case promotionSlot:
		if !namesPromotion(words[0]) {
			return words
		}
		c.Freight = words[0]
	case verdictSlot:
		judgement(c, words[0])
	case planSlot:
		if !namesPlan(words[0]) {
			return words
		}
		c.Plan = strings.ToLower(words[0])
	}
	return words[1:]
}

// fewestDigits is how many digits of a commit a sign-off must name at least. Nobody chooses the digits of a commit of
// ours: GitHub puts the time into it.
const fewestDigits = 7

// namesPromotion reports whether a word is the number of a promotion (p4), or the name of freight (api#142). Other
// words are a reason: what stops something is never refused for them.
func namesPromotion(word string) bool {
	digits, number := strings.CutPrefix(word, "p")
	return number && digits != "" && strings.Trim(digits, "0123456789") == "" || strings.Contains(word, "#")
}

// namesPlan reports whether a word is the beginning of a commit or of a hash.
func namesPlan(word string) bool {
	return len(word) >= fewestDigits && len(word) <= 64 &&
		strings.Trim(strings.ToLower(word), "0123456789abcdef") == ""
}

// PlaceNamed returns the stage that a word names, and the target behind a slash, if there is one. A word that begins
// with a slash is the name of a stage, which nobody has.
func PlaceNamed(word string) (promotion.StageName, promotion.TargetName) {
	stage, target, _ := strings.Cut(word, "/")
	if stage == "" {
		return promotion.StageName(word), ""
	}
	return promotion.StageName(stage), promotion.TargetName(target)
}

// judgement reads the word of a verdict.
func judgement(c *promotion.Command, word string) {
	switch word {
	case "pass":
		c.Pass = true
	case "fail":
	default:
		c.Freight = cmp.Or(word, "pass or fail")
	}
}

// leftover takes the words that are left: those that say what a hold is of, or a reason for a command that stops, else
// words behind the freight that are not understood.
func leftover(c *promotion.Command, rest string) {
	switch {
	case rest == "":
	case c.Verb == promotion.CmdHold, c.Verb == promotion.CmdUnhold:
		c.Rest = rest
	case OnlyStops(c.Verb):
		c.Text = strings.TrimSpace(rest + " " + c.Text)
	default:
		c.Freight = strings.TrimSpace(c.Freight + " " + rest)
	}
}

// fields splits a line at white space; text in double quotes is one word, without the blanks around it. It reports
// whether every quotation mark has its second one.
func fields(line string) (words []string, closed bool) {
	quoted := false
	words = strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
			return true
		}
		return !quoted && unicode.IsSpace(r)
	})
	for i, word := range words {
		words[i] = strings.TrimSpace(word)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" }), !quoted
}

// PromotionInPlace returns the number of a promotion that stands where a command wants a stage, as in `/cancel p4`;
// false if none does, or the pipeline has a stage of that name.
func PromotionInPlace(p *promotion.Pipeline, c promotion.Command) (promotion.Number, bool) {
	u, name := UsageOf(c.Verb), string(c.Stage)
	if u == nil || !u.has(promotionSlot) || c.Freight != "" || c.Target != "" || named(p, c.Stage) != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.ToLower(name), "p"), 10, 64)
	return promotion.Number(n), err == nil && n > 0 && namesPromotion(strings.ToLower(name))
}

// OfPromotion returns the command as one to the stage of the promotion that it names in place of a stage.
func OfPromotion(c promotion.Command, n promotion.Number, stage promotion.StageName) promotion.Command {
	c.Stage, c.Freight = stage, "p"+n.String()
	return c
}

// Address returns the stage that answers a command: the one it names, in any case of letters, or the first stage for a
// command to the whole pipeline or to a stage that does not exist. A person who types /hold and then anything at all
// wants everything to stop. A pipeline without stages cannot answer: the name is empty.
func Address(p *promotion.Pipeline, c promotion.Command) (promotion.StageName, promotion.Command) {
	below := rejects(c.Verb) || c.Verb == promotion.CmdAdmit
	if below && c.Stage == "" && named(p, promotion.StageName(c.Freight)) != "" {
		c.Stage, c.Freight = promotion.StageName(c.Freight), "" // of the pull request that it stands on
	}
	called := named(p, c.Stage)
	if called == "" && c.Verb == promotion.CmdHold {
		called = named(p, promotion.StageName(strings.TrimFunc(string(c.Stage), isMark)))
	}
	if called != "" {
		c.Stage = called
		return called, c
	}
	if c.Verb == promotion.CmdHold && !c.All {
		word := c.Place()
		if _, is := limitsOf(c.Rest, nil); !is {
			word, c.Rest = strings.TrimSpace(word+" "+c.Rest), ""
		}
		c.Text = strings.TrimSpace(word + " " + c.Text)
		c.Stage, c.Target, c.All = "", "", true
	}
	if len(p.Stages) == 0 {
		return "", c
	}
	return p.Stages[0].Name, c
}

// isMark reports whether a character is neither a letter nor a digit: `/hold DEV!!!` is meant for dev.
func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// named returns the stage that a person means by a name: the one that is called so, or the only one that is called so
// in another case; empty if there is none.
func named(p *promotion.Pipeline, typed promotion.StageName) promotion.StageName {
	var alike []promotion.StageName
	for _, s := range p.Stages {
		if s.Name == typed {
			return typed
		}
		if strings.EqualFold(string(s.Name), string(typed)) {
			alike = append(alike, s.Name)
		}
	}
	if len(alike) == 1 {
		return alike[0]
	}
	return ""
}
