package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/golden"
	"waybill/promotion"
	"waybill/promotion/command"
)

// whoByDefault says who may give a command without a rule in the policy file.
func whoByDefault(u command.Usage) string {
	if len(u.Default) == 0 {
		return "nobody"
	}
	who := u.Default[0].Permission.String()
	if not := u.Default[0].Not; len(not) > 0 {
		who += ", but not the " + strings.Join(not, " or ")
	}
	if u.Verb == promotion.CmdUnhold {
		who += " (one's own hold), maintain (anybody's)"
	}
	return who
}

// meansOf lists the ways to give a command besides typing it.
func meansOf(u command.Usage) string {
	words := map[command.Means]string{command.InReview: "a review's summary", command.ByLabel: "a label",
		command.OnCheck: "a button of a check", command.InSlack: "a button in Slack"}
	var all []string
	for _, m := range u.Means {
		all = append(all, words[m])
	}
	return strings.Join(all, ", ")
}

// severalStages has ~ for the ticks of code.
const severalStages = `## Several stages

STAGES is one stage, or several at once ([semantics 4.15](semantics.md#4-holds-freezes-sign-offs)):

| | names |
|---|---|
| ~/hold *-prod~, ~/status cart-*~ | the stages that the pattern matches; ~*~ stands for any characters |
| ~/hold group:prod~, ~/history group:team-a~ | the stages that have ~groups: [prod]~ in the pipeline file |
| ~/hold dev,*-prod~, ~/status dev *-prod~ | those of a list of at most 20 names, in questions also without commas |
| ~/hold *-prod api~ | those of them that take from the warehouse ~api~: only its freight is held |
| ~/hold *~, ~/unhold *~ | the whole pipeline, as ~--all~ |

- Each stage carries it out or refuses it by its own rights and state. One answer tells it stage by stage, refusals
  first; of more than ten stages the others are folded. If one has refused, the outcome is *refused*: ~waybill do~ exits
  with 1.
- The stages that there are now are meant. One that the pipeline file gains later is not held.
- A pattern that matches nothing, as in ~/hold *-prd~, holds the whole pipeline, like every word that is no stage.
- ~/unhold~ of several stages lifts holds of people. Waybill's own are lifted stage by stage: each says what to look at.
- ~/promote~, ~/approve~, ~/rollback~ and all others with STAGE are about one stage. Their refusal lists the stages that
  were meant.
- In a comment, too, ~/hold *eu*~ is a pattern, though GitHub shows emphasis.
- In a shell a pattern stands in quotes: ~waybill do "hold *-prod"~.
`

// TestTheDescriptionOfTheCommandsIsTheirTable compares docs/commands.md with the table.
func TestTheDescriptionOfTheCommandsIsTheirTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Commands\n\nFor people who give commands: the arguments of each, who may give it by default, and " +
		"other ways to give it.\n`make docs` makes this page from `promotion/command/verbs.go`.\n\n" +
		"- A command is at the beginning of a line of a comment on a pull request, as `/promote prod` or `@waybill promote " +
		"prod`.\n  Waybill ignores commands in code, quotes, lists, tables, headings or HTML.\n" +
		"- A comment may have five commands. If Waybill cannot understand one of them, it carries out only those that " +
		"stop\n  something.\n- In Slack the same words follow `/waybill`, and on the command line `waybill do`.\n" +
		"- Waybill reads commands that stop something leniently, and all others strictly: a stage that the table does not " +
		"put in\n  brackets must be named, and extra words are refused.\n" +
		"- The answer says what was done, to what, until when, and how to undo it; or what was refused, why, and who may\n" +
		"  ([semantics 4.10](semantics.md#4-holds-freezes-sign-offs)).\n\n" +
		"| command | does | who, by default | also by |\n|---|---|---|---|\n")
	for _, u := range command.Commands {
		does := u.Does
		if len(u.Aliases) > 0 {
			does += " Also: `/" + strings.Join(u.Aliases, "`, `/") + "`."
		}
		fmt.Fprintf(&b, "| `%s` | %s Example: `%s` | %s | %s |\n", strings.ReplaceAll(u.Line(), "|", `\|`), does,
			strings.ReplaceAll(u.Example, "|", `\|`), whoByDefault(u), meansOf(u))
	}
	b.WriteString("\nFREIGHT is a name such as `api#142`, a pull request's number such as `#142`, or the first seven " +
		"letters of a commit.\nWithout it a command means the pull request's own freight; elsewhere the newest " +
		"that is available. There\n`/reject`, `/unreject` and `/fixes` must name it.\n\n" +
		strings.ReplaceAll(severalStages, "~", "`"))
	golden.Check(t, "../../docs/commands.md", b.String(), "make docs")
}

func TestEveryExampleIsTheCommandThatItExplains(t *testing.T) {
	for _, u := range command.Commands {
		c, is := command.ParseLine(u.Example)
		require.True(t, is, u.Example)
		require.Equal(t, u.Verb, c.Verb)
		require.Empty(t, c.Trouble)
		require.NotEqual(t, "unknown", c.Freight)
		for _, alias := range u.Aliases {
			require.Equal(t, u.Verb, command.UsageOf(promotion.CommandVerb(alias)).Verb)
		}
	}
}
