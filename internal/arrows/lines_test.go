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

// longestLine is the number of columns that a line may have; a tab counts as one.
const longestLine = 120

// narrow are the folders whose Go files keep to it, those below them included.
var narrow = []string{
	"app", "cmd", "config", "handlers", "promotion", "store",
	"internal/arrows", "internal/change", "internal/contain", "internal/githubsim", "internal/golden", "internal/grown",
	"internal/keypath", "internal/markedit", "internal/mutants", "internal/pgtest", "internal/private",
	"internal/slacksim", "internal/torture", "internal/wireless", "internal/yamledit",
}

func TestLinesAreNotTooLong(t *testing.T) {
	for _, folder := range narrow {
		files := 0
		err := fs.WalkDir(os.DirFS("../.."), folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			files++
			for i, line := range strings.Split(read(t, path), "\n") {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), longestLine, "%s:%d", path, i+1)
			}
			return nil
		})
		require.NoError(t, err)
		assert.NotZero(t, files, "%s has no Go file", folder)
	}
}
