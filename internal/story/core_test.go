package story_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/internal/story/core"
)

var update = flag.Bool("update", false, "write what happens into the story files")

func TestEveryStoryHappensAsWritten(t *testing.T) {
	eachStory(t, func(t *testing.T, s story.Story) {
		world, err := core.New(s)
		require.NoError(t, err)
		played, err := story.Run(context.Background(), s, world)
		require.NoError(t, err)
		diff := story.Diff(s, played)
		if diff != "" && *update {
			require.NoError(t, os.WriteFile(s.Name, played.Format(), 0o644))
			return
		}
		if diff != "" {
			t.Error("\n" + diff)
		}
	})
}

// eachStory runs a test for each story file.
func eachStory(t *testing.T, test func(*testing.T, story.Story)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(stories, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := story.Parse(file, data)
			require.NoError(t, err)
			test(t, s)
		})
	}
}
