package arrows

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// namedFile matches a Go file in backquotes, with a test in it if one is named.
var namedFile = regexp.MustCompile("`([\\w./-]+\\.go)(?::(\\w+))?`")

// TestFilesThatTheDocsNameExist reads all pages except the decisions, which are dated and describe the code of their
// day. A path begins at the root of the repository; a name without a folder is a file anywhere in the repository.
func TestFilesThatTheDocsNameExist(t *testing.T) {
	pages, err := fs.Glob(os.DirFS("../.."), "docs/*.md")
	require.NoError(t, err)
	names, seen := goFiles(t), 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		for _, m := range namedFile.FindAllStringSubmatch(read(t, page), -1) {
			file, test := m[1], m[2]
			seen++
			if !strings.Contains(file, "/") {
				assert.True(t, names[file], "%s names %s: no folder has such a file", page, file)
				continue
			}
			source, err := os.ReadFile(filepath.Join("../..", file))
			if assert.NoError(t, err, "%s names it", page) && test != "" {
				assert.Contains(t, string(source), "func "+test+"(", "%s names it as one of %s", page, file)
			}
		}
	}
	require.Greater(t, seen, 100, "the pages name hardly any file: the search is broken")
}

// mentionedFile matches a Go file in a package comment.
var mentionedFile = regexp.MustCompile(`[\w/]+\.go\b`)

// TestFilesThatPackageCommentsNameExist checks the files in package comments. A name without a folder is a file beside
// the comment; a path begins at the root of the repository.
func TestFilesThatPackageCommentsNameExist(t *testing.T) {
	comments, err := fs.Glob(os.DirFS("../.."), "promotion/*/doc.go")
	require.NoError(t, err)
	for _, comment := range append(comments, "promotion/doc.go") {
		for _, file := range mentionedFile.FindAllString(read(t, comment), -1) {
			folder := filepath.Dir(comment)
			if strings.Contains(file, "/") {
				folder = "."
			}
			assert.FileExists(t, filepath.Join("../..", folder, file), "%s names it", comment)
		}
	}
}

// goFiles returns the names of all Go files of the repository, without their folders.
func goFiles(t *testing.T) map[string]bool {
	names := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") {
			names[filepath.Base(path)] = true
		}
		return err
	})
	require.NoError(t, err)
	return names
}
