package main

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attacks has, for each row T1 to T40 of docs/cases.md, the rule that stands against it: broken, the attack works.
var attacks = []string{
	1:  "a sign-off is of whatever is shown when it arrives",
	2:  "a sign-off from before a force-push back counts",
	3:  "a sign-off of other freight counts",
	4:  "a pull request that was turned to another branch is merged",
	5:  "a comment that was edited is a command",
	6:  "code at the beginning of a line is said",
	7:  "bots give commands",
	8:  "a letter that only looks like one of a name matches it",
	9:  "a comment has any number of commands",
	10: "a name of a repository may be any path",
	11: "what people typed pings people",
	12: "who reads what is public gets answers in words",
	13: "not to know who may is enough",
	14: "a person is known by the login",
	15: "the author is who Git says",
	16: "rights that were lost do not stop the merge",
	17: "a label promotes what was pushed after it",
	18: "a button that a check run does not offer is carried out",
	19: "who knows no secret has webhooks taken",
	20: "a command that is told of again is obeyed again",
	21: "a delivery does not say how old its pull request is",
	22: "a delivery counts whichever installation it names",
	23: "proposed files are in force",
	24: "what is no text is written over",
	25: "Slack's requests need no signature of Slack",
	26: "an account in Slack is that of its name on GitHub",
	27: "a sign-in fits whatever state it has",
	28: "a button in Slack counts whatever it has shown",
	29: "requests go to whatever host they name",
	30: "what Slack sends again is done again",
	31: "a hold lets the merge queue merge",
	32: "whoever may write lifts everybody's holds",
	33: "a rollback goes to what has failed here",
	34: "anybody who may write admits freight",
	35: "a comment that GitHub does not take is forgotten",
	36: "errors of GitHub have the request that caused them",
	37: "a marker of ours is believed whoever writes it",
	38: "where there is a merge queue nothing is merged",
	39: "a deployment stays active when it was replaced",
	40: "lines of the audit trail are not chained",
}

// TestEveryAttackHasARuleOfItsOwnThatOneOfItsTestsDefends checks the rows T1 to T40 of docs/cases.md: the rule against
// each is broken, no other attack has the same one, and the test that must notice it is named in the row.
func TestEveryAttackHasARuleOfItsOwnThatOneOfItsTestsDefends(t *testing.T) {
	cases := page(t, "cases.md")
	require.Len(t, attacks, 41)
	for n := 1; n <= 40; n++ {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| T%d \|.*$`, n)).FindString(cases)
		i := slices.IndexFunc(tested, func(r named) bool { return r.name == attacks[n] })
		require.GreaterOrEqual(t, i, 0, "T%d: no rule is called %q", n, attacks[n])
		assert.Equal(t, n, slices.Index(attacks, attacks[n]), "T%d: another attack has its rule", n)
		assert.Contains(t, cited(row), tested[i].folder+" "+tested[i].test, "T%d", n)
	}
}
