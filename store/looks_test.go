package store

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheTableThatAStatementWritesIsKnown(t *testing.T) {
	t.Parallel() // wait for the tests of the package that run the statements
	writes := regexp.MustCompile(`(?i)\b(?:update|insert\s+into|delete\s+from)\s+(` +
		strings.Join(watchedTables[:], "|") + `)\b`)
	everything.mu.Lock()
	defer everything.mu.Unlock()
	for query := range everything.all {
		want := tables(0)
		for _, found := range writes.FindAllStringSubmatch(query, -1) {
			want |= tablesOf(found[1])
		}
		assert.Equal(t, want, writtenBy(query), query)
	}
}
