package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// fleetOf returns a pipeline of one stage with so many targets, of which atOnce are updated at once.
func fleetOf(targets, atOnce int) string {
	names := make([]string, targets)
	for i := range names {
		names[i] = fmt.Sprint("t", i)
	}
	return fmt.Sprintf(`version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [%s]
    set: {"clusters/${target.name}/values.yaml": {image.tag: "${api.short}"}}
    rollout: [{name: all, at-once: %d}]
    verify: [{status: "argocd/${target.name}"}]
`, strings.Join(names, ", "), atOnce)
}

// newRollout returns a world in which freight rolls out over a fleet. The first step is merged.
func newRollout(t testing.TB, targets, atOnce int) *World {
	t.Helper()
	s, err := story.Parse(t.Name(),
		[]byte("-- .github/waybill.yml --\n"+fleetOf(targets, atOnce)+"-- story --\n> merge #1 by ann\n"))
	require.NoError(t, err)
	w, err := NewWorld(t.Context(), s, t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	require.NoError(t, w.meet("ci-bot"))
	w.github.ForgetRequests()
	_, err = w.Do(t.Context(), s.Steps[0].Happening)
	require.NoError(t, err)
	return w
}

// step reports success for all targets of the current step and waits until Waybill has nothing left to do.
func (w *World) step(t testing.TB) {
	t.Helper()
	names, sha := w.updating(t)
	for len(names) == 0 { // pull requests per minute are limited
		_, err := w.wait(t.Context(), time.Minute)
		require.NoError(t, err)
		names, sha = w.updating(t)
	}
	for _, name := range names {
		require.NoError(t, w.github.CreateStatus(home, sha, "ci-bot", "argocd/"+name, "success", ""))
	}
	_, err := w.rest(t.Context())
	require.NoError(t, err)
}

// updating returns the targets that have no verdict yet, and the commit that changed them.
func (w *World) updating(t testing.TB) (names []string, sha string) {
	t.Helper()
	require.NoError(t, w.program.store.View(t.Context(), func(tx *store.Tx) error {
		s, err := w.snapshot(tx, "prod", "")
		if err != nil {
			return err
		}
		for _, part := range s.Deployments[len(s.Deployments)-1].Results {
			if part.Verdict == promotion.Pending {
				names, sha = append(names, string(part.Target)), string(part.Commit)
			}
		}
		return nil
	}))
	return names, sha
}

// asked returns the number of reads of file contents since requests were forgotten, and all other requests except those
// of the sweep.
func (w *World) asked() (reads int, others []string) {
	for _, r := range w.github.Requests() {
		switch route := r.Route + " " + strings.Join(r.Fields, " "); {
		case strings.Join(r.Fields, " ") == "repository":
			reads++
		case r.Route != listed.Path: // not the sweep for missed deliveries
			others = append(others, route)
		}
	}
	return reads, others
}

// perQuery is the number of files that one query reads.
const perQuery = 100

func TestAStepOfARolloutCostsTheSameForTenTargetsAndForAHundred(t *testing.T) {
	t.Parallel()
	cost := func(targets, atOnce int) (reads int, others []string) {
		w := newRollout(t, targets, atOnce)
		w.github.ForgetRequests()
		w.step(t)
		return w.asked()
	}
	_, few := cost(20, 10)
	reads, many := cost(200, 100)
	require.Equal(t, few, many)
	require.LessOrEqual(t, len(many), 7, "\n"+strings.Join(many, "\n"))
	require.LessOrEqual(t, reads, 2+200/perQuery)
}

// BenchmarkRollout rolls freight out over a thousand targets (a hundred in short mode), atOnce at a time. It counts the
// requests to GitHub per step, including those before the first step and after the last.
func BenchmarkRollout(b *testing.B) {
	targets := 1000
	if testing.Short() {
		targets = 100
	}
	for _, atOnce := range []int{targets / 100, targets / 10, targets} {
		b.Run(fmt.Sprintf("%d targets, %d at once", targets, atOnce), func(b *testing.B) {
			for b.Loop() {
				w := newRollout(b, targets, atOnce)
				steps := targets / atOnce
				for range steps {
					w.step(b)
				}
				reads, others := w.asked()
				b.ReportMetric(float64(reads)/float64(steps), "reads/step")
				b.ReportMetric(float64(len(others))/float64(steps), "others/step")
			}
		})
	}
}
