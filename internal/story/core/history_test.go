package core

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/internal/story"
	"waybill/promotion"
)

// threeStages has a queue, a merge by a person, a soak, and a matcher in each stage.
const threeStages = `-- .github/waybill.yml --
version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [dev], queue: fifo}
  qa: {from: api, after: dev, set: {qa.yaml: {tag: "${api.short}"}}, verify: [qa], merge: manual}
  prod: {from: api, after: {all: [dev, qa], soak: 30m}, set: {prod.yaml: {tag: "${api.short}"}}, verify: [prod]}
-- story --
`

// TestInvariantsHoldInRandomHistories checks, after each step, the promises of docs/semantics.md that no single story
// can show.
func TestInvariantsHoldInRandomHistories(t *testing.T) {
	inRandomHistories(t, func(t *rapid.T, w *World, h story.Happening, lines []story.Line) {
		checkQueued(t, w, lines)
		checkStages(t, w)
		require.False(t, w.decideAll(), "deciding twice decides something new after: %s", h)
	})
}

// inRandomHistories plays random histories, and calls a check after each step with what happened and what came of it.
func inRandomHistories(t *testing.T, check func(*rapid.T, *World, story.Happening, []story.Line)) {
	t.Helper()
	s, err := story.Parse("random", []byte(threeStages))
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		w, err := New(s)
		require.NoError(t, err)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			h := happening(t, w)
			lines, err := w.Do(context.Background(), h)
			require.NoError(t, err, "what happened: %s", h)
			check(t, w, h, lines)
		}
	})
}

// happening draws a happening that is possible now.
func happening(t *rapid.T, w *World) story.Happening {
	stage := rapid.SampledFrom([]string{"dev", "qa", "prod"}).Draw(t, "stage")
	var h story.Happening
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1:
		h = story.Happening{Kind: story.Merge, Pull: story.Pull{Number: len(w.github.sources) + 1}, By: "ann"}
	case 2, 3, 4:
		results := []string{"success", "success", "success", "failure", "cancelled", "in_progress"}
		h = story.Happening{
			Kind: story.Check, Name: stage, Result: rapid.SampledFrom(results).Draw(t, "result"),
			At: story.Place{Stage: promotion.StageName(stage)},
		}
		if _, err := (ground{w}).HostedCommit(h.At.Stage, ""); err != nil {
			h = story.Happening{Kind: story.Resync}
		}
	case 5:
		h = pullHappening(t, w)
	case 6:
		verbs := []string{"promote", "rollback", "cancel", "retry", "verify", "hold", "unhold", "approve", "deny"}
		verb := rapid.SampledFrom(verbs).Draw(t, "verb")
		h = story.Happening{Kind: story.Slack, By: "bob", Text: verb + " " + stage}
	case 7:
		minutes := rapid.SampledFrom([]int{1, 16, 31, 61}).Draw(t, "minutes")
		h = story.Happening{Kind: story.Wait, For: time.Duration(minutes) * time.Minute}
	default:
		h = trouble(t, stage)
	}
	return h
}

// pullHappening draws a person's action on an open pull request of a promotion, or else a push.
func pullHappening(t *rapid.T, w *World) story.Happening {
	kind := rapid.SampledFrom([]story.Kind{story.Merge, story.Merge, story.Close}).Draw(t, "deed")
	for _, p := range w.github.pulls {
		if p.State == promotion.PullOpen && !w.github.conflicts(p) {
			return story.Happening{Kind: kind, Promotion: p.promoted, By: "cleo"}
		}
	}
	return story.Happening{Kind: story.Push, Paths: []string{"README.md"}, By: "cleo"}
}

func trouble(t *rapid.T, stage string) story.Happening {
	verbs := []promotion.Verb{promotion.Open, promotion.Merge, promotion.Close, promotion.Observe}
	verb := rapid.SampledFrom(verbs).Draw(t, "effect")
	return rapid.SampledFrom([]story.Happening{
		{Kind: story.Lose}, {Kind: story.Deliver}, {Kind: story.Redeliver, Count: 5}, {Kind: story.Resync},
		{Kind: story.Crash, Result: "before", Effect: verb}, {Kind: story.Crash, Result: "after", Effect: verb},
		{Kind: story.GitHub, Effect: verb, Code: 502},
		{Kind: story.GitHub, Effect: verb, Code: 405}, {Kind: story.GitHub, Effect: verb, Code: 403},
		{Kind: story.Push, Paths: []string{stage + ".yaml"}, By: "cleo"},
	}).Draw(t, "trouble")
}

// checkQueued requires that automation queues only available freight, each once, and never goes backward.
func checkQueued(t require.TestingT, w *World, lines []story.Line) {
	for _, l := range lines {
		if l.Act.Word != string(promotion.Queued) || l.Class != promotion.Automatic {
			continue
		}
		p := w.memory.promotion(l.Promotion)
		f := w.memory.freightByID(p.Freight.ID)
		for _, before := range w.memory.promotions[:p.Number-1] {
			if before.Stage == p.Stage {
				require.True(t, w.memory.freightByID(before.Freight.ID).Before(f), "%s went back to %s", p.Stage, f.Name)
			}
		}
		if p.Stage != "dev" {
			require.True(t, everVerified(w, "dev", f.ID), "%s got %s before dev had verified it", p.Stage, f.Name)
		}
	}
}

func everVerified(w *World, stage promotion.StageName, f promotion.FreightID) bool {
	for _, s := range w.memory.deployments {
		if s.Stage == stage && s.Freight == f && !s.Judged.IsZero() {
			return true
		}
	}
	return false
}

// checkStages requires at most one active promotion and one hosted freight in a stage, and one pull request for a
// promotion.
func checkStages(t require.TestingT, w *World) {
	active, hosted := map[promotion.StageName]int{}, map[promotion.StageName]int{}
	for _, p := range w.memory.promotions {
		if p.State.Active() {
			active[p.Stage]++
		}
	}
	for _, s := range w.memory.deployments {
		if !s.Ended() {
			hosted[s.Stage]++
		}
	}
	for _, s := range w.Pipeline().Stages {
		require.LessOrEqual(t, active[s.Name], 1, "promotions at a time in %s", s.Name)
		require.LessOrEqual(t, hosted[s.Name], 1, "freight at a time in %s", s.Name)
	}
	pulls := map[string]int{}
	for _, p := range w.github.pulls {
		pulls[fmt.Sprint(p.promoted)]++
		require.Equal(t, 1, pulls[fmt.Sprint(p.promoted)], "pull requests of promotion %d", p.promoted)
	}
}
