package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/grown"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// BenchmarkWebhookAtRest compares the whole program on two stages: one at rest since many pushes, each with ten check
// runs, and one at rest since a single push. It measures the time from sending a webhook until all work that follows is
// done. The two take turns; one operation sends twenty webhooks to each. The time of a push includes the simulated
// GitHub.
func BenchmarkWebhookAtRest(b *testing.B) {
	pushes := 20_000
	if testing.Short() {
		pushes = 2_000
	}
	fresh, rested := newAtRest(b, 1), newAtRest(b, pushes)
	for _, hook := range []struct {
		name   string
		send   func(*atRest) error
		judges bool
	}{
		{"check run that the stage waits for", func(a *atRest) error { return a.check(awaited) }, true},
		{"check run that no stage waits for", func(a *atRest) error { return a.check("lint") }, false},
		{"push", (*atRest).push, false},
	} {
		before := rested.judging(b)
		b.Run(hook.name, func(b *testing.B) {
			var few, many []time.Duration
			for b.Loop() {
				for range 20 {
					few = append(few, fresh.took(b, hook.send))
					many = append(many, rested.took(b, hook.send))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(few, 50), "ms-of-1-push")
			b.ReportMetric(milliseconds(many, 50), fmt.Sprintf("ms-of-%d-pushes", pushes))
			b.ReportMetric(milliseconds(many, 50)/milliseconds(few, 50), "rested:fresh")
			require.Equal(b, hook.judges, rested.judging(b) > before)
		})
	}
}

// awaited is the check that verifies the stage.
const awaited = "smoke"

// atRest is a world whose stage has hosted verified freight since many pushes.
type atRest struct {
	*World
	row  store.PipelineRow
	head string
	runs int
}

// grownRuns is above the ids that a simulated GitHub gives to check runs.
const grownRuns = 1_000_000_000

// newAtRest promotes freight and writes so many pushes to the database while the program is down. GitHub has only the
// last.
func newAtRest(b *testing.B, pushes int) *atRest {
	b.Helper()
	s, err := story.Parse(b.Name(), []byte("-- .github/waybill.yml --\n"+oneStage+
		"-- story --\n> merge #1 by ann\n> check smoke success on dev\n"))
	require.NoError(b, err)
	w, err := NewWorld(b.Context(), s, b.TempDir(), nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, w.Close()) })
	a := &atRest{World: w}
	for _, step := range s.Steps {
		_, err := w.Do(b.Context(), step.Happening)
		require.NoError(b, err)
	}
	before := w.github.Head(home, story.Branch)
	require.NoError(b, w.program.kill())
	require.NoError(b, a.push())
	require.NoError(b, w.settle(b.Context()))
	grown.Pushes{
		Count: pushes, Checks: 10, From: before, To: a.head, Runs: grownRuns, Since: w.Now(), Recorded: w.Now(),
	}.Write(b, w.file)
	require.NoError(b, w.restart(b.Context()))
	_, err = w.rest(b.Context())
	require.NoError(b, err)
	a.verified(b)
	return a
}

// judging counts the runs in the stage's evidence. If there are very many, the snapshot leaves some out.
func (a *atRest) judging(b *testing.B) (n int) {
	require.NoError(b, a.program.store.View(b.Context(), func(tx *store.Tx) error {
		s, err := a.snapshot(tx, "dev", "")
		if err != nil {
			return err
		}
		n = 0
		for _, e := range s.Evidence {
			n += len(e.Runs)
		}
		return nil
	}))
	return n
}

// verified checks that the stage hosts one deployment, and that its verdict is passed.
func (a *atRest) verified(b *testing.B) {
	require.NoError(b, a.program.store.View(b.Context(), func(tx *store.Tx) (err error) {
		if a.row, err = tx.Pipelines.ByRepo(story.Home); err != nil {
			return err
		}
		hosted, err := tx.Deployments.Hosted(a.row.ID)
		require.Len(b, hosted, 1)
		require.Equal(b, promotion.Passed, hosted[0].Verdict)
		return err
	}))
}

// took sends a webhook and returns the time until all work that follows is done.
func (a *atRest) took(b *testing.B, send func(*atRest) error) time.Duration {
	begun := time.Now()
	require.NoError(b, send(a))
	_, err := a.rest(b.Context())
	require.NoError(b, err)
	return time.Since(begun)
}

// push pushes a commit that leaves the files of the stage alone.
func (a *atRest) push() (err error) {
	a.runs++
	a.head, err = a.github.PushFiles(home, story.Branch, "ann", "Something else", map[string]*string{
		"other.yaml": githubsim.Text(fmt.Sprintf("n: %d\n", a.runs))})
	return err
}

// check sends the webhook of a check run that has succeeded on the newest head.
func (a *atRest) check(name string) error {
	a.runs++
	id, now := 2*grownRuns+a.runs, a.Now().UTC().Format(time.RFC3339)
	body := fmt.Appendf(nil, `{"action":"completed","check_run":{"id":%d,"name":%q,"head_sha":%q,"status":"completed",`+
		`"conclusion":"success","started_at":%q,"completed_at":%q,"html_url":"https://github.test/run",`+
		`"app":{"id":15368,"slug":"github-actions"},"check_suite":{"id":%d}},"repository":{"id":%d,"full_name":%q},`+
		`"sender":{"id":99,"login":"ci"},"installation":{"id":%d}}`,
		id, name, a.head, now, now, id, a.row.ID, home, a.row.Installation)
	url := a.program.url + "/api/github/hook"
	secret, guid := a.github.WebhookSecret(), fmt.Sprint("rest-", a.runs)
	status, err := postSigned(http.DefaultClient, url, secret, "check_run", guid, body)
	if err == nil && !slices.Contains([]int{200, 202}, status) {
		err = fmt.Errorf("the webhook was answered %d", status)
	}
	return err
}
