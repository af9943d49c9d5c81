// Package golden compares the output of a test with a file in the repository.
package golden

import (
	"flag"
	"os"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// Check requires that a file's content is got; remedy explains how to write the file again. With -update it writes the
// file first.
func Check(t require.TestingT, file, got, remedy string) {
	if h, is := t.(interface{ Helper() }); is {
		h.Helper()
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, udiff.Unified(file, "now", string(want), got),
		"%s is out of date: read the difference, then run %s", file, remedy)
}
