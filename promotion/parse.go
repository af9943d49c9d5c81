package promotion

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// ParseCommand reads a command as people type it: "/promote prod api#142", "@waybill promote prod", or, from Slack,
// "promote prod". It returns false for prose, that is, for text that does not begin with a command we know.
//
//	promote  STAGE [FREIGHT]
//	rollback STAGE [to FREIGHT] [--because "..."]
//	hold     STAGE|--all [REASON] [--for 2h]     unhold STAGE|--all
//	cancel   STAGE    retry STAGE    verify STAGE    approve STAGE    deny STAGE [REASON]
//	verdict  STAGE pass|fail --because "..."
//	admit    FREIGHT STAGE --because "..."
//
// A command that lacks something, or has too much, is returned as far as it goes: the stage that is addressed answers what
// is wrong with it.
func ParseCommand(text string) (Command, bool) { return parse(wordsOf(text)) }

// ParseComment reads a command in a comment. There a verb alone is prose: a command begins with a slash or with our name.
// What Markdown shows as code, a quote or a list is not one: it begins with something else, or is indented (T6).
func ParseComment(text string) (Command, bool) {
	if isCode(text) {
		return Command{}, false
	}
	words := wordsOf(text)
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") && !callsUs(words[0]) {
		return Command{}, false
	}
	return parse(words)
}

func parse(words []string) (Command, bool) {
	if len(words) > 0 && callsUs(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return Command{}, false
	}
	name := strings.TrimPrefix(words[0], "/")
	verb := CommandVerb(strings.ToLower(name))
	if !known(verb) || len(verb) != len(name) { // a letter that turns into one of ours has another length
		return Command{}, false
	}
	c := Command{Verb: verb}
	c.arguments(c.options(words[1:]))
	return c, true
}

// isCode reports whether the first line that is not empty is indented as Markdown indents code.
func isCode(text string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		}
	}
	return false
}

// callsUs reports whether a word is a mention of Waybill.
func callsUs(word string) bool { return strings.EqualFold(word, "@waybill") }

// wordsOf returns the words of the first line; none if it begins with a quote of what somebody else has said.
func wordsOf(text string) []string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasPrefix(line, `"`) {
		return nil
	}
	return fields(line)
}

func known(v CommandVerb) bool {
	switch v {
	case CmdPromote, CmdRollback, CmdHold, CmdUnhold, CmdCancel, CmdRetry, CmdVerify, CmdVerdict, CmdApprove, CmdDeny, CmdAdmit:
		return true
	}
	return false
}

// options takes the flags out of the words and returns what is left.
func (c *Command) options(words []string) []string {
	var rest []string
	for i := 0; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch words[i] {
		case "--all":
			c.All = true
		case "--because":
			c.Text = value
			i++
		case "--for":
			if d, err := time.ParseDuration(value); err == nil && d > 0 {
				c.For = d
			}
			i++
		default:
			rest = append(rest, words[i])
		}
	}
	return rest
}

// arguments reads what stands without a flag, by verb.
func (c *Command) arguments(words []string) {
	take := func() string {
		if len(words) == 0 {
			return ""
		}
		w := words[0]
		words = words[1:]
		return w
	}
	if c.Verb == CmdAdmit {
		c.Freight = take()
	}
	if !c.All {
		c.Stage = StageName(take())
	}
	switch c.Verb {
	case CmdRollback:
		c.Freight = take()
		if c.Freight == "to" && len(words) > 0 {
			c.Freight = take()
		}
	case CmdVerdict:
		c.judgement(take())
	}
	c.leftover(strings.Join(words, " "))
}

// judgement reads the word of a verdict.
func (c *Command) judgement(word string) {
	switch word {
	case "pass":
		c.Pass = true
	case "fail":
	default:
		c.Freight = or(word, "pass or fail")
	}
}

// leftover takes what is left: a reason for what stops, else the freight, or what is behind it and not understood.
func (c *Command) leftover(rest string) {
	switch {
	case rest == "":
	case c.Verb.stops():
		c.Text = rest
	default:
		c.Freight = strings.TrimSpace(c.Freight + " " + rest)
	}
}

// fields splits a line at white space; what stands in double quotes is one word, without the blanks around it.
func fields(line string) []string {
	quoted := false
	words := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
			return true
		}
		return !quoted && unicode.IsSpace(r)
	})
	for i, word := range words {
		words[i] = strings.TrimSpace(word)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// Address returns the stage that answers a command: the one it names, or the first stage for what concerns the whole
// pipeline or names a stage that does not exist. Who types /hold and then anything at all wants everything to stop. A
// pipeline without stages has nobody to answer: the name is empty.
func (p *Pipeline) Address(c Command) (StageName, Command) {
	if p.Stage(c.Stage) != nil {
		return c.Stage, c
	}
	if c.Verb == CmdHold && !c.All {
		c.Text = strings.TrimSpace(string(c.Stage) + " " + c.Text)
		c.Stage, c.All = "", true
	}
	if len(p.Stages) == 0 {
		return "", c
	}
	return p.Stages[0].Name, c
}
