// Package golden compares what a test makes with a file that is kept in the repository.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// Check requires that a file says got; remedy tells how the file is written anew. With -update it writes the file
// first.
func Check(t require.TestingT, file, got, remedy string) {
	if h, is := t.(interface{ Helper() }); is {
		h.Helper()
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, difference(string(want), got), "%s is out of date: read the difference, then run %s", file, remedy)
}

// difference lists the lines in which two texts differ, each with its number.
func difference(want, got string) string {
	var b strings.Builder
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		w, g := line(wants, i), line(gots, i)
		if w != g {
			fmt.Fprintf(&b, "%d\n- %s\n+ %s\n", i+1, w, g)
		}
	}
	return b.String()
}

// line returns a line of a text, or says that the text has ended.
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
