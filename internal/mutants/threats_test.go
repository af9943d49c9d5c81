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

// TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend checks the tables of docs/security.md: the last column of each
// names the tests that show what the one before it says. Each of these tests is that of a rule that is broken, and of
// as many rules as there are rows that name it, so that no two rows lean on one.
func TestEveryThreatHasAnAnswerAndRulesThatItsTestsDefend(t *testing.T) {
	rows, tables := map[string]int{}, regexp.MustCompile(`(?m)(?:^\|.*\|\n)+`)
	for _, table := range tables.FindAllString(page(t, "security.md"), -1) {
		lines := strings.Split(strings.TrimSpace(table), "\n")
		head := cellsOf(lines[0])
		require.Equal(t, "shown by", head[len(head)-1], lines[0])
		require.Greater(t, len(lines), 2, lines[0])
		for _, line := range lines[2:] { // behind the head of the table
			cells := cellsOf(line)
			require.Len(t, cells, len(head), line)
			promise, tests := cells[len(cells)-2], cited(cells[len(cells)-1])
			assert.NotEmpty(t, promise, "%s: no answer", line)
			assert.NotEmpty(t, tests, "%s: no test", promise)
			for _, test := range tests {
				rows[test]++
				assert.GreaterOrEqual(t, defending(test), rows[test],
					"%s: no rule of its own is broken that %s must notice", promise, test)
			}
		}
	}
}

// TestSecurityPromisesNothingOutsideOfItsTables checks what docs/security.md says beside its tables. Before its first
// part it says what it is; one part says what Waybill does not do; everything else is for its reader to do or to know
// of others, and speaks neither of Waybill nor of its parts, but in the text of commands and links.
func TestSecurityPromisesNothingOutsideOfItsTables(t *testing.T) {
	parts := strings.Split(page(t, "security.md"), "\n## ")
	require.Greater(t, len(parts), 2)
	denied := 0
	for _, part := range parts[1:] {
		title, text, _ := strings.Cut(part, "\n")
		if title == "What nothing here protects from" {
			denied++
			continue
		}
		for _, said := range promising(text) {
			assert.Fail(t, "a promise without a test: put it into a table", "%s: %q", title, said)
		}
	}
	require.Equal(t, 1, denied)
	require.Equal(t, []string{"Waybill", "database", "keeps"},
		promising("Waybill restarts `waybill`.\n| the server | is | `a` |\n[The server](a.md): the database keeps it."))
}

// promising returns the words in a text outside of tables, commands and links by which it speaks of what Waybill does.
func promising(text string) []string {
	plain := regexp.MustCompile("(?m)^\\|.*\\|$|`[^`]*`|\\[[^]]*\\]\\([^)]*\\)").ReplaceAllString(text, "")
	return regexp.MustCompile(`(?i)\b(?:waybill|server|program|process|database|sweep|ledger|cookies?|refuses|keeps|`+
		`stores|logs|accepts it|everything|nothing|nobody's)\b`).FindAllString(plain, -1)
}

// cellsOf returns the cells of a row of a table.
func cellsOf(row string) []string {
	cells := strings.Split(strings.Trim(row, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
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
