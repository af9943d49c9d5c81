package store

import (
	"regexp"
	"strings"
	"testing"
	"time"

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

// TestAClaimIsNotThatOfAnotherLook: while a worker claims the row that it has seen, another row comes, and a second
// worker sees it wait. The claim says nothing about that row.
func TestAClaimIsNotThatOfAnotherLook(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for _, another := range []bool{false, true} {
		var looks pastLooks
		looks.foundSome(deliveries.name, some{})
		last, known := looks.takeSome(deliveries)
		if another {
			looks.written(tablesOf("deliveries"))
			looks.foundSome(deliveries.name, some{seen: looks.count(deliveries.in), next: now.Add(time.Minute)})
		}
		looks.tookAll(took{deliveries, now, now, time.Minute, last, known})
		assert.Equal(t, !another, looks.knowNone(deliveries, now, now))
	}
}
