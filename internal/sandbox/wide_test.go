package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// wideSize returns the number of stages that one release goes to: WAYBILL_STAGES, or more than a promotion has rounds.
func wideSize(t *testing.T) int {
	t.Helper()
	text := os.Getenv("WAYBILL_STAGES")
	if text == "" {
		return 40
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// wide returns a pipeline of n stages, all straight from the warehouse and with their files on one branch. stage is the
// rest of a stage, with %d for its number; files follow the pipeline file.
func wide(n int, stage, files string) string {
	var b strings.Builder
	b.WriteString("version: 1\ncomments: false\nwarehouses:\n" +
		"  api: {pull-requests: {branch: main, paths: [src/**]}}\nstages:\n")
	for i := range n {
		fmt.Fprintf(&b, "  s%d: {from: api, %s}\n", i, strings.ReplaceAll(stage, "%d", strconv.Itoa(i)))
	}
	return b.String() + files
}

// oneFile returns a file with one line for each stage of a wide pipeline.
func oneFile(n int) string {
	var b strings.Builder
	b.WriteString("-- all.yaml --\n")
	for i := range n {
		fmt.Fprintf(&b, "s%d: none\n", i)
	}
	return b.String()
}

// perStage is the limit of requests for one stage of a wide pipeline: a plan, the head once more, a tree, a commit and
// the update of the branch; or a plan, a tree, a commit, a pull request and its merge. One request carries the check
// runs of ten stages.
const perStage = 6

// TestAReleaseToManyStagesOnOneBranchCostsInProportion merges one pull request that goes to many stages, whose files
// are on one branch. No promotion fails because of another one, and none costs more because there are more.
func TestAReleaseToManyStagesOnOneBranchCostsInProportion(t *testing.T) {
	t.Parallel()
	n := wideSize(t)
	for name, pipeline := range map[string]string{
		"direct, a file each": wide(n, `commit: direct, set: {s%d.yaml: {tag: "${api.short}"}}`, ""),
		"direct, in one file": wide(n, `commit: direct, set: {all.yaml: {s%d: "${api.short}"}}`, oneFile(n)),
		"by pull request":     wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWide(t, pipeline)
			w.github.ForgetRequests()
			w.release(t, n)
			require.Equal(t, map[promotion.State]int{promotion.Succeeded: n}, w.states(t))
			for _, a := range w.attempts(t) {
				require.Zero(t, a.Late, "promotion %d has met another one", a.Promotion)
				require.Equal(t, 1, a.Made.Round, "promotion %d has met another one", a.Promotion)
			}
			asked := withoutUpkeep(w.github.Requests())
			t.Logf("%d stages, %.2f requests a stage", n, float64(len(asked))/float64(n))
			require.LessOrEqual(t, len(asked), perStage*n)
		})
	}
}

// wideWorld is a world with many stages on one branch.
type wideWorld struct{ *World }

func newWide(t *testing.T, pipeline string) wideWorld {
	t.Helper()
	s, err := story.Parse(t.Name(), []byte("-- .github/waybill.yml --\n"+pipeline+"-- story --\n"))
	require.NoError(t, err)
	w, err := NewQuietWorld(t.Context(), s, t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return wideWorld{w}
}

// release merges a pull request of the application and lets time pass until n promotions have ended. Waybill limits the
// pull requests that it opens in an hour.
func (w wideWorld) release(t *testing.T, n int) {
	t.Helper()
	merge, err := story.Parse(t.Name(), []byte("-- story --\n> merge #1 by ann\n"))
	require.NoError(t, err)
	_, err = w.Do(t.Context(), merge.Steps[0].Happening)
	require.NoError(t, err)
	for range 24 * 60 {
		ended := 0
		for state, many := range w.states(t) {
			if state.Ended() {
				ended += many
			}
		}
		if ended == n {
			return
		}
		_, err = w.wait(t.Context(), time.Minute)
		require.NoError(t, err)
	}
	t.Fatalf("not ended within a day: %v", w.states(t))
}

// states counts the promotions of all stages by their states.
func (w wideWorld) states(t *testing.T) map[promotion.State]int {
	t.Helper()
	all := map[promotion.State]int{}
	w.read(t, func(tx *store.Tx, p promotion.Promotion, _ int64) error { all[p.State]++; return nil })
	return all
}

// attempts returns the attempts of the promotions of all stages.
func (w wideWorld) attempts(t *testing.T) (all []promotion.Attempt) {
	t.Helper()
	w.read(t, func(tx *store.Tx, p promotion.Promotion, pipeline int64) error {
		a, err := tx.Ledger.Attempt(pipeline, p.Number)
		all = append(all, a)
		return err
	})
	return all
}

// read calls a function with each promotion of the pipeline.
func (w wideWorld) read(t *testing.T, with func(tx *store.Tx, p promotion.Promotion, pipeline int64) error) {
	t.Helper()
	require.NoError(t, w.program.store.View(t.Context(), func(tx *store.Tx) error {
		pipeline, err := w.pipeline(tx)
		for _, s := range w.Pipeline().Stages {
			if err != nil {
				return err
			}
			var some []promotion.Promotion
			some, err = tx.Ledger.Promotions(store.StageKey{Pipeline: pipeline, Stage: s.Name}, 0, 100)
			for _, p := range some {
				if err == nil {
					err = with(tx, p, pipeline)
				}
			}
		}
		return err
	}))
}
