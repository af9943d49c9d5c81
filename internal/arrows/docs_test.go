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

// namedFile is a Go file in backquotes, with the test in it that is meant, if one is.
var namedFile = regexp.MustCompile("`([\\w./-]+\\.go)(?::(\\w+))?`")

// TestFilesThatTheDocsNameExist reads all pages but the decisions, which are dated and speak of their day. A path
// begins at the root of the repository; a name without a folder is one of a file that the repository has somewhere.
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

// mentionedFile is a Go file in a package comment.
var mentionedFile = regexp.MustCompile(`[\w/]+\.go\b`)

// TestFilesThatPackageCommentsNameExist: a name without a folder is one of a file beside the comment, a path begins at
// the root of the repository.
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

// goFiles is the set of the names that Go files of the repository have, without their folders.
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
