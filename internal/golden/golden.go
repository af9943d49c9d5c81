// Package golden compares the output of a test with a file in the repository.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"

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
	require.Empty(t, difference(string(want), got), "%s is out of date: read the difference, then run %s", file, remedy)
}

// difference lists the lines in which two texts differ, with their numbers.
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

// line returns a line of a text, or a note that the text has ended.
func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
