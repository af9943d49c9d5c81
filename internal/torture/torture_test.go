package torture

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
	"waybill/internal/torture/plan"
)

// seeds is the number of histories played by default; CI plays more.
const seeds = 20

// TestTortureNothingBreaks plays WAYBILL_SEEDS histories, beginning with seed WAYBILL_SEED.
func TestTortureNothingBreaks(t *testing.T) {
	require.NoError(t, Prepare())
	count, first := number(t, "WAYBILL_SEEDS", seeds), number(t, "WAYBILL_SEED", 1)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	begun := time.Now()
	var next, steps, broken atomic.Int64
	var workers sync.WaitGroup
	for range number(t, "WAYBILL_WORKERS", 2) {
		workers.Go(func() {
			folder := fast(t)
			for broken.Load() < 10 {
				n := int(next.Add(1))
				if n > count {
					return
				}
				if n%10_000 == 0 {
					t.Logf("%d of %d seeds after %s", n, count, time.Since(begun).Round(time.Second))
				}
				r := play(t, NewPlan(uint64(first+n-1)), folder, count == 1)
				steps.Add(int64(r.Steps))
				if r.Failure != nil {
					broken.Add(1)
					explain(t, NewPlan(uint64(first+n-1)), folder, r)
				} else if count == 1 {
					t.Log(strings.Join(r.Trace, "\n"), "\n", r.End)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d seeds, %d steps, %s", min(int(next.Load()), count), steps.Load(), time.Since(begun))
}

// explain shrinks a plan that fails, and prints its story and its trace.
func explain(t *testing.T, p plan.Plan, folder string, r Result) {
	t.Logf("seed %d, before it is made smaller: %v", p.Seed, r.Failure)
	small := plan.Shrink(p, func(less plan.Plan) bool {
		f := play(t, less, folder, false).Failure
		return f != nil && f.Rule == r.Failure.Rule
	})
	last := play(t, small, folder, true)
	t.Errorf("seed %d: %v\n%v\n\n%s\n%s", p.Seed, last.Failure, small.Acts, last.Story, strings.Join(last.Trace, "\n"))
}

// TestTheSameSeedTellsTheSame checks that the same seed gives the same trace, so that its failure can be reproduced.
func TestTheSameSeedTellsTheSame(t *testing.T) {
	require.NoError(t, Prepare())
	for seed := range uint64(12) {
		folder := fast(t)
		first, again := play(t, NewPlan(seed), folder, true), play(t, NewPlan(seed), folder, true)
		require.Equal(t, strings.Join(first.Trace, "\n"), strings.Join(again.Trace, "\n"), "seed %d", seed)
	}
}

// play plays a plan in a bubble, with WAYBILL_TEST_DATABASE=postgres on a server that all tests share.
func play(t *testing.T, p plan.Plan, folder string, verbose bool) (r Result) {
	in := Place{Folder: folder}
	if os.Getenv("WAYBILL_TEST_DATABASE") == "postgres" {
		t.Run(fmt.Sprint("seed ", p.Seed), func(t *testing.T) {
			in.Server = pgtest.Database(t)
			r = bubble(t, p, in, verbose)
		})
		return r
	}
	return bubble(t, p, in, verbose)
}

func bubble(t *testing.T, p plan.Plan, in Place, verbose bool) (r Result) {
	synctest.Test(t, func(t *testing.T) {
		var err error
		r, err = Play(p, in, verbose)
		if err != nil {
			t.Errorf("seed %d: %v", p.Seed, err)
		}
	})
	return r
}

// fast returns a folder in memory where the system has one.
func fast(t *testing.T) string {
	const memory = "/dev/shm"
	if _, err := os.Stat(memory); err != nil {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp(memory, "torture")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return folder
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}
