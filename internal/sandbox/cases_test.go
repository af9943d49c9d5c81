package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// These match the rows of docs/cases.md, and the tests and stories that it names.
var (
	caseRow    = regexp.MustCompile(`(?m)^\| ([FTR]?\d+) \| (.*) \|$`)
	namedTest  = regexp.MustCompile("`([\\w/]+_test\\.go):(\\w+)`")
	namedStory = regexp.MustCompile("`([\\w/-]+\\.txtar)`")
)

// TestWhatTheCasesNameIsThere keeps docs/cases.md true and complete: each test and story that it names exists, each
// case has one row, and each covered case names a test or story.
func TestWhatTheCasesNameIsThere(t *testing.T) {
	t.Parallel()
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "docs", "cases.md"))
	require.NoError(t, err)
	for _, name := range namedTest.FindAllStringSubmatch(string(text), -1) {
		code, err := os.ReadFile(filepath.Join(root, name[1]))
		require.NoError(t, err)
		require.Contains(t, string(code), "func "+name[2]+"(", name[0])
	}
	for _, name := range namedStory.FindAllStringSubmatch(string(text), -1) {
		require.FileExists(t, filepath.Join(root, name[1]))
	}
	rows := map[string]string{}
	for _, row := range caseRow.FindAllStringSubmatch(string(text), -1) {
		require.Empty(t, rows[row[1]], "%s stands there twice", row[1])
		rows[row[1]] = row[2]
	}
	for prefix, last := range map[string]int{"F": 45, "T": 40, "R": 7, "": 10} {
		for n := 1; n <= last; n++ {
			checkRow(t, fmt.Sprintf("%s%d", prefix, n), rows)
		}
	}
}

// checkRow requires that a case has a known state, and names a test or story if it is covered.
func checkRow(t *testing.T, id string, rows map[string]string) {
	t.Helper()
	row := rows[id]
	require.NotEmpty(t, row, "%s is missing", id)
	state := row[strings.LastIndex(row, "| ")+2:]
	witnessed := namedTest.MatchString(row) || namedStory.MatchString(row)
	switch {
	case strings.HasPrefix(state, "covered"), strings.HasPrefix(state, "partly: "):
		require.True(t, witnessed, "%s: nothing checks it", id)
	case strings.HasPrefix(state, "comes with "), strings.HasPrefix(state, "does not apply"):
	default:
		require.Fail(t, "no such state", "%s: %s", id, state)
	}
}
