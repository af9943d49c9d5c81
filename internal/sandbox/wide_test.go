package sandbox

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
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

// wideCase is a wide pipeline and its highest permitted cost.
type wideCase struct {
	name     string
	pipeline func(n int) string
	rules    githubsim.Protection // of the branch
	rounds   int                  // how often a pull request is made at most
	requests int                  // for each stage, at most
	many     bool                 // it is cheap enough to be played with many more stages
}

// wideCases are the ways into one branch. A direct commit takes a plan, the head once more, a tree, a commit and the
// update of the branch; a pull request a plan, a tree, a commit, the pull request and its merge. One that is made anew
// takes a merge that GitHub refuses, a look at it, a plan, a tree, a commit, the update of its branch and a merge. One
// request carries the check runs of ten stages.
var wideCases = []wideCase{
	{name: "direct, a file each", requests: 6, rounds: 1, many: true, pipeline: func(n int) string {
		return wide(n, `commit: direct, set: {s%d.yaml: {tag: "${api.short}"}}`, "")
	}},
	{name: "direct, in one file", requests: 6, rounds: 1, pipeline: func(n int) string {
		return wide(n, `commit: direct, set: {all.yaml: {s%d: "${api.short}"}}`, oneFile(n))
	}},
	{name: "by pull request", requests: 6, rounds: 1,
		pipeline: func(n int) string { return wide(n, `set: {s%d.yaml: {tag: "${api.short}"}}`, "") }},
	{name: "by pull request, in one file", requests: 13, rounds: 2, pipeline: func(n int) string {
		return wide(n, `set: {all.yaml: {s%d: "${api.short}"}}`, oneFile(n))
	}},
	{name: "by pull request, up to date", requests: 15, rounds: 2, rules: githubsim.Protection{UpToDate: true},
		pipeline: func(n int) string {
			return wide(n, `files: {branch: live}, set: {s%d.yaml: {tag: "${api.short}"}}`, "")
		}},
	{name: "by pull request, up to date and checked", requests: 19, rounds: 2,
		rules: githubsim.Protection{UpToDate: true, RequiredChecks: []string{"ci"}},
		pipeline: func(n int) string {
			return wide(n, `files: {branch: live}, set: {s%d.yaml: {tag: "${api.short}"}}`, "")
		}},
}

// manyStages is how many stages a branch has in a test that is not short.
const manyStages = 500

// decisionsPerStage is the limit of decisions about one stage, however many stages there are.
const decisionsPerStage = 40

// TestAReleaseToManyStagesOnOneBranchCostsInProportion merges one pull request that goes to many stages, whose files
// are on one branch. No promotion fails because of another one, and none costs more because there are more.
func TestAReleaseToManyStagesOnOneBranchCostsInProportion(t *testing.T) {
	t.Parallel()
	for _, c := range wideCases {
		t.Run(c.name, func(t *testing.T) {
			n := wideSize(t)
			if c.many && !testing.Short() {
				n = max(n, manyStages)
			}
			w := newWide(t, c.pipeline(n))
			if c.rules.UpToDate {
				require.NoError(t, w.github.Protect(home, "live", c.rules))
			}
			w.required = c.rules.RequiredChecks
			decisions := w.countDecisions()
			w.github.ForgetRequests()
			w.release(t, n)
			require.Equal(t, map[promotion.State]int{promotion.Succeeded: n}, w.states(t))
			for _, a := range w.attempts(t) {
				require.Zero(t, a.Late, "promotion %d has met another one", a.Promotion)
				require.LessOrEqual(t, a.Made.Round, c.rounds, "promotion %d was made anew too often", a.Promotion)
			}
			asked := withoutUpkeep(w.github.Requests())
			t.Logf("%d stages: %.2f requests and %.2f decisions a stage", n, float64(len(asked))/float64(n),
				float64(*decisions)/float64(n))
			require.LessOrEqual(t, len(asked), c.requests*n)
			require.LessOrEqual(t, *decisions, decisionsPerStage*n)
		})
	}
}

// TestPromotionsThatFellBehindAreMadeAnewInTurn has three pull requests into a branch that wants them up to date and
// checked. Once the first is merged, the second is made anew; the third waits for it, for ten minutes at most.
func TestPromotionsThatFellBehindAreMadeAnewInTurn(t *testing.T) {
	t.Parallel()
	w := newWide(t, wide(3, `files: {branch: live}, set: {s%d.yaml: {tag: "${api.short}"}}`, ""))
	w.required = []string{"ci"}
	require.NoError(t, w.github.Protect(home, "live",
		githubsim.Protection{UpToDate: true, RequiredChecks: w.required}))
	w.do(t, "merge #1 by ann")
	w.checkPulls(t)
	w.do(t, "wait 1m")
	rounds := func() (all []int) {
		for _, a := range w.attempts(t) {
			all = append(all, a.Made.Round)
		}
		return all
	}
	require.Equal(t, []int{1, 2, 1}, rounds())
	require.Contains(t, w.do(t, "why s1"), "unmergeable")
	require.Contains(t, w.do(t, "why s2"), "waits 9m false in-turn 2 s1")
	w.do(t, "comment #1 by ann: /why s2")
	answer := fmt.Sprint(w.github.Comments(home, w.github.Pulls(home)[0].Number))
	require.Contains(t, answer, "Number 2 in turn")
	require.Contains(t, answer, "after promotion 2 of s1\n")
	asked := len(w.github.Requests())
	w.do(t, "wait 8m")
	require.Equal(t, []int{1, 2, 1}, rounds())
	require.Len(t, w.github.Requests(), asked, "who waits for a turn asks GitHub nothing")
	w.do(t, "wait 2m")
	require.Equal(t, []int{1, 2, 2}, rounds(), "the checks of the second take too long")
	for range 3 {
		w.checkPulls(t)
		w.do(t, "wait 1m")
	}
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: 3}, w.states(t))
}

