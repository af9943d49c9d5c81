package promotion

import (
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
// A command that lacks something is returned as far as it goes: the stage that is addressed answers what is missing.
func ParseCommand(text string) (Command, bool) {
	words := fields(firstLine(text))
	if len(words) == 0 {
		return Command{}, false
	}
	name, slashed := strings.CutPrefix(words[0], "/")
	if !slashed && strings.HasPrefix(words[0], "@") && len(words) > 1 {
		words = words[1:]
		name = words[0]
	}
	verb := CommandVerb(strings.ToLower(name))
	if !known(verb) {
		return Command{}, false
	}
	c := Command{Verb: verb}
	c.arguments(c.options(words[1:]))
	return c, true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
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
	case CmdPromote:
		c.Freight = take()
	case CmdRollback:
		if f := take(); f == "to" {
			c.Freight = take()
		} else {
			c.Freight = f
		}
	case CmdVerdict:
		c.Pass = take() == "pass"
	case CmdHold, CmdDeny:
		c.Text = strings.Join(words, " ")
	}
}

// fields splits a line at white space; what stands in double quotes is one word.
func fields(line string) []string {
	quoted := false
	words := strings.FieldsFunc(line, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
			return true
		}
		return !quoted && unicode.IsSpace(r)
	})
	return words
}

// Address returns the stage that answers a command: the one it names, or the first stage for what concerns the whole
// pipeline or names a stage that does not exist. Who types /hold and then anything at all wants everything to stop.
func (p *Pipeline) Address(c Command) (StageName, Command) {
	if p.Stage(c.Stage) != nil {
		return c.Stage, c
	}
	if c.Verb == CmdHold && !c.All {
		c.Text = strings.TrimSpace(string(c.Stage) + " " + c.Text)
		c.Stage, c.All = "", true
	}
	return p.Stages[0].Name, c
}
