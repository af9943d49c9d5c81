package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend checks the tables of docs/security.md that say what is shown by
// which tests, of threats and of other promises: each test that they name is the test of a rule that is broken.
func TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend(t *testing.T) {
	for title, columns := range map[string]int{"Threats": 3, "What else is promised": 2} {
		_, part, found := strings.Cut(page(t, "security.md"), "\n## "+title+"\n")
		require.True(t, found, title)
		part, _, _ = strings.Cut(part, "\n## ")
		rows := regexp.MustCompile(`(?m)^\|(.*)\|$`).FindAllStringSubmatch(part, -1)
		require.Greater(t, len(rows), 2, title)
		for _, row := range rows[2:] { // behind the head of the table
			cells := strings.Split(row[1], "|")
			require.Len(t, cells, columns, row[1])
			promise, tests := strings.TrimSpace(cells[columns-2]), cited(cells[columns-1])
			assert.NotEmpty(t, promise, "%s: no answer", row[1])
			assert.NotEmpty(t, tests, "%s: no test", promise)
			for _, test := range tests {
				assert.True(t, defended(test), "%s: no rule is broken that %s must notice", promise, test)
			}
		}
	}
}

// TestEveryAttackHasARuleThatOneOfItsTestsDefends checks the rows T1 to T40 of docs/cases.md.
func TestEveryAttackHasARuleThatOneOfItsTestsDefends(t *testing.T) {
	cases := page(t, "cases.md")
	for n := 1; n <= 40; n++ {
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| T%d \|.*$`, n)).FindString(cases)
		assert.True(t, slices.ContainsFunc(cited(row), defended), "T%d: no rule is broken that one of its tests must notice",
			n)
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

// defended reports whether a rule is broken that a test must notice.
func defended(test string) bool {
	return slices.ContainsFunc(tested, func(r named) bool { return r.folder+" "+r.test == test })
}
