package sandbox_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

func TestThePageOnGitHubListsTheEventsThatAreTaken(t *testing.T) {
	page, err := os.ReadFile("../../docs/github.md")
	require.NoError(t, err)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1])
	}
	require.Equal(t, handlers.Events(), listed)
}
