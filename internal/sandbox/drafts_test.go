package sandbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox"
	"waybill/internal/story"
)

// TestWhatInitDraftsHappensInTheWholeProgram plays the story that `waybill init` drafts for each layout on the whole
// program, with the pipeline, the policy and the files in it.
func TestWhatInitDraftsHappensInTheWholeProgram(t *testing.T) {
	files, err := filepath.Glob("../layout/testdata/*.golden")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, draft, found := bytes.Cut(text, []byte("\n\n"))
			require.True(t, found)
			drafted, err := story.Parse(file, draft)
			require.NoError(t, err)
			playsAsWritten(t, drafted, func(w *sandbox.World) story.World { return w })
		})
	}
}
