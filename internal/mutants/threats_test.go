package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend checks the tables of docs/security.md that say what is shown by
// which tests, of threats, of files and of other promises: each test that they name is the test of a rule that is
// broken, and of as many rules as there are rows that name it, so that no two of them lean on one.
func TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend(t *testing.T) {
	rows := map[string]int{}
	for title, columns := range map[string]int{"Threats": 3, "What else is promised": 2, "Files": 3} {
		_, part, found := strings.Cut(page(t, "security.md"), "\n## "+title+"\n")
		require.True(t, found, title)
		part, _, _ = strings.Cut(part, "\n## ")
		lines := regexp.MustCompile(`(?m)^\|(.*)\|$`).FindAllStringSubmatch(part, -1)
		require.Greater(t, len(lines), 2, title)
		for _, row := range lines[2:] { // behind the head of the table
			cells := strings.Split(row[1], "|")
			require.Len(t, cells, columns, row[1])
			promise, tests := strings.TrimSpace(cells[columns-2]), cited(cells[columns-1])
			assert.NotEmpty(t, promise, "%s: no answer", row[1])
			assert.NotEmpty(t, tests, "%s: no test", promise)
			for _, test := range tests {
				rows[test]++
				assert.GreaterOrEqual(t, defending(test), rows[test], "%s: no rule of its own is broken that %s must notice",
					promise, test)
			}
		}
	}
}

// page reads a page of docs.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", name))
	require.NoError(t, err)
	return string(text)
}

// These match what pages say of tests and stories.
var (
	citedTest  = regexp.MustCompile("`([\\w/]+)/\\w+_test\\.go:(\\w+)`")
	citedStory = regexp.MustCompile("`promotion/testdata/stories/([\\w-]+)\\.txtar`")
)

// cited returns the tests that a text names, and those of the stories that it names: folder and name.
func cited(text string) (tests []string) {
	for _, m := range citedTest.FindAllStringSubmatch(text, -1) {
		tests = append(tests, "./"+m[1]+" "+m[2])
	}
	for _, m := range citedStory.FindAllStringSubmatch(text, -1) {
		tests = append(tests, "./internal/story TestEveryStoryHappensAsWritten/"+m[1])
	}
	return tests
}

// defending returns how many rules are broken that a test must notice.
func defending(test string) (n int) {
	for _, r := range tested {
		if r.folder+" "+r.test == test {
			n++
		}
	}
	return n
}
