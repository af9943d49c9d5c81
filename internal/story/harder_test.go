package story_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/internal/story/core"
	"waybill/promotion"
)

// harder is a world that plays faults before and after each happening. The faults must not change the output.
type harder struct {
	*core.World
	before, after func(story.Happening) []story.Happening
}

func (w harder) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	var all []story.Line
	for _, one := range append(append(w.before(h), h), w.after(h)...) {
		lines, err := w.World.Do(ctx, one)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

func none(story.Happening) []story.Happening { return nil }

// playHarder plays every story without faults of its own in a harder world and requires the written outcomes.
func playHarder(t *testing.T, before, after func(story.Happening) []story.Happening) {
	t.Helper()
	eachStory(t, func(t *testing.T, s story.Story) {
		if armsFaults(s) {
			return
		}
		world, err := core.New(s)
		require.NoError(t, err)
		played, err := story.Run(context.Background(), s, harder{world, before, after})
		require.NoError(t, err)
		require.Empty(t, story.Diff(s, played))
	})
}

func armsFaults(s story.Story) bool {
	for _, step := range s.Steps {
		switch step.Happening.Kind {
		case story.Lose, story.Crash, story.GitHub:
			return true
		}
	}
	return false
}

// R1: a resync reads everything that webhooks report. Commands are not read again; GitHub keeps those deliveries.
func TestEveryStoryPrintsTheSameWhenItsWebhooksAreLostAndAResyncFollows(t *testing.T) {
	isCommand := func(h story.Happening) bool {
		switch h.Kind {
		case story.Comment, story.Review, story.Press, story.Rerun, story.Label, story.Unlabel:
			return true
		}
		return false
	}
	playHarder(t, func(h story.Happening) []story.Happening {
		if isCommand(h) {
			return []story.Happening{{Kind: story.Deliver}}
		}
		return []story.Happening{{Kind: story.Lose}}
	}, func(h story.Happening) []story.Happening {
		if isCommand(h) {
			return nil
		}
		return []story.Happening{{Kind: story.Resync}}
	})
}

// F3, T20, T21: webhooks that arrive again, after newer ones, change no decision.
func TestEveryStoryPrintsTheSameWhenAllItsWebhooksArriveAgain(t *testing.T) {
	playHarder(t, none, func(story.Happening) []story.Happening {
		return []story.Happening{{Kind: story.Redeliver, Count: 1000}}
	})
}

// F2, F19: a process that is killed before and after each effect carries out each effect once.
func TestEveryStoryPrintsTheSameWhenItIsKilledAtEachEffect(t *testing.T) {
	verbs := []promotion.Verb{promotion.PlanVerb, promotion.Open, promotion.Merge, promotion.Close, promotion.Observe,
		promotion.Look, promotion.Tell, promotion.Reply}
	playHarder(t, func(story.Happening) []story.Happening {
		var crashes []story.Happening
		for _, v := range verbs {
			crashes = append(crashes,
				story.Happening{Kind: story.Crash, Result: "before", Effect: v},
				story.Happening{Kind: story.Crash, Result: "after", Effect: v})
		}
		return crashes
	}, none)
}