// TestWhatIsBehindWaitsForWhatConflicts has three pull requests into a branch that wants them up to date and checked.
// Two change lines of one file that meet, so that the second conflicts once the first is merged, and is made anew. The
// third has a file of its own, is behind, and waits for the second: it, too, is made anew once.
func TestWhatIsBehindWaitsForWhatConflicts(t *testing.T) {
	t.Parallel()
	w := newWide(t, strings.Replace(wide(3, `files: {branch: live}, set: {all.yaml: {s%d: "${api.short}"}}`, oneFile(3)),
		"all.yaml: {s2:", "s2.yaml: {tag:", 1))
	w.required = []string{"ci"}
	require.NoError(t, w.github.Protect(home, "live",
		githubsim.Protection{UpToDate: true, RequiredChecks: w.required}))
	w.do(t, "merge #1 by ann")
	w.checkPulls(t)
	w.do(t, "wait 1m")
	require.Contains(t, w.do(t, "why s2"), "in-turn 2 s1")
	for range 3 {
		w.checkPulls(t)
		w.do(t, "wait 1m")
	}
	require.Equal(t, map[promotion.State]int{promotion.Succeeded: 3}, w.states(t))
	for _, a := range w.attempts(t) {
		require.LessOrEqual(t, a.Made.Round, 2, "promotion %d was made anew too often", a.Promotion)
	}
}

// wideWorld is a world with many stages on one branch.
type wideWorld struct {
	*World
	required []string        // checks that rules want of pull requests
	checked  map[string]bool // heads of pull requests on which they have passed
}

func newWide(t *testing.T, pipeline string) *wideWorld {
	t.Helper()
	s, err := story.Parse(t.Name(), []byte("-- .github/waybill.yml --\n"+pipeline+"-- story --\n"))
	require.NoError(t, err)
	w, err := NewQuietWorld(t.Context(), s, t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return &wideWorld{World: w, checked: map[string]bool{}}
}

// release merges a pull request of the application and lets time pass until n promotions have ended. Waybill limits the
// pull requests that it opens in an hour.
func (w *wideWorld) release(t *testing.T, n int) {
	t.Helper()
	w.do(t, "merge #1 by ann")
	for range 24 * 60 {
		w.checkPulls(t)
		ended := 0
		for state, many := range w.states(t) {
			if state.Ended() {
				ended += many
			}
		}
		if ended == n {
			return
		}
		w.do(t, "wait 1m")
	}
	t.Fatalf("not ended within a day: %v", w.states(t))
}

// do plays one happening, and returns what follows.
func (w *wideWorld) do(t *testing.T, happening string) string {
	t.Helper()
	s, err := story.Parse(t.Name(), []byte("-- story --\n> "+happening+"\n"))
	require.NoError(t, err)
	lines, err := w.Do(t.Context(), s.Steps[0].Happening)
	require.NoError(t, err)
	return fmt.Sprint(lines)
}

// checkPulls has the required checks pass on all open pull requests.
func (w *wideWorld) checkPulls(t *testing.T) {
	t.Helper()
	for _, p := range w.github.Pulls(home) {
		if p.State != "open" || w.checked[p.HeadSHA] {
			continue
		}
		w.checked[p.HeadSHA] = true
		for _, name := range w.required {
			_, err := w.github.CreateCheckRun(home,
				githubsim.CheckSpec{Name: name, SHA: p.HeadSHA, Suite: name, Conclusion: "success"})
			require.NoError(t, err)
		}
	}
}

// countDecisions counts the decisions from now on.
func (w *wideWorld) countDecisions() *int {
	n := new(int)
	for _, s := range w.program.steps.workers {
		if step := s.step; s.name == "decide" {
			s.step = func(ctx context.Context) (did bool, next time.Time, err error) {
				if did, next, err = step(ctx); did {
					*n++
				}
				return did, next, err
			}
		}
	}
	return n
}

// states counts the promotions of all stages by their states.
func (w *wideWorld) states(t *testing.T) map[promotion.State]int {
	t.Helper()
	all := map[promotion.State]int{}
	w.read(t, func(tx *store.Tx, p promotion.Promotion, _ int64) error { all[p.State]++; return nil })
	return all
}

// attempts returns the attempts of the promotions of all stages.
func (w *wideWorld) attempts(t *testing.T) (all []promotion.Attempt) {
	t.Helper()
	w.read(t, func(tx *store.Tx, p promotion.Promotion, pipeline int64) error {
		a, err := tx.Attempts.Of(pipeline, p.Number)
		all = append(all, a)
		return err
	})
	return all
}

// read calls a function with each promotion of the pipeline.
func (w *wideWorld) read(t *testing.T, with func(tx *store.Tx, p promotion.Promotion, pipeline int64) error) {
	t.Helper()
	require.NoError(t, w.program.store.View(t.Context(), func(tx *store.Tx) error {
		pipeline, err := w.pipeline(tx)
		for _, s := range w.Pipeline().Stages {
			if err != nil {
				return err
			}
			var some []promotion.Promotion
			some, err = tx.Promotions.Latest(store.StageKey{Pipeline: pipeline, Stage: s.Name}, 0, 100)
			for _, p := range some {
				if err == nil {
					err = with(tx, p, pipeline)
				}
			}
		}
		return err
	}))
}
