package oracle

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"waybill/promotion/decide"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// wanted are the differences that are there on purpose.
var wanted []Wanted

// TestDecisionsAreTheRecordedOnes makes every recorded decision again.
func TestDecisionsAreTheRecordedOnes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl.gz")
	require.NoError(t, err)
	reports := make([]*Report, len(files))
	var checks errgroup.Group
	for i, name := range files {
		checks.Go(func() error {
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			reports[i], err = Check(file, decide.Decide, wanted)
			return err
		})
	}
	require.NoError(t, checks.Wait())
	total := new(Report)
	for _, r := range reports {
		total.Add(r)
	}
	require.Greater(t, total.Pairs, 80_000, "all recordings are there")
	t.Logf("%d recorded decisions", total.Pairs)
	if total.Differing > 0 {
		t.Error("\n" + total.String())
	}
	for _, w := range wanted {
		require.NotZero(t, total.Wanted[w.Reason], "no decision differs any more because: %s", w.Reason)
	}
}

// TestADamagedRecordingIsAnError: a file that ends too early proves nothing.
func TestADamagedRecordingIsAnError(t *testing.T) {
	file, err := os.ReadFile("testdata/stories.jsonl.gz")
	require.NoError(t, err)
	_, err = Check(bytes.NewReader(file[:len(file)/2]), decide.Decide, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
