package say

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// asCode matches the text in a fence or between two back ticks.
var asCode = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

func TestAStickyCommentShowsWhatPeopleTypeAsTheyTypedItAndNothingMoreT11(t *testing.T) {
	for _, attack := range attacks {
		way := Way{Name: attack, Title: attack, Steps: []StageLine{
			{Stage: promotion.StageName(attack), Word: "Queued", Why: attack, By: attack, Next: "/deny dev " + attack,
				Acts: true},
			{Stage: "prod", After: []promotion.StageName{promotion.StageName(attack)}, Mark: "⏳", Word: attack},
		}}
		text := Sticky([]Way{way})
		require.Contains(t, text, "```mermaid\nflowchart LR\n")
		require.Equal(t, 4, strings.Count(text, "```"), "two fences, each with two ends:\n%s", text)
		bare := asCode.ReplaceAllString(text, "")
		require.NotContains(t, bare, "<")
		require.NotContains(t, bare, "](")
		mine := asCode.ReplaceAllString(StickyOnPromotion(promotion.Freight{Name: attack}, way.Steps[0]), "")
		require.NotContains(t, mine, "<")
		require.NotContains(t, mine, "](")
		picture := way.picture()
		require.Len(t, strings.Split(strings.TrimSpace(picture), "\n"), 6, "no line of its own:\n%s", picture)
		require.Equal(t, 4, strings.Count(picture, `"`), "two labels, each with two ends:\n%s", picture)
		require.NotContains(t, picture, "%%")
		require.NotContains(t, picture, "javascript:")
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "| ") {
				require.Equal(t, 6, strings.Count(asCode.ReplaceAllString(line, ""), "|"), line)
			}
		}
	}
}

func TestAStickyCommentOfManyStagesStaysWithinWhatGitHubTakesF41(t *testing.T) {
	way := Way{Name: "api#1", Title: strings.Repeat("é", 40_000)}
	for i := range 500 {
		way.Steps = append(way.Steps,
			StageLine{Stage: promotion.StageName(fmt.Sprintf("stage-%d", i)), Word: "Queued",
				Why: strings.Repeat("@", 1000)})
	}
	text := Sticky([]Way{way, way, way})
	require.Less(t, len(text), 60_000)
	require.NotContains(t, text, "mermaid", "what is too long to be drawn is a table only")
	require.Contains(t, text, "more stages")
}

func TestTheNextStepIsWhereAPersonHasToActThenWhatIsWrongThenWhatIsFree(t *testing.T) {
	free := StageLine{Stage: "a", Mark: "🟢", Next: "/promote a x"}
	wrong := StageLine{Stage: "b", Mark: "❌", Next: "/rollback b"}
	waits := StageLine{Stage: "c", Mark: "✋", Acts: true, Next: "/approve c"}
	runs := StageLine{Stage: "d", Mark: "⏳", Next: "/cancel d"}
	for want, steps := range map[string][]StageLine{
		"/approve c": {free, wrong, waits, runs}, "/rollback b": {free, wrong, runs}, "/promote a x": {runs, free},
		"": {runs},
	} {
		require.Equal(t, want, (&Way{Steps: steps}).next())
	}
}

func TestAWayKeepsTheOrderOfThePipelineAndForgetsStagesThatAreGone(t *testing.T) {
	p := &promotion.Pipeline{}
	for _, name := range []promotion.StageName{"dev", "prod"} {
		p.Stages = append(p.Stages, &promotion.Stage{Name: name, From: []promotion.Source{{Warehouse: "api"}}})
	}
	var w Way
	w.Put(p, "api", StageLine{Stage: "prod", Word: "old"})
	w.Put(p, "api", StageLine{Stage: "gone"})
	w.Put(p, "api", StageLine{Stage: "dev"})
	w.Put(p, "api", StageLine{Stage: "prod", Word: "new"})
	require.Equal(t, []StageLine{{Stage: "dev"}, {Stage: "prod", Word: "new"}}, w.Steps)
}
