package pages

import (
	"strings"

	"waybill/internal/githubsim"
)

// fileDiff is one changed file.
type fileDiff struct {
	githubsim.FileChange
	Lines []diffLine
}

// diffLine is a line of a patch; Kind says how it looks.
type diffLine struct {
	Kind string // added, removed, same or place
	Text string
}

// lineKinds are told by how a line of a patch begins.
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
