package record

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"waybill/internal/oracle"
	"waybill/internal/story"
	"waybill/internal/story/core"
	"waybill/internal/torture"
)

var record = flag.Bool("record", false, "write the recordings again")

const (
	storyFiles = "../../../promotion/testdata/stories"
	testdata   = "../testdata"
)

// recordings are the files that the oracle reads.
var recordings = []recording{
	{"stories.jsonl.gz", stories},
	{"histories-1.jsonl.gz", histories(seeds(1, 500))},
	{"histories-2.jsonl.gz", histories(seeds(501, 1000))},
	{"histories-3.jsonl.gz", histories(seeds(1001, 1500))},
	{"histories-4.jsonl.gz", histories(seeds(1501, 2000))},
	// A stage moves its files to another branch while a promotion is open there; a sign-off comes too late for its plan.
	{"histories-rare.jsonl.gz", histories([]uint64{2197, 3296})},
}

// recording is a file and what it is made from.
type recording struct {
	file string
	play func(*testing.T) ([]*oracle.Pair, error)
}

// TestRecord plays all stories and histories and writes the files, if it is asked to.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("-record writes the recordings again")
	}
	require.NoError(t, torture.Prepare())
	var files errgroup.Group
	files.SetLimit(runtime.GOMAXPROCS(0))
	for _, r := range recordings {
		files.Go(func() error {
			pairs, err := r.play(t)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := oracle.Write(&b, pairs); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(testdata, r.file), b.Bytes(), 0o644)
		})
	}
	require.NoError(t, files.Wait())
}

// stories plays every story against the core.
func stories(*testing.T) (pairs []*oracle.Pair, err error) {
	files, err := filepath.Glob(filepath.Join(storyFiles, "*.txtar"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		some, err := tell(file)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, some...)
	}
	return pairs, nil
}

// tell plays one story.
func tell(file string) ([]*oracle.Pair, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := story.Parse(file, data)
	if err != nil {
		return nil, err
	}
	world, err := core.New(s)
	if err != nil {
		return nil, err
	}
	r := oracle.NewRecorder(strings.TrimSuffix(filepath.Base(file), ".txtar"))
	world.Decide = r.Decide
	_, err = story.Run(context.Background(), s, world)
	return r.Pairs(), err
}

// seeds returns the numbers from one to another.
func seeds(from, to uint64) (all []uint64) {
	for seed := from; seed <= to; seed++ {
		all = append(all, seed)
	}
	return all
}

// histories plays random histories of the whole program.
func histories(seeds []uint64) func(t *testing.T) ([]*oracle.Pair, error) {
	return func(t *testing.T) (pairs []*oracle.Pair, err error) {
		folder, err := os.MkdirTemp(memory(), "oracle")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		for _, seed := range seeds {
			r := oracle.NewRecorder(fmt.Sprintf("torture seed %d", seed))
			plan := torture.NewPlan(seed)
			plan.Decide = r.Decide
			synctest.Test(t, func(*testing.T) {
				result, failed := torture.Play(plan, folder, false)
				if err = failed; err == nil && result.Failure != nil {
					err = fmt.Errorf("torture seed %d: %w", seed, result.Failure)
				}
			})
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, r.Pairs()...)
		}
		return pairs, nil
	}
}

// memory is a folder in memory, where databases are fast, or "" if there is none.
func memory() string {
	const shared = "/dev/shm"
	if _, err := os.Stat(shared); err != nil {
		return ""
	}
	return shared
}

// TestRecordingsAreReadAsTheyWereWritten plays some stories and histories, twice.
func TestRecordingsAreReadAsTheyWereWritten(t *testing.T) {
	require.NoError(t, torture.Prepare())
	play := func() (pairs []*oracle.Pair) {
		for _, name := range []string{"s4-freeze-lets-rollbacks-pass", "q18-stage-removed", "s5-forty-clusters"} {
			some, err := tell(filepath.Join(storyFiles, name+".txtar"))
			require.NoError(t, err)
			pairs = append(pairs, some...)
		}
		some, err := histories(seeds(2, 4))(t)
		require.NoError(t, err)
		return append(pairs, some...)
	}
	pairs := play()
	require.Greater(t, len(pairs), 50)
	var first, again bytes.Buffer
	require.NoError(t, oracle.Write(&first, pairs))
	require.NoError(t, oracle.Write(&again, play()))
	require.True(t, bytes.Equal(first.Bytes(), again.Bytes()), "recording twice makes the same bytes")
	n := 0
	for p, err := range oracle.Read(&first) {
		require.NoError(t, err)
		require.Equal(t, pairs[n], p)
		n++
	}
	require.Len(t, pairs, n)
}
