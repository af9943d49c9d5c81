package arrows

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longestLine is the largest number of columns in a line; a tab counts as one.
const longestLine = 120

func TestLinesAreNotTooLong(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		for i, line := range strings.Split(read(t, path), "\n") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), longestLine, "%s:%d", path, i+1)
		}
		return nil
	})
	require.NoError(t, err)
}
