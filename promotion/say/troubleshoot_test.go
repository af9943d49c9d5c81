package say

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/golden"
	"waybill/promotion"
)

// TestThePageOnTroubleHasEveryReason makes docs/troubleshoot.md of the sentences that people read, and of what to do
// then. Each reason is there once.
func TestThePageOnTroubleHasEveryReason(t *testing.T) {
	var b strings.Builder
	b.WriteString(troublePreface)
	said := map[promotion.Code]bool{}
	for _, s := range trouble {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| it says | what to do |\n|---|---|\n", s.title, s.text)
		for _, one := range s.remedies {
			require.False(t, said[one.code], one.code)
			said[one.code] = true
			fmt.Fprintf(&b, "| %s | %s |\n", example(one.code), one.remedy)
		}
	}
	for _, code := range allCodes(t) {
		require.True(t, said[code], "%s has no remedy", code)
	}
	golden.Check(t, "../../docs/troubleshoot.md", b.String(), "make docs")
}

// example returns the sentence of a code with its first sample, and of its forms, where it has more.
func example(code promotion.Code) string {
	samples := sampleArgs[code]
	if samples == nil {
		samples = [][]string{nil}
	}
	var sentences []string
	for _, args := range samples {
		sentences = append(sentences, strings.ReplaceAll(Sentence(promotion.Because(code, args...)), "|", `\|`))
	}
	return strings.Join(sentences, "<br>")
}

const troublePreface = `# Troubleshooting

For the engineer on call: what to do about each sentence in an answer, a check run or a page of Waybill's.
` + "`/why STAGE`" + ` gives the sentence of one stage, with a link; ` + "`/status`" + ` those of all stages.
` + "`make docs`" + ` makes this page from the sentences themselves.

- GitHub's own words are on [a page of refusals](refusals.md).
- ` + "`waybill doctor`" + ` says what is wrong with the server or the App ([operating](operate.md#what-is-wrong)).
- Mistakes in a pipeline file come with line, column and remedy: ` + "`waybill validate`" + `.
`

type remedy struct {
	code   promotion.Code
	remedy string
}

var trouble = []struct {
	title, text string
	remedies    []remedy
}{
	{"It waits", "Waybill works. What it waits for comes by itself, or from a person.", waits},
	{"It failed, or ended", "This promotion is over. `/retry STAGE` begins a failed or declined one anew, " +
		"`/promote STAGE FREIGHT` one that was cancelled or replaced.", failed},
	{"A command was refused", "The command did nothing.", refusals},
	{"It says what was done", "Nothing is to be done.", told},
}

var waits = []remedy{
	{promotion.Behind, "Wait for that promotion, or end it with `/cancel`."},
	{promotion.InTurn, "Nothing: several promotions change one branch, and go in one after the other."},
	{promotion.Overtaken, "Nothing. If other people push to that branch all the time, let Waybill's files live on " +
		"a branch of their own (`files`)."},
	{promotion.Held, "`/unhold STAGE`, or `/unhold --all` if the whole pipeline is held, once the reason is over. That " +
		"of somebody else needs the right to (`maintain`, if the policy file does not say). A hold of Waybill's stands " +
		"after a failure or a rollback: look at that first."},
	{promotion.Frozen, "Wait for the end, which `/status` shows. A freeze is in the pipeline file or the policy " +
		"file."},
	{promotion.Incomplete, "Let CI push the image for the commit of the freight, to the name that the warehouse " +
		"has."},
	{promotion.Unverified, "See why these stages have not verified it: `/why` of each. Who may, lets it in all " +
		"the same: `/admit FREIGHT STAGE --because \"...\"`."},
	{promotion.Left, "Nothing: newer freight has it, if it comes of the same branch. Who may, lets this one in all the " +
		"same: `/admit FREIGHT STAGE --because \"...\"`."},
	{promotion.Soaking, "Wait; `/why` says until when. `/admit` does not wait."},
	{promotion.Keeps, "Nothing: newer freight comes when this one has soaked. `/promote` does not wait."},
	{promotion.Unapproved, "Somebody who may says `/approve STAGE`, or approves the pull request."},
	{promotion.Void, "Look at what has changed, and sign off again."},
	{promotion.ToBeMerged, "Merge the promotion's pull request, or close it to decline."},
	{promotion.Enqueued, "Wait for GitHub's merge queue, or take the pull request out of it there."},
	{promotion.Unmergable, "Do what it says on the pull request: a review, a required check, a conversation to be " +
		"resolved. Waybill merges it then. [Rules of branches](github.md#what-waybill-reads-of-them) says which " +
		"of them an App can meet."},
	{promotion.Refusing, "Wait: it is tried again for half an hour (`WAYBILL_PATIENCE`). Look at [GitHub's " +
		"status](https://www.githubstatus.com) and at [its words](refusals.md)."},
	{promotion.Waiting, "Wait for CI. If it never reports under that name, correct `verify`; `waybill doctor` " +
		"lists the names that were seen."},
	{promotion.Rolling, "Wait; `/pause STAGE` stops the rollout before its next step."},
	{promotion.Resting, "Wait for the end of the batch's `wait`."},
	{promotion.Paused, "`/resume STAGE`."},
	{promotion.NotReady, "Have the targets report ready (`ready` of the stage), or leave one out: `/skip " +
		"STAGE/TARGET`."},
	{promotion.Unready, "The same: none of the targets that are left is ready."},
	{promotion.Inconclusive, "Run the check again, or decide: `/verdict STAGE pass --because \"...\"`."},
	{promotion.PlanChanged, "Say what the sentence says. A person may merge a commit of somebody else: it ends the " +
		"promotion as `foreign`, and Waybill holds the stage, if it changes anything but the planned files as planned."},
	{promotion.Unreadable, "Mend the file: it is missing, is not what the kind of change expects, or lacks the path. " +
		"Waybill never inserts what is not there. The next push of it lets the promotion go on. If that had begun, it may " +
		"have failed: then `/retry STAGE`."},
	{promotion.BeforeFailed, "Repair or replace what that promotion broke. `/promote STAGE FREIGHT` does not wait."},
	{promotion.Missing, "See whether CI ran on the merge commit at all. Then run it, or correct the name under " +
		"`verify`, and say `/verify STAGE`."},
}

