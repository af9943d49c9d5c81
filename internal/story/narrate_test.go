package story_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/promotion"
)

// script is a world that returns prepared lines for each step.
type script struct {
	now   time.Time
	steps [][]story.Line
	told  []story.Happening
}

func (s *script) Do(_ context.Context, h story.Happening) ([]story.Line, error) {
	s.told = append(s.told, h)
	lines := s.steps[0]
	s.steps = s.steps[1:]
	return lines, nil
}

func (s *script) Now() time.Time { return s.now }

func (s *script) Pipeline() *promotion.Pipeline {
	changes := []promotion.Change{{Path: "x.yaml"}}
	return &promotion.Pipeline{Home: "acme/deploy", Stages: []*promotion.Stage{
		{Name: "dev", Delivery: promotion.DeliveryPullRequest, Targets: []promotion.Target{{Changes: changes}}},
		{Name: "gate"},
		{Name: "prod", Delivery: promotion.DeliveryPullRequest, Targets: []promotion.Target{{Changes: changes}}},
	}}
}

func act(stage promotion.StageName, n promotion.Number, word string) story.Line {
	return story.Line{
		Where: story.Where{Stage: stage}, Promotion: n, Freight: "api#1", Class: promotion.Automatic,
		Act: story.Act{Word: word},
	}
}

// play plays happenings in a scripted world and returns the output.
func play(t *testing.T, happenings string, w *script) string {
	t.Helper()
	s, err := story.Parse("x", []byte("-- story --\n"+happenings))
	require.NoError(t, err)
	played, err := story.Run(context.Background(), s, w)
	require.NoError(t, err)
	return string(played.Format()[len("-- story --\n"):])
}

func TestPromotionsAreNumberedAsTheyArePrinted(t *testing.T) {
	w := &script{steps: [][]story.Line{
		{act("prod", 70, "queued"), act("dev", 90, "queued")},
		{act("prod", 70, "running")},
	}}
	require.Equal(t, `> resync
  dev: p1 api#1 automatic: queued
  prod: p2 api#1 automatic: queued
> merge p2 by ann
  prod: p2 running
`, play(t, "> resync\n> merge p2 by ann\n", w))
	require.Equal(t, promotion.Number(70), w.told[1].Promotion, "the world is told its own number")
}

func TestActsOfOnePromotionShareALineUntilAReasonEndsIt(t *testing.T) {
	queued, ended, other := act("dev", 1, "queued"), act("dev", 1, "failed"), act("dev", 1, "close")
	ended.Reason = promotion.Because(promotion.Refused)
	require.Equal(t, `> resync
  dev: p1 api#1 automatic: queued, failed because refused
  dev: p1 close
`, play(t, "> resync\n", &script{steps: [][]story.Line{{queued, ended, other}}}))
}

func TestLinesStandInTheOrderOfTimeThenPlaceAndAnswersComeLast(t *testing.T) {
	start := time.Unix(0, 0)
	tell := story.Line{At: start, Where: story.Where{Pull: story.Pull{Repo: "acme/deploy", Number: 1}}, Promotion: 2,
		Act: story.Act{Word: "tell", Args: []string{"failed"}}}
	other := tell
	other.Where.Pull.Repo = "acme/web"
	later := act("dev", 1, "queued")
	later.At = start.Add(90 * time.Minute)
	earlier := act("prod", 2, "queued")
	earlier.At = start
	reply := story.Line{At: start, Where: story.Where{Slack: true}, Act: story.Act{Word: "reply", Args: []string{"done"}}}
	w := &script{now: start, steps: [][]story.Line{{later, reply, other, tell, earlier}}}
	require.Equal(t, `> wait 2h
  +0s prod: p1 api#1 automatic: queued
  +0s #1: tell failed p1
  +0s acme/web#1: tell failed p1
  +0s slack: reply done
  +1h30m dev: p2 api#1 automatic: queued
`, play(t, "> wait 2h\n", w))
}

func TestAHoldSaysWhyOnlyWhenNothingBeforeItDoes(t *testing.T) {
	why := promotion.Because(promotion.FailedCheck, "smoke")
	held := story.Line{Where: story.Where{Stage: "dev"}, Act: story.Act{Word: "held"}, Reason: why}
	ended := act("dev", 1, "verification-failed")
	ended.Reason = why
	require.Equal(t, `> resync
  dev: held because failed smoke
> resync
  dev: p1 api#1 automatic: verification-failed because failed smoke
  dev: held
> comment #1 by ann: /hold dev
  dev: held
`, play(t, "> resync\n> resync\n> comment #1 by ann: /hold dev\n",
		&script{steps: [][]story.Line{{held}, {ended, held}, {held}}}))
}

func TestWhatHappensToThePipelineIsPrintedUnderEachStageThatHasPromotions(t *testing.T) {
	held := story.Line{Act: story.Act{Word: "held"}}
	require.Equal(t, "> slack by ann: hold --all\n  dev: held\n  prod: held\n",
		play(t, "> slack by ann: hold --all\n", &script{steps: [][]story.Line{{held}}}))
}

func TestReasonsCarryTheNumbersOfTheStory(t *testing.T) {
	first, second := act("dev", 30, "queued"), act("dev", 31, "cancelled")
	second.Reason = promotion.Because(promotion.BeforeFailed, "30", "e2e / a")
	require.Equal(t, `> resync
  dev: p1 api#1 automatic: queued
  dev: p2 api#1 automatic: cancelled because before-failed p1 'e2e / a'
`, play(t, "> resync\n", &script{steps: [][]story.Line{{first, second}}}))
}

func TestAPromotionThatWasNeverPrintedCannotBeNamed(t *testing.T) {
	s, err := story.Parse("x", []byte("-- story --\n> close p7 by ann\n"))
	require.NoError(t, err)
	_, err = story.Run(context.Background(), s, &script{})
	require.EqualError(t, err, "x:2: > close p7 by ann: there is no promotion p7 yet")
}

func TestADiffShowsWhatIsWrittenAndWhatHappened(t *testing.T) {
	written, err := story.Parse("x", []byte("-- story --\n> resync\n  dev: held\n> resync\n  (nothing)\n"))
	require.NoError(t, err)
	require.Empty(t, story.Diff(written, written))
	played, err := story.Run(context.Background(), written, &script{steps: [][]story.Line{nil, {act("dev", 1, "queued")}}})
	require.NoError(t, err)
	require.Equal(t, `--- x (as written)
+++ x (as it happened)
@@ -1,5 +1,5 @@
 -- story --
 > resync
-  dev: held
-> resync
   (nothing)
+> resync
+  dev: p1 api#1 automatic: queued
`, story.Diff(written, played))
}
