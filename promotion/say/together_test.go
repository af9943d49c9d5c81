package say

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
)

// asked is a command to several stages, and what it is for one of them.
func asked(typed string, stage promotion.StageName) promotion.Request {
	c, _ := command.ParseCommand(typed)
	c.Stage, c.Stages = stage, string(c.Stage)
	return promotion.Request{Command: c, By: fixture.Ann, Together: 1}
}

// holdsOf are the answers of some stages to a hold of one warehouse, of which those that are named refuse.
func holdsOf(stages int, refuse ...string) (parts []Part) {
	for i := range stages {
		name := promotion.StageName(fmt.Sprintf("s%02d", i))
		hold := promotion.Hold{Stage: name, Warehouse: "api", Text: "it is slow"}
		p := Part{Stage: name, Outcome: promotion.Done, Said: HoldReport(hold, "acme/deploy")}
		if strings.Contains(strings.Join(refuse, " "), string(name)) {
			p.Outcome = promotion.Refused
			p.Refusal = RefusalOf(asked("hold s* api", name), "refused", promotion.Because(promotion.Forbidden, "write"),
				promotion.Policy{}, name)
		}
		parts = append(parts, p)
	}
	return parts
}

// TestAnAnswerThatIsTooLongCountsWhatItLeavesOut has more stages, and more notes, than a comment has room for.
func TestAnAnswerThatIsTooLongCountsWhatItLeavesOut(t *testing.T) {
	r := TogetherReport(asked("hold s* api", "s00"), holdsOf(5000))
	text := r.Markdown()
	require.LessOrEqual(t, len(text), mostAnswer+1000)
	shown := strings.Count(text, "\n| s")
	require.Greater(t, shown, 500)
	require.Contains(t, text, fmt.Sprintf("\n%d more do not fit into a comment.\n", 5000-shown))
	require.Contains(t, text, "/unhold s* api")
	require.Contains(t, text, "The reason&#58;\u200b it is slow")

	r.Notes = nil
	for range 500 {
		r.Notes = append(r.Notes, strings.Repeat("x", 900))
	}
	text = r.Markdown()
	require.LessOrEqual(t, len(text), mostAnswer+1000)
	require.Contains(t, text, "\n| s")
	require.Equal(t, 2, strings.Count(text, "more do not fit into a comment."))
	require.Contains(t, text, "/unhold s* api")
}

func TestTheAnswerOfSeveralStagesShowsTenRefusalsFirst(t *testing.T) {
	r := TogetherReport(asked("hold s* api", "s00"), holdsOf(13, "s11", "s12"))
	require.Equal(t, "s* names 13 stages: 11 held, 2 refused.", r.Title)
	require.Equal(t, []string{"s11", "Refused: that needs write permission. Who may: people with write permission."},
		r.Rows[0])
	require.Equal(t, []string{"s00", "Freight of api in s00 is held until somebody lifts the hold."}, r.Rows[2])
	require.Equal(t, "/unhold s* api", r.Undo)
	require.Equal(t, []string{"The reason: it is slow"}, r.Notes)
	shown, folded, _ := strings.Cut(r.Markdown(), "<details><summary>3 more</summary>")
	require.Equal(t, 10, strings.Count(shown, "| s"))
	require.Equal(t, 3, strings.Count(folded, "| s"))
	lines := r.Mrkdwn()
	require.Len(t, lines, 14)
	require.Equal(t, "s00: Freight of api in s00 is held until somebody lifts the hold.", lines[3])
	require.Equal(t, "3 more:\u200b s08, s09, s10", lines[11])
}

func TestTheAnswerOfSeveralStagesCountsThoseWithNothingToDo(t *testing.T) {
	nothing := Part{Stage: "a", Outcome: promotion.Already, Refusal: Refusal{Outcome: "already"}}
	held := Part{Stage: "b", Outcome: promotion.Done, Said: Report{Title: "b stays held; one hold is lifted.",
		Notes: []string{"b is held by Waybill"}, Undo: "/hold group:x"}}
	r := TogetherReport(asked("unhold group:x", "a"), []Part{nothing, held})
	require.Equal(t, "group:x names 2 stages: 1 lifted, 1 with nothing to do.", r.Title)
	require.Equal(t, [][]string{
		{"b", "b stays held; one hold is lifted. b is held by Waybill"}, {"a", "Nothing to do: it is so already."},
	}, r.Rows)
	require.Equal(t, "/hold group:x", r.Undo)
	require.Empty(t, TogetherReport(asked("hold group:x", "a"), []Part{nothing}).Undo)
}

// TestAStatusInSlackKeepsWhatStandsBehindItsRows has more stages than a message has blocks.
func TestAStatusInSlackKeepsWhatStandsBehindItsRows(t *testing.T) {
	r := Report{Title: "acme/deploy", Head: StagesHead, Notes: []string{"Every stage is held"}, Next: "/unhold --all"}
	for i := range 60 {
		r.Rows = append(r.Rows, []string{fmt.Sprintf("s%02d", i), "nothing", "", ""})
	}
	lines := r.Mrkdwn()
	require.Len(t, lines, 1+25+3)
	require.Equal(t, "*s24*: hosts nothing", lines[25])
	require.Contains(t, lines[26], "35 more:\u200b s25, s26")
	require.Equal(t, []string{"Every stage is held", "Next: /waybill unhold --all"}, lines[27:])
}
