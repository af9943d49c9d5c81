package say

import (
	"fmt"
	"strings"
)

// Drafted is the pull request that brings a repository its first pipeline file. Text of people stands in it as they
// typed it.
type Drafted struct {
	App     string
	Files   [][2]string // paths, and what each file is for
	Found   []string    // lines on what was found
	Guessed []string    // what nobody has said, and why it was decided so
	Steps   []Step      // what people have to do
}

// Step is something that a person has to do.
type Step struct {
	Text string
	Code []string // lines to copy
}

// Markdown renders the text of the pull request.
func (d Drafted) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`waybill init` has drafted these files for %s. They change nothing before they are merged and the "+
		"App is installed.\n\n", code(d.App))
	for _, f := range d.Files {
		fmt.Fprintf(&b, "- %s: %s\n", code(f[0]), plain(f[1]))
	}
	b.WriteString("\n### Found\n\n" + block("", d.Found))
	if len(d.Guessed) > 0 {
		b.WriteString("\n### Decided without you\n\n")
		for _, g := range d.Guessed {
			b.WriteString("- " + plain(g) + "\n")
		}
	}
	b.WriteString("\n### What is left to do\n\n")
	for i, s := range d.Steps {
		number := fmt.Sprintf("%d. ", i+1)
		b.WriteString(number + plain(s.Text) + "\n")
		if len(s.Code) > 0 {
			b.WriteString(block(strings.Repeat(" ", len(number)), s.Code))
		}
	}
	return b.String()
}

// block shows lines as code, in which nothing of theirs pings, links or formats.
func block(indent string, lines []string) string {
	var b strings.Builder
	b.WriteString(indent + "```\n")
	for _, line := range lines {
		b.WriteString(indent + bare(line) + "\n")
	}
	return b.String() + indent + "```\n"
}
