package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attacks has, for each row T1 to T40 of docs/cases.md, the rules that stand against it, in the order of what the
// rulebook says of it: broken, the attack works.
var attacks = [][]string{
	1: {
		"a sign-off that names a commit is of any commit",
		"a sign-off is of whatever is shown when it arrives",
		"our own merge is not pinned to what was seen",
		"a button of an old page signs off what is new",
	},
	2: {
		"a sign-off from before a force-push back counts",
		"a sign-off counts for another branch",
	},
	3: {"a sign-off of other freight counts"},
	4: {
		"a pull request that was turned to another branch is merged",
		"a pull request that was turned to another branch is made anew for it",
		"a branch of a fork is ours",
	},
	5: {
		"a comment that was edited is a command",
		"a comment that was deleted is a command",
	},
	6: {
		"code at the beginning of a line is said",
		"a hold in backticks is only shown",
	},
	7: {"bots give commands"},
	8: {"a letter that only looks like one of a name matches it"},
	9: {"a comment has any number of commands"},
	10: {
		"a stage of a name that nobody has is the first one",
		"the server starts a program",
	},
	11: {"what people typed pings people"},
	12: {
		"who reads what is public gets answers in words",
		"readers get answers in words as often as they ask",
		"who may write gets answers without an end",
	},
	13: {
		"who may triage tries a promotion again",
		"not to know who may is enough",
	},
	14: {"a person is known by the login"},
	15: {
		"the author is who Git says",
		"who is not known is nobody",
		"a sign-off counts as often as it is given",
	},
	16: {
		"rights that were lost do not stop the merge",
		"nobody is asked before the merge of a batch",
	},
	17: {
		"what a label asks for is asked for again when it is told of again",
		"a bot's label is a request",
		"a label promotes what was pushed after it",
	},
	18: {
		"a button that a check run does not offer is carried out",
		"a button of an older promotion is carried out",
		"a button on a check run of another App is ours",
	},
	19: {
		"who knows no secret has webhooks taken",
		"the server starts without a secret for webhooks",
		"the previous secret is not accepted",
	},
	20: {
		"a command that is told of again is obeyed again",
		"what a delivery says is not written down",
		"what is replayed is not handled again",
	},
	21: {"a delivery does not say how old its pull request is"},
	22: {
		"a delivery counts whichever installation it names",
		"a token opens all repositories of its installation",
		"a name that leads elsewhere is followed",
	},
	23: {
		"proposed files are in force",
		"bad files end the pipeline",
		"a stranger's files are evaluated",
	},
	24: {
		"what is no text is written over",
		"what is written is executable no more",
	},
	25: {
		"Slack's requests need no signature of Slack",
		"what Slack sent is another thing a moment later",
		"the server starts with half of Slack",
	},
	26: {
		"guests of the workspace are its people",
		"an account in Slack is that of its name on GitHub",
	},
	27: {
		"a sign-in fits whatever state it has",
		"one account on GitHub belongs to several people in Slack",
	},
	28: {"a button in Slack counts whatever it has shown"},
	29: {
		"requests go to whatever host they name",
		"a token is fetched from wherever GitHub redirects to",
	},
	30: {
		"what Slack sends again is done again",
		"Slack waits four seconds for its acknowledgement",
	},
	31: {"a hold lets the merge queue merge"},
	32: {
		"a hold that is misspelt holds nothing",
		"whoever may write lifts everybody's holds",
		"a hold has no end",
	},
	33: {"a rollback goes to what has failed here"},
	34: {
		"anybody who may write admits freight",
		"who gives a verdict needs no reason",
	},
	35: {
		"secondary limits in a row pause for a minute each",
		"a comment that GitHub does not take is forgotten",
		"a comment that is written later is written twice",
	},
	36: {"errors of GitHub have the request that caused them"},
	37: {
		"a marker of ours is believed whoever writes it",
		"what a comment of ours says is read back",
	},
	38: {
		"where there is a merge queue nothing is merged",
		"what the merge queue throws out is put in again at once",
	},
	39: {"a deployment stays active when it was replaced"},
	40: {
		"what was refused is not in the audit trail",
		"lines of the audit trail are not chained",
		"lines of the audit trail are changed",
	},
}

// TestEveryAttackHasARuleOfItsOwnThatOneOfItsTestsDefends checks the rows T1 to T40 of docs/cases.md: the rules against
// each are broken, no other attack has the same ones, the test that must notice it is named in the row, and there are
// at least as many as docs/semantics.md says things of it, which semicolons part.
func TestEveryAttackHasARuleOfItsOwnThatOneOfItsTestsDefends(t *testing.T) {
	cases, rulebook := page(t, "cases.md"), page(t, "semantics.md")
	require.Len(t, attacks, 41)
	known := map[string]int{}
	for n := 1; n <= 40; n++ {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| T%d \|.*$`, n))
		said := cellsOf(row.FindString(rulebook))
		require.Len(t, said, 3, "T%d", n)
		assert.GreaterOrEqual(t, len(attacks[n]), 1+strings.Count(said[2], ";"), "T%d: %s", n, said[2])
		for _, name := range attacks[n] {
			assert.Zero(t, known[name], "T%d: another attack has %q", n, name)
			known[name] = n
			i := slices.IndexFunc(tested, func(r named) bool { return r.name == name })
			require.GreaterOrEqual(t, i, 0, "T%d: no rule is called %q", n, name)
			assert.Contains(t, cited(row.FindString(cases)), tested[i].folder+" "+tested[i].test, "T%d: %s", n, name)
		}
	}
}
