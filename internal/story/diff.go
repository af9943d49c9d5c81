package story

import (
	"fmt"
	"strings"
)

// diffContext is the number of unchanged lines that a diff shows around a change.
const diffContext = 3

// Diff compares a story as written with the same story as played. It returns a unified diff of both files, or "" if
// they are equal.
func Diff(written, played Story) string {
	a, b := splitLines(written.Format()), splitLines(played.Format())
	edits := compareLines(a, b)
	var out strings.Builder
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		from, to := hunk(edits, i)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s (as written)\n+++ %s (as it happened)\n", written.Name, written.Name)
		}
		writeHunk(&out, edits[from:to])
		i = to
	}
	return out.String()
}

// edit is one line of a diff: kept, removed or added, with its line number in both files.
type edit struct {
	op   byte // ' ', '-' or '+'
	text string
	a, b int
}

// hunk returns the bounds of the hunk whose first change is edit i. Changes belong together if at most twice the
// context lies between them.
func hunk(edits []edit, i int) (from, to int) {
	last := i
	for j := i; j < len(edits) && j <= last+2*diffContext; j++ {
		if edits[j].op != ' ' {
			last = j
		}
	}
	return max(i-diffContext, 0), min(last+diffContext+1, len(edits))
}

func writeHunk(out *strings.Builder, edits []edit) {
	inA, inB := 0, 0
	for _, e := range edits {
		if e.op != '+' {
			inA++
		}
		if e.op != '-' {
			inB++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", edits[0].a, inA, edits[0].b, inB)
	for _, e := range edits {
		fmt.Fprintf(out, "%c%s\n", e.op, e.text)
	}
}

// compareLines returns the edits that turn a into b, by their longest common subsequence.
func compareLines(a, b []string) []edit {
	common := lengths(a, b)
	var edits []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i], i + 1, j + 1})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', a[i], i + 1, j + 1})
			i++
		default:
			edits = append(edits, edit{'+', b[j], i + 1, j + 1})
			j++
		}
	}
	return edits
}

// lengths returns the length of the longest common subsequence for each pair of tails of a and b.
func lengths(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
