package arrows

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// runTogether is an import of something else right before one of ours.
var runTogether = regexp.MustCompile(`(?m)^\t(?:\w+ )?"(.+)"\n\t(?:\w+ )?"waybill/`)

func TestImportsOfOursStandApart(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		for _, before := range runTogether.FindAllStringSubmatch(read(t, path), -1) {
			assert.True(t, strings.HasPrefix(before[1], "waybill/"), "%s: no blank line behind %s", path, before[1])
		}
		return nil
	})
	require.NoError(t, err)
}
