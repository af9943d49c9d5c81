package invariant_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/torture/invariant"
)

// TestTheDocsListEveryInvariant checks that docs/torture.md lists all invariants, by when they are checked.
func TestTheDocsListEveryInvariant(t *testing.T) {
	var want strings.Builder
	want.WriteString("| when | invariant |\n|---|---|\n")
	seen, when := map[string]bool{}, ""
	for _, one := range invariant.All() {
		if row := one.When + one.Name; !seen[row] {
			seen[row] = true
			said := one.When
			if said == when {
				said = ""
			}
			when = one.When
			fmt.Fprintf(&want, "|%s | %s |\n", strings.TrimSuffix(" "+said, " "), one.Name)
		}
	}
	page, err := os.ReadFile("../../../docs/torture.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "## The invariants\n")
	require.True(t, found)
	_, table, _ = strings.Cut(table, "\n|")
	table, _, _ = strings.Cut("|"+table, "\n\n")
	require.Equal(t, want.String(), table+"\n")
}
