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

// TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend checks the table of threats in docs/security.md: each test that
// it names is the test of a rule that is broken.
func TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend(t *testing.T) {
	_, threats, found := strings.Cut(page(t, "security.md"), "\n## Threats\n")
	require.True(t, found)
	threats, _, _ = strings.Cut(threats, "\n## ")
	rows := regexp.MustCompile(`(?m)^\|(.*)\|(.*)\|(.*)\|$`).FindAllStringSubmatch(threats, -1)
	require.Greater(t, len(rows), 2)
	for _, row := range rows[2:] { // behind the head of the table
		answer, tests := strings.TrimSpace(row[2]), cited(row[3])
		assert.NotEmpty(t, answer, "%s: no answer", row[1])
		assert.NotEmpty(t, tests, "%s: no test", answer)
		for _, test := range tests {
			assert.True(t, defended(test), "%s: no rule is broken that %s must notice", answer, test)
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
