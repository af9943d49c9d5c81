package markedit

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// marks holds the marked lines of a file.
type marks struct {
	byName map[string][]line // several lines for one name are an error, but only if that name is used
}

// line is a marked line without its mark and line ending.
type line struct {
	number int // from 1
	start  int // offset of the line in the file
	text   string
}

// name matches the name of a mark.
const name = `[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?`

// mark matches a comment at the end of a line, in any of the common comment styles.
var mark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:^|[ \t])(?:#|//|--|;|/\*|<!--)[ \t]*waybill:[ \t]*(` + name + `)[ \t]*(?:\*/|-->)?[ \t]*$`,
	)
})

var whole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + name + `$`) })

// IsName reports whether text is a valid name of a mark.
func IsName(text string) bool { return whole().MatchString(text) }

func findMarks(content string) marks {
	all := marks{byName: make(map[string][]line)}
	var waiting []string // names of marks on lines of their own, which apply to the next line
	start, number := 0, 0
	for text := range strings.Lines(content) {
		number++
		here := line{number: number, start: start, text: strings.TrimRight(text, "\r\n")}
		start += len(text)
		named := waiting
		waiting = nil
		if at := mark().FindStringSubmatchIndex(here.text); at != nil {
			named = append(named, here.text[at[2]:at[3]])
			here.text = here.text[:at[0]]
			if strings.TrimSpace(here.text) == "" {
				waiting = named
				continue
			}
		}
		for _, name := range named {
			all.byName[name] = append(all.byName[name], here)
		}
	}
	return all
}

// value returns the value that a name marks.
func (m marks) value(name string) (value, error) {
	lines := m.byName[name]
	switch len(lines) {
	case 0:
		return value{}, fmt.Errorf("no value is marked so; put the comment `# waybill: %s` at the end of the line that has "+
			"it, or alone on the line before", name)
	case 1:
	default:
		return value{}, fmt.Errorf("lines %d and %d are both marked so; give each a name of its own", lines[0].number,
			lines[1].number)
	}
	v, reason := lines[0].value()
	if reason != "" {
		return value{}, fmt.Errorf("line %d %s", lines[0].number, reason)
	}
	return v, nil
}
