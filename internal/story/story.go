package story

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/tools/txtar"
)

// fileName is the name of the archive's file that holds the steps.
const fileName = "story"

// Story is a parsed story file.
type Story struct {
	Name  string       // of the file, for messages
	About string       // the prose above the first file
	Files []txtar.File // all files of the archive, in order; the data of the file "story" is ignored
	Steps []Step
	After []string // prose lines below the last step
}

// Step is one happening and its outcomes.
type Step struct {
	Before    []string // prose lines above it
	Source    string   // the happening as written; empty: Format prints Happening
	Line      int      // of the happening in the file, from 1
	Happening Happening
	Outcomes  []Outcome // empty: printed as (nothing)
}

// File returns the contents of the archive's file with that name, and whether it exists. The file "story" is excluded.
func (s Story) File(name string) ([]byte, bool) {
	for _, f := range s.Files {
		if f.Name == name && name != fileName {
			return f.Data, true
		}
	}
	return nil, false
}

// Format returns the whole archive, with the present steps in the file "story".
func (s Story) Format() []byte {
	a := txtar.Archive{Comment: []byte(s.About)}
	for _, f := range s.Files {
		if f.Name == fileName {
			f.Data = []byte(s.script())
		}
		a.Files = append(a.Files, f)
	}
	return txtar.Format(&a)
}

// script returns the contents of the file "story".
func (s Story) script() string {
	var b strings.Builder
	for _, step := range s.Steps {
		writeLines(&b, step.Before)
		fmt.Fprintf(&b, "> %s\n", step.source())
		if len(step.Outcomes) == 0 {
			b.WriteString("  (nothing)\n")
		}
		for _, o := range step.Outcomes {
			fmt.Fprintf(&b, "  %s\n", o)
		}
	}
	writeLines(&b, s.After)
	return b.String()
}

func (s Step) source() string {
	if s.Source != "" {
		return s.Source
	}
	return s.Happening.String()
}

func writeLines(b *strings.Builder, lines []string) {
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// splitLines returns the lines of data without their line ends.
func splitLines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	lines := strings.Split(string(bytes.TrimSuffix(data, []byte("\n"))), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}