var failed = []remedy{
	{promotion.FailedCheck, "Follow the link to the check. Run it again there, and Waybill reads the new result; " +
		"or go back: `/rollback STAGE`; or mend it and merge, and the next freight repairs it."},
	{promotion.TimedOut, "See why CI takes so long; then `/verify STAGE`, or raise `timeout` of that signal."},
	{promotion.Newer, "Nothing: the newer one goes instead. `queue: fifo` promotes each."},
	{promotion.Closed, "`/retry STAGE`, if that was not meant. Opening the pull request again promotes nothing."},
	{promotion.NotPlanned, "Look at those files in the merge: somebody added them to the promotion's pull " +
		"request. Take them back by a pull request, or keep them; then `/unhold STAGE`, and `/retry STAGE`."},
	{promotion.Conflict, "Somebody changes the same lines at the same time. Merge or close theirs, then `/retry " +
		"STAGE`."},
	{promotion.Refused, "Read GitHub's words behind it: a permission, a rule of the branch, a limit. `waybill " +
		"doctor` says what to set."},
	{promotion.Removed, "The pipeline file has no such stage or target any more. Put it back, or forget the " +
		"promotion."},
	{promotion.Moved, "`/promote STAGE`: the promotion was for the place where the files were before."},
	{promotion.NoChange, "Nothing: the stage has that version already."},
	{promotion.Drifted, "Somebody changed what was promoted, by hand. `/promote` puts it back; `drift: repair` " +
		"does so by itself."},
	{promotion.Rejected, "Promote other freight. If the reject was wrong: `/unreject`; if newer freight repairs " +
		"it: `/fixes`."},
	{promotion.Carried, "Nothing: it came with freight that contains it."},
	{promotion.Before, "`/promote STAGE FREIGHT`, if it is to go there all the same."},
	{promotion.Skipped, "`/promote STAGE/TARGET`, when the target can take part again."},
}

var refusals = []remedy{
	{promotion.Forbidden, "Ask one of those whom the answer names. `waybill policy explain STAGE USER` shows the line " +
		"that decides. What is no longer promoted by itself waits for `/promote STAGE FREIGHT` or `/cancel STAGE`."},
	{promotion.Unknown, "Look at the spelling; `/status` lists the stages, `/where` the freight."},
	{promotion.Merged, "`/rollback STAGE` takes back what is merged; `/cancel STAGE` ends a rollout where it is."},
	{promotion.Malformed, "Read what follows it, or say `/help COMMAND`."},
	{promotion.Which, "Name the promotion that you mean."},
	{promotion.Several, "Name the freight that you mean."},
	{promotion.NoFreight, "Merge the pull request first, or name the freight that you mean. If it should be " +
		"freight: see `branch`, `paths` and `labels` of the warehouse."},
	{promotion.Hosts, "Nothing, if the rollback was done before. Else name the freight to go back to."},
	{promotion.Over, "Say what the sentence says."},
	{promotion.Lapsed, "Look at what was pushed, and put the label on again."},
	{promotion.Stale, "Give it again."},
}

var told = []remedy{
	{promotion.Decided, "Nothing, if it is so. Else `/verdict` again, or `/verify STAGE`, by which the checks decide."},
	{promotion.Asked, "Somebody decided it, or ended it, with a command. `/promote STAGE FREIGHT` begins anew."},
	{promotion.Already, "Nothing."},
	{promotion.Recovered, "Nothing: it is said where the failure was told."},
	{promotion.Done, "Nothing."},
	{promotion.Lifted, "`/hold STAGE WAREHOUSE` holds one of them again."},
}
