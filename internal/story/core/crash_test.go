package core

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/promotion"
)

// killed is a world whose process is killed before and after each effect of each happening.
type killed struct{ *World }

func (w killed) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	for _, v := range []promotion.Verb{promotion.Open, promotion.Merge, promotion.Close} {
		w.faults.crashes = append(w.faults.crashes, crash{"before", v}, crash{"after", v})
	}
	return w.World.Do(ctx, h)
}

// F2, F19: GitHub has the same commits at the end, however often the process is killed.
func TestACrashLeavesNothingBehindOnGitHub(t *testing.T) {
	files, err := filepath.Glob("../../../promotion/testdata/stories/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := story.Parse(file, data)
		require.NoError(t, err)
		calm, rough := newWorld(t, s), newWorld(t, s)
		_, err = story.Run(context.Background(), s, calm)
		require.NoError(t, err)
		_, err = story.Run(context.Background(), s, killed{rough})
		require.NoError(t, err)
		require.Equal(t, calm.github.commits, rough.github.commits, file)
		require.Equal(t, calm.github.files, rough.github.files, file)
		require.Len(t, rough.github.pulls, len(calm.github.pulls), file)
	}
}

func newWorld(t *testing.T, s story.Story) *World {
	t.Helper()
	w, err := New(s)
	require.NoError(t, err)
	return w
}
