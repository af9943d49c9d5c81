package loop

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/store"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/retention.md anew")

// TestTheListOfWhatIsKeptIsTheTable checks that docs/retention.md equals the table.
func TestTheListOfWhatIsKeptIsTheTable(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, `# Retention

For administrators and auditors: how long Waybill keeps each kind of row, and why. `+"`make docs` makes this page "+
		"from\n`store/retention.go`"+`.

Waybill removes old rows that no open promotion, no deployment in place and no unanswered command needs. Every %d hours
it looks at every row, at most %d in a transaction, so that no other work waits. The server's policy file (not those of
the repositories) sets the times that have a name below:

`+"```yaml\nversion: 1\nretention: {deliveries: 30d, facts: 180d, audit: 730d}   # at least 4d, 14d, 90d\n```"+`

| table | rows | kept | why |
|---|---|---|---|
`, int(forgetEvery.Hours()), forgetRows)
	defaults := store.Retention(config.ServerRetention("", nil))
	for _, k := range store.Table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Table, k.Rows, keptFor(t, k, defaults), k.Why)
	}
	const file = "../../docs/retention.md"
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	is, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(is), "docs/retention.md is out of date: run make docs")
}

// keptFor returns how long rows are kept if the policy file does not set it.
func keptFor(t *testing.T, k store.Kept, r store.Retention) string {
	named := func(d time.Duration) string {
		if d == 0 {
			return fmt.Sprintf("for ever (`%s`)", k.Term)
		}
		return fmt.Sprintf("%s (`%s`)", days(d), k.Term)
	}
	switch k.Term {
	case store.DeliveriesTerm:
		return named(r.Deliveries)
	case store.FactsTerm:
		return named(r.Facts)
	case store.AuditTerm:
		return named(r.Audit)
	case store.SignalsTerm:
		return days(store.SignalsKept)
	case store.JobsTerm:
		return days(store.JobsKept)
	case store.ExpiryTerm:
		return "until they are over"
	case store.OwnerTerm:
		return k.Until
	case store.Forever:
		return "for ever"
	}
	require.Fail(t, "no such term", "%s: %s", k.Table, k.Term)
	return ""
}

func days(d time.Duration) string {
	if d < 7*(24*time.Hour) {
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
}
