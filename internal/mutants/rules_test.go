package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryRuleStandsWhereItIsBroken: a rule that has been written anew must be broken anew, or nobody tries any more.
func TestEveryRuleStandsWhereItIsBroken(t *testing.T) {
	for _, r := range rules {
		source, err := os.ReadFile(filepath.Join("../..", r.file))
		require.NoError(t, err, r.name)
		assert.Equal(t, 1, bytes.Count(source, []byte(r.old)), "%s: in %s", r.name, r.file)
	}
}
