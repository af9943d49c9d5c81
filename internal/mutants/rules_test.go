package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryRuleStandsWhereItIsBroken checks that each rule is in exactly one place of its file, and that the file with
// its replacement parses. Otherwise a rule whose file has moved or changed would no longer be broken.
func TestEveryRuleStandsWhereItIsBroken(t *testing.T) {
	all := rules
	for _, r := range tested {
		all = append(all, r.rule)
	}
	for _, r := range all {
		source, err := os.ReadFile(filepath.Join("../..", r.file))
		require.NoError(t, err, r.name)
		assert.Equal(t, 1, bytes.Count(source, []byte(r.old)), "%s: in %s", r.name, r.file)
		broken := bytes.Replace(source, []byte(r.old), []byte(r.new), 1)
		_, err = parser.ParseFile(token.NewFileSet(), r.file, broken, parser.SkipObjectResolution)
		assert.NoError(t, err, r.name)
	}
}

// TestEveryNamedTestExists checks that the tests that must notice a broken rule are there. Under a name that no test
// has, none would run.
func TestEveryNamedTestExists(t *testing.T) {
	for _, r := range tested {
		files, err := filepath.Glob(filepath.Join("../..", r.folder, "*_test.go"))
		require.NoError(t, err)
		there := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			there = there || bytes.Contains(source, []byte("\nfunc "+r.test+"("))
		}
		assert.True(t, there, "%s: no %s in %s", r.name, r.test, r.folder)
	}
}
