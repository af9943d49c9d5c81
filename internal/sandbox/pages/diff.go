package pages

import (
	"strings"

	"waybill/internal/githubsim"
)

// fileDiff is a changed file.
type fileDiff struct {
	githubsim.FileChange
	Lines []diffLine
}

// diffLine is a line of a patch.
type diffLine struct {
	Kind string // CSS class: added, removed, same or place
	Text string
}

// lineKinds maps the first character of a line to its kind.
var lineKinds = map[byte]string{'+': "added", '-': "removed", '@': "place"}

func fileDiffs(changes []githubsim.FileChange) []fileDiff {
	var all []fileDiff
	for _, c := range changes {
		d := fileDiff{FileChange: c}
		for line := range strings.Lines(c.Patch) {
			line = strings.TrimSuffix(line, "\n")
			kind := "same"
			if line != "" && lineKinds[line[0]] != "" {
				kind = lineKinds[line[0]]
			}
			d.Lines = append(d.Lines, diffLine{Kind: kind, Text: line})
		}
		all = append(all, d)
	}
	return all
}
